"""Faults over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.conftest import member
from tests.triage.api.desk import Desk, client_of
from triage.models import Attribution, Comment, Fault
from triage.models.fault import FaultStatus


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


@pytest.fixture
def judge(reviewer: User) -> APIClient:
    return client_of(reviewer)


def post(client: APIClient, fault: Fault, act: str, said: Any = None) -> Any:
    return client.post(f"/api/v1/faults/{fault.pk}/{act}/", said or {}, format="json")


def test_a_fault_comes_with_its_suspects_symptoms_and_environments(
    api: APIClient, desk: Desk
) -> None:
    said = api.get(f"/api/v1/faults/{desk.fault.pk}/").json()
    assert (said["domain"], said["status"], said["count"]) == ("notes", "new", 2)
    assert said["environments"] == ["alpha", "beta"]
    (suspect,) = said["suspects"]
    assert (suspect["component"], suspect["version"], suspect["score"]) == ("pen", 2, 0.9)
    assert suspect["evidence"][0]["text"] == "Both point here."
    assert said["symptoms"][0]["symbol"] == "write"


def test_faults_filter_by_status_domain_code_and_assignee(
    api: APIClient, desk: Desk, viewer: User
) -> None:
    def listed(query: str) -> int:
        return int(api.get(f"/api/v1/faults/?{query}").json()["count"])

    Fault.objects.filter(pk=desk.fault.pk).update(assignee=viewer)
    for query in ("status=new", "domain=notes", "code=plan-misses-goal", "assignee=viewer"):
        assert listed(query) == 1, query
    for query in ("status=fixed", "domain=other", "code=goal-blind", "assignee=nobody"):
        assert listed(query) == 0, query
    assert listed("status=fixed&status=new") == 1


def test_a_fault_of_a_domain_kept_for_others_is_not_there(judge: APIClient, desk: Desk) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert judge.get("/api/v1/faults/").json()["count"] == 0
    assert judge.get(f"/api/v1/faults/{desk.fault.pk}/").status_code == 404
    assert post(judge, desk.fault, "comment", {"text": "mine"}).status_code == 404


def test_it_is_given_to_somebody_and_to_nobody(judge: APIClient, desk: Desk, curator: User) -> None:
    assert (
        post(judge, desk.fault, "assign", {"assignee": "curator"}).json()["assignee"] == "curator"
    )
    assert post(judge, desk.fault, "assign", {"assignee": None}).json()["assignee"] is None


def test_it_is_not_given_to_who_is_not_there_or_may_not_read_it(desk: Desk, reviewer: User) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    reviewer.groups.add(Group.objects.get(name="insiders"))
    judge, outsider = client_of(reviewer), member("outsider")
    answer = post(judge, desk.fault, "assign", {"assignee": "nobody"})
    assert (answer.status_code, answer.json()) == (
        400,
        {"assignee": "There is no user 'nobody'."},
    )
    answer = post(judge, desk.fault, "assign", {"assignee": outsider.username})
    assert answer.status_code == 400
    assert "outsider may not read notes" in answer.json()["detail"]


def test_a_comment_stands_with_it(judge: APIClient, desk: Desk) -> None:
    said = post(judge, desk.fault, "comment", {"text": "The return is wrong."}).json()
    assert said["comments"][0]["text"] == "The return is wrong."
    assert said["comments"][0]["author"] == "reviewer"
    assert post(judge, desk.fault, "comment", {"text": " "}).status_code == 400
    assert Comment.objects.count() == 1


def test_it_is_archived_with_a_reason_and_reopened(judge: APIClient, desk: Desk) -> None:
    assert post(judge, desk.fault, "archive", {}).status_code == 400
    said = post(judge, desk.fault, "archive", {"reason": "as published"}).json()
    assert (said["status"], said["archived_because"]) == (FaultStatus.ARCHIVED, "as published")
    again = post(judge, desk.fault, "archive", {"reason": "twice"})
    assert again.status_code == 409
    assert "is archived already, because: as published" in again.json()["detail"]
    assert post(judge, desk.fault, "reopen").json()["status"] != FaultStatus.ARCHIVED
    assert post(judge, desk.fault, "reopen").status_code == 409


def test_its_suspects_are_weighed_by_workers(judge: APIClient, desk: Desk, reviewer: User) -> None:
    answer = post(judge, desk.fault, "attribute")
    assert answer.status_code == 201
    made = Attribution.objects.get()
    assert (made.fault, made.author) == (desk.fault, reviewer)
    assert answer.json() == judge.get(f"/api/v1/attributions/{made.pk}/").json()


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("assign", {"assignee": None}),
        ("comment", {"text": "no"}),
        ("archive", {"reason": "no"}),
        ("reopen", {}),
        ("attribute", {}),
    ],
)
def test_who_may_not_is_refused(api: APIClient, desk: Desk, act: str, said: Any) -> None:
    answer = post(api, desk.fault, act, said)
    assert answer.status_code == 403
    assert "viewer may not" in answer.json()["detail"]


def test_a_key_that_means_nothing_is_refused(judge: APIClient, desk: Desk) -> None:
    answer = post(judge, desk.fault, "comment", {"text": "a", "note": "b"})
    assert answer.json() == {"note": "There is no such key; there are text."}


def test_as_many_queries_for_many_faults_as_for_one(
    api: APIClient, desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(4):
        Fault.objects.create(domain=desk.shop.domain, code="goal-blind", title="another")
    with django_assert_num_queries(2):
        assert api.get("/api/v1/faults/").json()["count"] == 5
    with django_assert_num_queries(10):
        api.get(f"/api/v1/faults/{desk.fault.pk}/")
