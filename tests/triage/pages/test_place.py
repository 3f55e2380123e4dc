from __future__ import annotations

import pytest

from components.models import Component, Domain
from triage.pages.place import clause_url, component_url, place_url


@pytest.mark.parametrize(
    ("kind", "place", "expected"),
    [
        ("toolserver", "book_room:41", "#L41"),
        ("toolserver", "41", "#L41"),
        ("toolserver", "book_room", ""),
        ("intent", "goal.require[0]", "#goal.require%5B0%5D"),
        ("intent", "", ""),
        ("records", "orders/#W1#status", "?table=orders&row=%23W1"),
        ("records", "orders/plain", "?table=orders&row=plain"),
        ("records", "orders/a/b#f", "?table=orders&row=a%2Fb"),
        ("records", "orders", "?table=orders"),
        ("records", "", ""),
    ],
)
def test_leads_to_the_place_in_the_component(kind: str, place: str, expected: str) -> None:
    component = Component(domain=Domain(slug="d"), kind=kind, slug="c")
    assert place_url(component, place) == f"/components/d/{kind}/c/{expected}"


def test_a_version_stays_in_the_address() -> None:
    component = Component(domain=Domain(slug="d"), kind="records", slug="c")
    assert component_url(component, 3) == "/components/d/records/c/?version=3"
    assert place_url(component, "t/k", 3).endswith("?version=3&table=t&row=k")


def test_a_clause_is_found_in_its_rule_by_its_id() -> None:
    found = clause_url(Domain(slug="d"), "refunds/within-a-week")
    assert found == "/components/d/rule/refunds/#clauses.within-a-week"
