"""triage.proposers.contract"""

from __future__ import annotations

from typing import Any

import pytest

from tests.triage.proposers.brokenshop import broken, first, proposed
from tests.worlds.shop import Whole
from triage.proposers import contract

REASONED = {
    "id": "reasoned",
    "text": "A cancelled order says why.",
    "table": "orders",
    "require": "row.status != 'cancelled' || has(row.reason)",
}


def field(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"tables": {"orders": {"schema": {"properties": {name: Whole(schema)}}}}}


@pytest.mark.parametrize(
    ("name", "faulty", "meant"),
    [
        ("total", {"type": "string"}, {"type": "number"}),
        ("total", {"type": "number", "maximum": 10}, {"type": "number"}),
        ("order_id", {"type": "string", "pattern": "^[0-9]+$"}, {"type": "string"}),
        ("status", {"enum": ["delivered", "cancelled"]}, {"enum": ["delivered", "cancelled", "pending"]}),
    ],
)  # fmt: skip
def test_a_schema_takes_what_rows_say(name: str, faulty: Any, meant: Any) -> None:
    case = broken("domain", domain=field(name, faulty))
    said = first(contract.propose, case)["tables"]["orders"]["schema"]["properties"][name]
    assert said == meant


def test_an_invariant_that_sound_rows_break_says_what_its_text_does() -> None:
    faulty = {**REASONED, "require": f"!({REASONED['require']})"}
    case = broken("domain", "reasoned", domain={"invariants": [faulty]})
    assert first(contract.propose, case)["invariants"][0]["require"] == REASONED["require"]


def test_a_reference_leads_to_the_table_that_has_what_is_named() -> None:
    references = [{"from": "user_id", "to": "refunds"}]
    case = broken("domain", domain={"tables": {"orders": {"references": references}}})
    assert first(contract.propose, case)["tables"]["orders"]["references"] == [
        {"from": "user_id", "to": "users"}
    ]


def test_a_key_is_the_field_that_tells_rows_apart() -> None:
    case = broken("domain", domain={"tables": {"users": {"key": "name"}}})
    assert first(contract.propose, case)["tables"]["users"]["key"] == "user_id"


def test_what_a_goal_counts_is_no_longer_volatile() -> None:
    case = broken("domain", domain={"volatile": ["refunds/*"]})
    candidate = proposed(contract.propose, case)[0]
    assert "volatile" not in first(contract.propose, case)
    assert "volatile" in candidate.authority


def test_where_rows_and_contract_agree_nothing_is_proposed() -> None:
    case = broken("domain", intent={"goal": {"outcome": "refused"}})
    assert not proposed(contract.propose, case)
