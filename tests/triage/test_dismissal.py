"""Counterexamples of relations follow what people say of the findings beside them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from components.models import AuditEntry, Environment
from tests.triage.shop import Shop
from tests.triage.test_counterexamples import checked, state
from triage.counterexamples import retire
from triage.labelling import label
from triage.models import Counterexample, Finding


def blind(shop: Shop, slug: str) -> Environment:
    """An environment whose goal asks for one of the two notes that its plan writes, which relations find."""
    write: list[dict[str, Any]] = [
        {"call": "write", "args": {"note_id": note, "text": slug}} for note in ("N1", "N2")
    ]
    require = [f"get('notes', 'N1').text == '{slug}'"]
    plan = [*write, {"finish": {"outcome": "done"}}]
    return shop.environment(slug, plan, require, ["notes/N1#text", "notes/N2#text"])


@pytest.fixture
def found(shop: Shop) -> Finding:
    """The finding of a relation, with a counterexample of its own."""
    blind(shop, "a")
    blind(shop, "b")
    checked()
    return Finding.objects.get(code="goal-blind", slug="a")


def own(slug: str = "a") -> Counterexample:
    return Counterexample.objects.get(environment__slug=slug)


def test_it_says_what_its_finding_says(found: Finding) -> None:
    row = own()
    assert (row.code, row.reason) == (found.code, found.message)


def test_a_relation_has_its_own_code(found: Finding) -> None:
    row = own()
    assert row.name == found.evidence["relation"]
    codes = {}
    for name in ("other order", "other spelling", "inserted read"):
        row.name, row.should = name, 1
        codes[name] = row.code
    assert list(codes.values()) == ["order-sensitive", "spelling-sensitive", "goal-narrow"]


def test_a_finding_labelled_wrong_retires_it_and_right_brings_it_back(
    found: Finding, reviewer: User, curator: User
) -> None:
    label(reviewer, found, is_right=False, reason="any note will do")
    row = own()
    assert state(row) == "retired"
    assert (row.retired_by, row.retired_because) == (
        reviewer,
        "labelled wrong by reviewer: any note will do",
    )
    assert row.reason == found.message
    assert state(own("b")) == "open"
    label(curator, found, is_right=True)
    row = own()
    assert (state(row), row.retired_by, row.retired_because) == ("open", None, "")
    actions = AuditEntry.objects.filter(action__startswith="counterexample").order_by("pk")
    assert [(one.action, one.actor) for one in actions] == [
        ("counterexample.retire", reviewer),
        ("counterexample.restore", curator),
    ]


def test_what_a_person_retired_no_label_brings_back(found: Finding, reviewer: User) -> None:
    retire(reviewer, own(), "mistaken")
    label(reviewer, found, is_right=True)
    assert own().retired_because == "mistaken"


def test_what_was_labelled_before_it_was_found_again_is_retired_at_once(
    shop: Shop, found: Finding, reviewer: User
) -> None:
    label(reviewer, found, is_right=False, reason="any note will do")
    first = own().environment
    again = Environment.objects.create(domain=shop.domain, slug="again", seed=7)
    for part in first.parts.all():
        part.pk, part.environment = None, again
        part.save()
    checked()
    row = own("again")
    assert (state(row), row.retired_by) == ("retired", reviewer)
