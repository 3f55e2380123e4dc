"""Labels and codes over the API."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.browser.seed import Library
from tests.triage.test_labelling import labelled
from triage.models import Finding, Label, Round


@pytest.fixture
def judge(reviewer: User) -> APIClient:
    """A client that a reviewer logged in with."""
    client = APIClient()
    client.force_authenticate(reviewer)
    return client


@pytest.fixture
def found(done: Round) -> Finding:
    """A blocking finding that everybody may see."""
    rows = Finding.objects.filter(component__domain__slug="shop", severity="blocking")
    return rows.order_by("pk")[0]


def test_a_finding_says_whether_it_counts_and_why_not(judge: APIClient, found: Finding) -> None:
    before = judge.get(f"/api/v1/findings/{found.pk}/").json()
    assert (before["counted"], before["label"], before["accepted"], before["demoted"]) == (
        True,
        None,
        None,
        False,
    )
    answer = judge.post(
        f"/api/v1/findings/{found.pk}/label/", {"label": "wrong", "reason": "a slip"}
    )
    assert answer.status_code == 200
    said = answer.json()
    assert said["counted"] is False
    assert (said["label"]["label"], said["label"]["reason"]) == ("wrong", "a slip")
    assert said["label"]["author"] == "reviewer"
    assert said["label"]["at"]
    assert judge.get(f"/api/v1/findings/{found.pk}/").json() == said


def test_findings_and_environments_filter_by_what_counts(judge: APIClient, found: Finding) -> None:
    judge.post(f"/api/v1/findings/{found.pk}/label/", {"label": "wrong", "reason": "a slip"})
    off = judge.get("/api/v1/findings/?counted=no&limit=200").json()["results"]
    assert found.pk in [one["id"] for one in off]
    assert all(not one["counted"] for one in off)
    on = judge.get("/api/v1/findings/?counted=yes&limit=200").json()["results"]
    assert on
    assert found.pk not in [one["id"] for one in on]
    shown = judge.get(f"/api/v1/environments/?code={found.code}&counted=no").json()["results"]
    name = found.result.checks.all()[0].environment.slug
    assert name in [one["slug"] for one in shown]


def test_the_status_of_environments_and_checks_follows(judge: APIClient, found: Finding) -> None:
    check = found.result.checks.all()[0]
    assert judge.get(f"/api/v1/checks/{check.pk}/").json()["status"] == "broken"
    for one in found.result.findings.filter(severity="blocking"):
        judge.post(f"/api/v1/findings/{one.pk}/label/", {"label": "wrong", "reason": "a slip"})
    said = judge.get(f"/api/v1/checks/{check.pk}/").json()
    assert said["status"] == "unproven"
    assert {one["counted"] for one in said["findings"] if one["severity"] == "blocking"} == {False}
    (row,) = judge.get(f"/api/v1/environments/?q={check.environment.slug}").json()["results"]
    assert row["status"] == "unproven"


def test_an_acceptance_is_told(judge: APIClient, found: Finding) -> None:
    assert found.component is not None
    entry = {"code": found.code, "at": found.place, "reason": "as published", "by": "ann"}
    found.component.about = {"accept": [entry]}
    found.component.save()
    said = judge.get(f"/api/v1/findings/{found.pk}/").json()
    assert said["accepted"] == {"reason": "as published", "by": "ann"}
    assert said["counted"] is False


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ({"label": "wrong"}, "needs a reason"),
        ({"label": "maybe"}, "not a valid choice"),
        ({}, "required"),
    ],
)
def test_a_label_that_cannot_be_is_refused(
    judge: APIClient, found: Finding, order: dict[str, str], why: str
) -> None:
    answer = judge.post(f"/api/v1/findings/{found.pk}/label/", order)
    assert answer.status_code == 400
    assert why in answer.content.decode()
    assert not Label.objects.exists()


def test_who_may_not_label_is_refused(api: APIClient, found: Finding, secret: Library) -> None:
    answer = api.post(f"/api/v1/findings/{found.pk}/label/", {"label": "right"})
    assert answer.status_code == 403
    assert "viewer may not label findings" in answer.json()["detail"]


def test_a_finding_of_a_domain_kept_for_others_is_not_there(
    judge: APIClient, done: Round, secret: Library
) -> None:
    rows = Finding.objects.filter(result__checks__environment__domain=secret.domain)
    secret.domain.readers.add(Group.objects.create(name="few"))
    for one in rows:
        assert judge.post(f"/api/v1/findings/{one.pk}/label/", {}).status_code == 404


def test_codes_are_listed_with_their_precision(
    api: APIClient, found: Finding, reviewer: User
) -> None:
    labelled(found, reviewer, "tool-crash", right=5, wrong=15)
    rows = api.get("/api/v1/codes/?limit=100").json()["results"]
    (row,) = [one for one in rows if one["code"] == "tool-crash"]
    assert row["demoted"] is True
    assert (row["severity"], row["stage"]) == ("blocking", "controls")
    assert (row["right"], row["wrong"], row["precision"]) == (5, 15, 0.25)
    assert row["interval"] == pytest.approx([0.1119, 0.4687], abs=1e-4)
    (other,) = [one for one in rows if one["code"] == "body-invalid"]
    assert (other["precision"], other["interval"]) == (None, None)
