"""Trials over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.triage.api.desk import Desk, client_of
from triage.models import Trial
from triage.models.job import JobState
from triage.trials import attempt


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


@pytest.fixture
def tried(desk: Desk) -> Trial:
    return desk.tried(desk.proposed(), fixed=2)


def test_a_trial_says_what_it_showed(api: APIClient, tried: Trial) -> None:
    said = api.get(f"/api/v1/trials/{tried.pk}/").json()
    assert (said["state"], said["stage"], said["report"]) == ("done", "full", {"fixed": 2})


def test_its_outcomes_come_in_pages_and_are_filtered(api: APIClient, tried: Trial) -> None:
    path = f"/api/v1/trials/{tried.pk}/outcomes/"
    said = api.get(f"{path}?limit=1").json()
    assert (said["count"], len(said["results"])) == (2, 1)
    assert said["results"][0]["environment"] == "alpha"
    assert (said["results"][0]["before"], said["results"][0]["after"]) == ("broken", "solvable")
    assert api.get(f"{path}?move=regressed").json()["count"] == 0
    assert api.get(f"{path}?move=fixed&stage=full").json()["count"] == 2


def test_it_is_cancelled_once_by_who_may(api: APIClient, desk: Desk, reviewer: User) -> None:
    held = attempt(reviewer, [desk.proposed(reviewer)], queue=False)
    path = f"/api/v1/trials/{held.pk}/cancel/"
    assert api.post(path).status_code == 403
    said = client_of(reviewer).post(path).json()
    assert (said["state"], said["cancelled_by"]) == (JobState.CANCELLED, "reviewer")
    assert client_of(reviewer).post(path).status_code == 409


def test_of_a_proposal_in_a_domain_kept_for_others_it_is_not_there(
    api: APIClient, desk: Desk, tried: Trial
) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    for path in ("", "outcomes/"):
        assert api.get(f"/api/v1/trials/{tried.pk}/{path}").status_code == 404


def test_as_many_queries_whatever_the_number_of_outcomes(
    api: APIClient, tried: Trial, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):
        api.get(f"/api/v1/trials/{tried.pk}/outcomes/")
