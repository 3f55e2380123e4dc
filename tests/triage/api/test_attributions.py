"""The weighing of suspects, over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.triage.api.desk import Desk, client_of
from triage.models import Attribution
from triage.models.job import JobState


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


@pytest.fixture
def held(desk: Desk, reviewer: User) -> Attribution:
    """One that waits for a worker."""
    return Attribution.objects.create(author=reviewer, fault=desk.fault, round=desk.round, total=4)


def test_it_says_how_far_it_is(api: APIClient, held: Attribution) -> None:
    said = api.get(f"/api/v1/attributions/{held.pk}/").json()
    assert (said["state"], said["done"], said["total"]) == ("queued", 0, 4)
    assert (said["author"], said["suspects"]) == ("reviewer", [])


def test_its_author_and_who_may_start_one_end_it(
    held: Attribution, reviewer: User, curator: User
) -> None:
    said = client_of(curator).post(f"/api/v1/attributions/{held.pk}/cancel/").json()
    assert (said["state"], said["cancelled_by"]) == (JobState.CANCELLED, "curator")
    again = client_of(reviewer).post(f"/api/v1/attributions/{held.pk}/cancel/")
    assert again.status_code == 409
    assert "there is nothing left to cancel" in again.json()["detail"]


def test_others_do_not(api: APIClient, held: Attribution) -> None:
    assert api.post(f"/api/v1/attributions/{held.pk}/cancel/").status_code == 403
    held.refresh_from_db()
    assert held.state == JobState.QUEUED


def test_of_a_domain_kept_for_others_it_is_not_there(
    api: APIClient, desk: Desk, held: Attribution
) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert api.get(f"/api/v1/attributions/{held.pk}/").status_code == 404
