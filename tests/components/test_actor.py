"""Who may do what: the command line everything, a user what the groups allow."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied

from components.actor import demand, visible_domains
from components.models import Domain

pytestmark = pytest.mark.django_db


def test_the_command_line_may_do_everything(db: None) -> None:
    demand(None, "components.add_version", "load components")


def test_a_user_may_do_what_a_group_allows(curator: User, viewer: User) -> None:
    demand(curator, "components.add_version", "load components")
    with pytest.raises(
        PermissionDenied, match=r"viewer may not load components: .* an admin gives"
    ):
        demand(viewer, "components.add_version", "load components")


def test_a_domain_kept_for_a_group_is_seen_by_its_members_and_the_command_line(
    viewer: User, curator: User
) -> None:
    open_one, kept = Domain.objects.create(slug="open"), Domain.objects.create(slug="kept")
    kept.readers.add(Group.objects.get(name="curator"))
    assert list(visible_domains(viewer)) == [open_one]
    assert set(visible_domains(curator)) == {open_one, kept}
    assert set(visible_domains(None)) == {open_one, kept}
