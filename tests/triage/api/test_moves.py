"""What moved between two rounds, over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.triage.api.desk import Desk
from tests.triage.shop import SOURCE
from tests.triage.test_moves import approved, checked
from triage.models import Round


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


def test_a_round_says_what_moved_since_the_one_before(api: APIClient, desk: Desk) -> None:
    proposal = approved(desk.shop, desk.pen, SOURCE)
    after = checked()
    said = api.get(f"/api/v1/rounds/{after.pk}/moves/").json()
    assert (said["round"], said["since"]) == (after.pk, desk.round.pk)
    assert said["table"] == [{"before": "broken", "after": "solvable", "environments": 2}]
    (group,) = said["groups"]
    assert (group["fixed"], group["broken"], group["other"]) == (2, 0, 0)
    assert group["text"] == f"proposal {proposal.pk} (pen v3)"
    (cause,) = group["causes"]
    assert (cause["sort"], cause["proposal"]) == ("proposal", proposal.pk)
    (version,) = cause["versions"]
    assert (version["component"], version["number"], version["author"]) == ("pen", 3, None)
    assert [one["environment"] for one in group["environments"]] == ["alpha", "beta"]


def test_any_earlier_round_may_be_asked_for(api: APIClient, desk: Desk) -> None:
    checked()
    desk.shop.component("pen", desk.pen.versions.get(number=1).body.parsed())
    after = checked()
    said = api.get(f"/api/v1/rounds/{after.pk}/moves/?since={desk.round.pk}").json()
    assert said["since"] == desk.round.pk
    assert said["groups"][0]["causes"][0]["proposal"] is None


@pytest.mark.parametrize("since", ["", "999999", "nonsense"])
def test_without_an_earlier_round_there_is_nothing(api: APIClient, desk: Desk, since: str) -> None:
    path = f"/api/v1/rounds/{desk.round.pk}/moves/"
    assert api.get(f"{path}?since={since}" if since else path).status_code == 404


def test_rounds_kept_for_others_are_not_there(api: APIClient, desk: Desk, viewer: User) -> None:
    after = checked()
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert api.get(f"/api/v1/rounds/{after.pk}/moves/").status_code == 404
    assert Round.objects.count() == 2
