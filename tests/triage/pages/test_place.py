from __future__ import annotations

import pytest

from components.models import Component, Domain
from triage.models import Finding
from triage.pages.place import (
    clause_url,
    component_url,
    finding_url,
    invariant_url,
    place_url,
    row_url,
)


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


def test_an_invariant_is_found_in_the_contract_by_its_id() -> None:
    found = invariant_url(Domain(slug="d"), "total positive")
    assert found == "/components/d/domain/domain/#invariants.total%20positive"


def test_a_row_is_found_by_its_table_and_key() -> None:
    component = Component(domain=Domain(slug="d"), kind="records", slug="c")
    assert row_url(component, "orders", "#W1") == "/components/d/records/c/?table=orders&row=%23W1"


@pytest.mark.parametrize(
    ("kind", "place", "evidence", "expected"),
    [
        ("toolserver", "book_room", {"line": 388}, "#L388"),
        ("toolserver", "book_room:41", {"line": 388}, "#L41"),
        ("toolserver", "book_room", {}, ""),
        ("rule", "clauses[0]", {"line": 388}, "#clauses%5B0%5D"),
    ],
)
def test_a_finding_about_a_tool_leads_to_the_line_that_its_evidence_has(
    kind: str, place: str, evidence: dict[str, int], expected: str
) -> None:
    component = Component(domain=Domain(slug="d"), kind=kind, slug="c")
    finding = Finding(component=component, kind=kind, place=place, evidence=evidence)
    assert finding_url(finding) == f"/components/d/{kind}/c/{expected}"


def test_a_finding_about_nobody_leads_nowhere() -> None:
    assert finding_url(Finding(place="x", evidence={})) == ""
