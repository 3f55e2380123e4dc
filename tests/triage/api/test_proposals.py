"""Proposals over the API: written, edited, tried and decided on."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from components.versions import keep
from tests.triage.api.desk import Desk, client_of
from tests.triage.shop import SOURCE
from triage.models import Proposal, Trial
from triage.models.proposal import ProposalState
from worlds.patch import patch_of
from worlds.toolserver_body import OutsideBody


@pytest.fixture
def desk(db: None) -> Desk:
    return Desk()


@pytest.fixture
def judge(reviewer: User) -> APIClient:
    return client_of(reviewer)


@pytest.fixture
def waiting(desk: Desk, reviewer: User) -> Proposal:
    """A proposal that was tried in full."""
    row = desk.proposed(reviewer)
    desk.tried(row, fixed=2)
    return row


def order(desk: Desk, text: str = SOURCE, **more: Any) -> dict[str, Any]:
    change = {"kind": "toolserver", "component": "pen", "text": text}
    return {
        "domain": "notes",
        "fault": desk.fault.pk,
        "title": "Save it",
        "changes": [change],
        **more,
    }


def post(client: APIClient, row: Proposal, act: str, **said: Any) -> Any:
    return client.post(f"/api/v1/proposals/{row.pk}/{act}/", said, format="json")


def test_a_proposal_is_made_of_the_texts_of_files(judge: APIClient, desk: Desk) -> None:
    answer = judge.post("/api/v1/proposals/", order(desk, reason="it forgets"), format="json")
    assert answer.status_code == 201, answer.content
    said = answer.json()
    assert (said["state"], said["revision"], said["author"]) == ("draft", 1, "reviewer")
    assert (said["fault"], said["reason"]) == (desk.fault.pk, "it forgets")
    (change,) = said["changes"]
    assert (change["component"], change["base"], change["current"]) == ("pen", 2, 2)
    assert said == judge.get(f"/api/v1/proposals/{said['id']}/").json()
    (text,) = judge.get(f"/api/v1/proposals/{said['id']}/texts/").json()
    assert "db.update" in text["after"]
    assert "db.update" not in text["before"]


def test_texts_that_cannot_be_are_refused_with_their_lines(judge: APIClient, desk: Desk) -> None:
    answer = judge.post("/api/v1/proposals/", order(desk, "def look(:\n"), format="json")
    assert answer.status_code == 400
    (problem,) = answer.json()["problems"]
    assert (problem["component"], problem["line"]) == ("toolserver/pen", 1)
    assert answer.json()["detail"].startswith("toolserver/pen, line 1: ")
    assert not Proposal.objects.exists()


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"domain": "nowhere"}, "There is no domain 'nowhere'"),
        ({"fault": 999999}, "There is no fault 999999"),
        ({"title": " "}, "may not be blank"),
        ({"changes": []}, "at least 1"),
        ({"because": "x"}, "There is no such key"),
        ({"changes": [{"kind": "rule", "component": "x", "text": "x"}]}, "no such component"),
    ],
)
def test_what_cannot_be_proposed_is_refused_in_words(
    judge: APIClient, desk: Desk, more: dict[str, Any], why: str
) -> None:
    answer = judge.post("/api/v1/proposals/", order(desk) | more, format="json")
    assert answer.status_code == 400
    assert why in answer.content.decode()
    assert not Proposal.objects.exists()


def test_it_is_edited_by_the_revision_that_was_read(judge: APIClient, desk: Desk) -> None:
    row = desk.proposed()
    path = f"/api/v1/proposals/{row.pk}/"
    said = judge.patch(path, {"revision": 1, "title": "Keep it"}, format="json").json()
    assert (said["title"], said["revision"]) == ("Keep it", 2)
    late = judge.patch(path, {"revision": 1, "title": "Lose it"}, format="json")
    assert late.status_code == 409
    assert "was edited by reviewer" in late.json()["detail"]


def test_it_is_approved_as_it_was_read(judge: APIClient, desk: Desk, waiting: Proposal) -> None:
    assert post(judge, waiting, "approve", revision=7).status_code == 409
    said = post(judge, waiting, "approve", revision=1, comment="fine").json()
    assert (said["state"], said["decided_by"], said["comment"]) == ("approved", "reviewer", "fine")
    assert said["changes"][0]["version"] == 3
    again = post(judge, waiting, "reject", revision=1, reason="late")
    assert again.status_code == 409
    assert "was approved by reviewer" in again.json()["detail"]


def test_what_stands_against_it_needs_an_override(judge: APIClient, desk: Desk) -> None:
    row = desk.proposed()
    desk.tried(row, regressed=3)
    against = judge.get(f"/api/v1/proposals/{row.pk}/").json()["against"]
    assert len(against) == 1
    answer = post(judge, row, "approve", revision=1)
    assert (answer.status_code, answer.json()["against"]) == (409, against)
    said = post(judge, row, "approve", revision=1, override="they were wrong").json()
    assert (said["state"], said["override"]) == ("approved", "they were wrong")


def test_one_whose_component_moved_is_stale_until_it_is_refreshed(
    judge: APIClient, desk: Desk, waiting: Proposal
) -> None:
    desk.shop.component("pen", desk.shop.server.versions.get(number=1).body.parsed())
    desk.shop.component("pen", desk.pen.versions.get(number=2).body.parsed())
    answer = post(judge, waiting, "approve", revision=1)
    assert answer.status_code == 409
    assert "stale" in answer.json()["detail"]
    said = post(judge, waiting, "refresh").json()
    assert said["proposal"]["state"] == "draft"
    assert said["proposal"]["changes"][0]["base"] == 4


def test_one_that_was_not_tried_is_not_approved(judge: APIClient, desk: Desk) -> None:
    assert post(judge, desk.proposed(), "approve", revision=1).status_code == 409


def test_it_is_rejected_with_a_reason_and_deferred(
    judge: APIClient, desk: Desk, waiting: Proposal
) -> None:
    assert post(judge, waiting, "defer", revision=1).json()["state"] == "deferred"
    assert post(judge, waiting, "reject", revision=1).status_code == 400
    assert post(judge, waiting, "reject", revision=1, reason="no").json()["state"] == "rejected"


def test_it_is_tried_by_workers(judge: APIClient, desk: Desk) -> None:
    row = desk.proposed()
    assert post(judge, row, "try", until="moon").status_code == 400
    answer = post(judge, row, "try", until="probe")
    assert answer.status_code == 201, answer.content
    made = Trial.objects.get()
    assert answer.json() == judge.get(f"/api/v1/trials/{made.pk}/").json()
    assert (answer.json()["proposals"], answer.json()["until"]) == ([row.pk], "probe")
    assert judge.get(f"/api/v1/proposals/{row.pk}/").json()["state"] == ProposalState.TRYING


def test_proposals_filter_by_state_domain_and_fault(api: APIClient, waiting: Proposal) -> None:
    for query, count in [
        ("state=waiting", 1),
        ("state=draft", 0),
        ("domain=notes", 1),
        (f"fault={waiting.fault_id}", 1),
        ("fault=1x", 0),
    ]:
        assert api.get(f"/api/v1/proposals/?{query}").json()["count"] == count, query


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("approve", {"revision": 1}),
        ("reject", {"revision": 1, "reason": "no"}),
        ("defer", {"revision": 1}),
        ("try", {}),
        ("refresh", {}),
    ],
)
def test_who_may_not_is_refused(
    api: APIClient, waiting: Proposal, act: str, said: dict[str, Any]
) -> None:
    answer = post(api, waiting, act, **said)
    assert answer.status_code == 403
    assert "viewer may not" in answer.json()["detail"]
    waiting.refresh_from_db()
    assert waiting.state == ProposalState.WAITING


def test_who_may_not_propose_or_edit_is_refused(
    api: APIClient, desk: Desk, waiting: Proposal
) -> None:
    assert api.post("/api/v1/proposals/", order(desk), format="json").status_code == 403
    path = f"/api/v1/proposals/{waiting.pk}/"
    assert api.patch(path, {"revision": 1}, format="json").status_code == 403


def test_those_of_domains_kept_for_others_are_not_there(
    judge: APIClient, desk: Desk, waiting: Proposal
) -> None:
    desk.shop.domain.readers.add(Group.objects.create(name="insiders"))
    assert judge.get("/api/v1/proposals/").json()["count"] == 0
    assert post(judge, waiting, "approve", revision=1).status_code == 404
    answer = judge.post("/api/v1/proposals/", order(desk), format="json")
    assert answer.json() == {"domain": "There is no domain 'notes'."}


def test_as_many_queries_for_many_as_for_one(
    api: APIClient, desk: Desk, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(4):
        desk.proposed()
    with django_assert_num_queries(2):
        assert api.get("/api/v1/proposals/").json()["count"] == 4


def test_a_patch_is_had_as_a_file_and_no_approval_takes_it(
    judge: APIClient, waiting: Proposal
) -> None:
    where = f"/api/v1/proposals/{waiting.pk}/patch/"
    answer = judge.get(where)
    assert (answer.status_code, answer.json()["detail"]) == (
        404,
        f"proposal {waiting.pk} patches no source.",
    )
    patch = patch_of({"a.py": "one\n"}, {"a.py": "two\n"})
    waiting.changes.update(body=keep(OutsideBody(server="crm", patch=patch)))
    answer = judge.get(where)
    assert answer["Content-Type"] == "text/x-diff; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="proposal-{waiting.pk}.patch"'
    assert answer.content.decode().endswith(patch)
    refused = post(judge, waiting, "approve", revision=1)
    assert refused.status_code == 409
    assert "no approval changes" in refused.json()["detail"]


def test_nobody_sends_a_patch(judge: APIClient, desk: Desk) -> None:
    desk.shop.component("far", OutsideBody(server="crm"))
    text = "server: crm\npatch: |\n  --- a/a.py\n  +++ b/a.py\n  @@ -1 +1 @@\n  -one\n  +two\n"
    change = {"kind": "toolserver", "component": "far", "text": text}
    answer = judge.post("/api/v1/proposals/", order(desk, changes=[change]), format="json")
    assert answer.status_code == 400
    (problem,) = answer.json()["problems"]
    assert problem["line"] == 2
    assert problem["message"].startswith("a file must not say 'patch'")
