"""Searches for repairs, over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.triage import repaircast
from tests.triage.api.desk import Desk, client_of
from triage.models import Fault, Proposal, Repair
from triage.models.job import JobState


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


@pytest.fixture
def judge(reviewer: User) -> APIClient:
    return client_of(reviewer)


@pytest.fixture
def held(desk: Desk) -> Repair:
    """A search that is done and proposed something."""
    seen = [one.pk for one in desk.environments]
    return repaircast.searched(desk.fault, desk.proposed(), looked_at=seen)


def ask(client: APIClient, fault: Fault, said: Any = None) -> Any:
    return client.post(f"/api/v1/faults/{fault.pk}/repair/", said or {}, format="json")


def test_one_is_asked_for_and_whoever_asks_again_is_given_it(
    judge: APIClient, desk: Desk, reviewer: User
) -> None:
    first = ask(judge, desk.fault, {"seconds": 5, "takes_back": False})
    assert first.status_code == 201
    made = Repair.objects.get()
    assert (made.fault, made.author, made.seconds) == (desk.fault, reviewer, 5.0)
    assert (made.takes_back, made.borrows) == (False, True)
    again = ask(judge, desk.fault)
    assert (again.status_code, again.json()["id"]) == (200, made.pk)
    assert judge.get(f"/api/v1/faults/{desk.fault.pk}/").json()["repairs"] == [made.pk]


@pytest.mark.parametrize("seconds", [0, -1, 601, "nan", "long"])
def test_a_time_that_cannot_be_is_refused(judge: APIClient, desk: Desk, seconds: Any) -> None:
    answer = ask(judge, desk.fault, {"seconds": seconds})
    assert answer.status_code == 400
    assert "seconds" in answer.json()
    assert not Repair.objects.exists()


def test_where_no_round_is_kept_that_shows_the_fault_it_is_a_conflict(
    judge: APIClient, desk: Desk
) -> None:
    Fault.objects.update(last_round=None)
    answer = ask(judge, desk.fault)
    assert answer.status_code == 409
    assert "run one first" in answer.json()["detail"]


def test_who_may_not_is_refused(api: APIClient, desk: Desk, held: Repair) -> None:
    answer = ask(api, desk.fault)
    assert answer.status_code == 403
    assert "triage.add_repair" in answer.json()["detail"]
    Repair.objects.update(state=JobState.RUNNING)
    assert api.post(f"/api/v1/repairs/{held.pk}/cancel/").status_code == 403


def test_one_says_what_came_of_it(api: APIClient, held: Repair) -> None:
    said = api.get(f"/api/v1/repairs/{held.pk}/").json()
    assert (said["state"], said["spent"], said["counts"]["failing"]) == ("done", 12.3, 30)
    assert said["looked_at"] == ["alpha", "beta"]
    assert said["proposals"] == [held.proposals.get().pk]


def test_they_filter_by_fault_and_state(api: APIClient, held: Repair) -> None:
    def listed(query: str) -> int:
        return int(api.get(f"/api/v1/repairs/?{query}").json()["count"])

    assert listed("") == listed(f"fault={held.fault_id}") == listed("state=done") == 1
    assert listed("state=running&state=done") == 1
    for query in ("fault=99999", "fault=nonsense", "state=queued"):
        assert listed(query) == 0, query


def test_its_alternatives_come_in_pages_and_are_filtered(api: APIClient, held: Repair) -> None:
    path = f"/api/v1/repairs/{held.pk}/alternatives/"
    said = api.get(f"{path}?limit=1").json()
    assert (said["count"], len(said["results"])) == (6, 1)
    first = said["results"][0]
    assert (first["rank"], first["fate"], first["proposal"]) == (
        1,
        "proposed",
        held.proposals.get().pk,
    )
    assert first["diff"].startswith("--- toolserver/shop-api")
    assert api.get(f"{path}?fate=uncured&fate=failing").json()["count"] == 2


def test_it_is_ended_once(judge: APIClient, desk: Desk) -> None:
    held = repaircast.repair(desk.fault, "running")
    said = judge.post(f"/api/v1/repairs/{held.pk}/cancel/").json()
    assert (said["state"], said["cancelled_by"]) == (JobState.CANCELLED, "reviewer")
    again = judge.post(f"/api/v1/repairs/{held.pk}/cancel/")
    assert again.status_code == 409
    assert "nothing left to cancel" in again.json()["detail"]


def test_of_a_domain_kept_for_others_it_is_not_there(
    judge: APIClient, desk: Desk, held: Repair
) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert judge.get("/api/v1/repairs/").json()["count"] == 0
    for path in ("", "alternatives/"):
        assert judge.get(f"/api/v1/repairs/{held.pk}/{path}").status_code == 404
    assert judge.post(f"/api/v1/repairs/{held.pk}/cancel/").status_code == 404
    assert ask(judge, desk.fault).status_code == 404


def test_a_proposal_says_which_search_wrote_it_and_where_it_ranks(
    api: APIClient, desk: Desk, held: Repair
) -> None:
    row = held.proposals.get()
    path = f"/api/v1/proposals/{row.pk}/"
    assert (api.get(path).json()["rank"], api.get(path).json()["below"]) == (None, "")
    desk.tried(row, fixed=2)
    Proposal.objects.filter(pk=row.pk).update(state="waiting")
    said = api.get(path).json()
    assert (said["repair"], said["likelihood"], said["rank"]) == (held.pk, 0.72, 1)
    assert api.get(f"/api/v1/proposals/?repair={held.pk}").json()["count"] == 1
    assert api.get("/api/v1/proposals/?repair=99999").json()["count"] == 0


def test_as_many_queries_for_many_as_for_one(
    api: APIClient, held: Repair, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(7, 30):
        repaircast.repair(held.fault)
        repaircast.alternative(held, number)
    with django_assert_num_queries(3):
        assert api.get("/api/v1/repairs/").json()["count"] == 24
    with django_assert_num_queries(3):
        api.get(f"/api/v1/repairs/{held.pk}/")
    with django_assert_num_queries(5):
        api.get(f"/api/v1/repairs/{held.pk}/alternatives/")
