"""The groups exist after every migration, each with what its members may do."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User

from components.groups import make_groups

pytestmark = pytest.mark.django_db

MAY = {
    "viewer": {"components.view_version", "triage.view_round"},
    "reviewer": {
        "components.add_pin",
        "triage.add_counterexample",
        "triage.add_label",
        "triage.change_counterexample",
        "triage.change_suspicion",
        "triage.change_audititem",
    },
    "curator": {
        "components.add_version",
        "components.delete_component",
        "components.add_pin",
        "triage.add_label",
        "triage.add_round",
        "triage.add_auditsample",
    },
    "admin": {"components.delete_domain", "triage.delete_round", "auth.add_user"},
}


@pytest.mark.parametrize("group", MAY)
def test_members_may_do_what_their_group_says_and_no_more(
    group: str, request: pytest.FixtureRequest
) -> None:
    user: User = request.getfixturevalue(group)
    lesser = {"viewer": [], "reviewer": ["viewer"], "curator": ["viewer", "reviewer"]}
    expected = set.union(MAY[group], *(MAY[name] for name in lesser.get(group, MAY)))
    asked = set.union(*MAY.values())
    assert {permission for permission in asked if user.has_perm(permission)} == expected


def test_migrating_again_adds_what_is_missing_and_keeps_what_was_added() -> None:
    curators = Group.objects.get(name="curator")
    curators.permissions.set([Permission.objects.get(codename="view_group")])
    make_groups(sender=apps.get_app_config("components"), using="default")
    codenames = set(curators.permissions.values_list("codename", flat=True))
    assert {"view_group", "add_version"} <= codenames


def test_permissions_made_late_are_found() -> None:
    Permission.objects.filter(content_type__app_label="triage").delete()
    make_groups(sender=apps.get_app_config("triage"), using="default")
    assert Group.objects.get(name="curator").permissions.filter(codename="add_round").exists()
