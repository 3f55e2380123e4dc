"""Counterexamples, certificates, suspicious passes and audit samples over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.triage.shop import Shop
from tests.triage.suspects import suspected
from tests.triage.test_counterexamples import checked
from triage.audit_sample import create, label
from triage.counterexamples import make, retire
from triage.models import AuditItem, AuditSample, Certificate, Counterexample, Suspicion

LISTS = ["counterexamples", "certificates", "suspicions", "audit-samples"]


@pytest.fixture
def notes(db: None) -> Shop:
    """Of everything two, in a domain that everybody may see, and the same in one kept for insiders."""
    hidden = Shop("hidden")
    hidden.domain.readers.add(Group.objects.create(name="insiders"))
    made = Shop("notes")
    for shop in (hidden, made):
        for row in suspected(shop, f"{shop.domain}-a", f"{shop.domain}-b"):
            if row.environment.domain == shop.domain:
                make(None, row.episode, 0, "wrong")
    for doubted in Counterexample.objects.filter(environment__slug__endswith="a"):
        retire(None, doubted, "right")
    checked()
    create(None, 2, seed=1, domains=["notes"], name="open")
    create(None, 99, seed=1, domains=["hidden"], name="inside")
    return made


def rows(api: APIClient, path: str) -> list[Any]:
    answer = api.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


@pytest.mark.parametrize("name", LISTS)
def test_lists_and_details_hold_nothing_of_domains_kept_for_others(
    api: APIClient, notes: Shop, name: str
) -> None:
    assert APIClient().get(f"/api/v1/{name}/").status_code == 401
    found = rows(api, f"{name}/?limit=200")
    assert found
    text = api.get(f"/api/v1/{name}/?limit=200").content.decode()
    assert "hidden" not in text
    assert "inside" not in text
    for one in found:
        answer = api.get(f"/api/v1/{name}/{one['id']}/")
        assert answer.status_code == 200
        assert "hidden" not in answer.content.decode()
    assert api.post(f"/api/v1/{name}/", {}).status_code == 405
    assert api.delete(f"/api/v1/{name}/{found[0]['id']}/").status_code == 405


def test_what_is_hidden_is_not_there(api: APIClient, notes: Shop) -> None:
    hidden = {
        "counterexamples": Counterexample.objects.filter(environment__domain__slug="hidden"),
        "certificates": Certificate.objects.filter(environment__domain__slug="hidden"),
        "suspicions": Suspicion.objects.filter(environment__domain__slug="hidden"),
        "audit-samples": AuditSample.objects.filter(name="inside"),
    }
    for name, found in hidden.items():
        assert api.get(f"/api/v1/{name}/{found[0].pk}/").status_code == 404


def test_counterexamples_say_where_they_stand(api: APIClient, notes: Shop) -> None:
    found = {one["environment"]: one for one in rows(api, "counterexamples/")}
    assert {name: one["state"] for name, one in found.items()} == {
        "notes-a": "retired",
        "notes-b": "open",
    }
    (one,) = rows(api, "counterexamples/?state=open&label=person&domain=notes")
    assert (one["code"], one["severity"], one["should"]) == ("goal-blind", "blocking", 0)
    assert rows(api, "counterexamples/?environment=notes-a")[0]["retired_because"] == "right"
    document = api.get(f"/api/v1/counterexamples/{one['id']}/").json()["document"]
    assert document["statuses"] == ["ok", "ok"]
    assert "document" not in one


def test_an_environment_says_what_people_break_it_by(api: APIClient, notes: Shop) -> None:
    row = Counterexample.objects.get(environment__slug="notes-b")
    (one,) = rows(api, "environments/?q=notes-b")
    said = {"id": row.pk, "code": "goal-blind", "name": "llm", "should": 0}
    assert one["counterexamples"] == [said | {"reason": "wrong", "author": None}]
    assert api.get(f"/api/v1/environments/{one['id']}/").json() == one
    (other,) = rows(api, "environments/?q=notes-a")
    assert other["counterexamples"] == []


def test_certificates_are_those_in_force(api: APIClient, notes: Shop) -> None:
    (one,) = rows(api, "certificates/")  # the other is doubted
    assert (one["environment"], one["outdated"], one["witness"]) == ("notes-a", False, "plan")
    assert one["checks"]["static"] > 0
    assert rows(api, "certificates/?environment=notes-b") == []


def test_suspicions_filter(api: APIClient, notes: Shop) -> None:
    found = rows(api, "suspicions/?kind=other-effect&agent=llm&reading=unread&domain=notes")
    assert {one["environment"] for one in found} == {"notes-a", "notes-b"}
    assert rows(api, "suspicions/?reading=wrong") == []
    assert len(rows(api, f"suspicions/?fingerprint={found[0]['fingerprint']}")) == 1


def test_a_sample_says_its_items_and_what_follows(api: APIClient, notes: Shop) -> None:
    for item in AuditItem.objects.filter(sample__name="open"):
        label(None, item, "sound")
    (one,) = rows(api, "audit-samples/")
    assert "items" not in one
    detail = api.get(f"/api/v1/audit-samples/{one['id']}/").json()
    assert [item["verdict"] for item in detail["items"]] == ["sound"]
    assert (
        detail["estimate"]["said"] == "0 defective of 1 read: 0%, all of them"
    )  # the other is doubted


@pytest.mark.parametrize("name", LISTS)
def test_as_many_queries_whatever_the_number_of_rows(
    api: APIClient, notes: Shop, name: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(9):
        rows(api, f"{name}/?limit=200")
