"""What a rule's text and clauses show before anybody acts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import RULE, checked
from worlds.check import CheckResult


def shown(result: CheckResult, code: str) -> list[tuple[str, str, str]]:
    return [(i.severity, i.place, i.symbol) for i in result.findings if i.code == code]


def added(sentence: str, **clause: Any) -> dict[str, Any]:
    """The shop's rule with one more sentence, and a clause that quotes it."""
    clauses = [{"id": "more", "quote": sentence, "require": "true", **clause}] if clause else []
    return {
        "text": f"{RULE['text']} {sentence}",
        "clauses": [*RULE["clauses"], *clauses],
    }


def test_a_demand_that_nothing_quotes_is_uncovered() -> None:
    result = checked(rule=added("Refunds must be paid at once. Refunds must be whole."))
    assert shown(result, "clause-uncovered") == [("warning", "text", "text")]
    assert result.findings[0].evidence["sentences"] == [
        "Refunds must be paid at once.",
        "Refunds must be whole.",
    ]
    assert result.status == "solvable"


@pytest.mark.parametrize(
    "rule",
    [
        added("Refunds are paid at once."),
        added("Refunds must be paid at once.", on="end"),
        {**added("Refunds must be paid at once."), "judgement": ["must be paid"]},
    ],
)
def test_what_demands_nothing_or_is_quoted_is_no_finding(rule: dict[str, Any]) -> None:
    assert checked(rule=rule).findings == []


@pytest.mark.parametrize("trigger", ["say", "end"])
def test_a_guard_of_what_nothing_can_stop_is_unenforced(trigger: str) -> None:
    result = checked(rule=added("Be polite.", on=trigger, enforce="guard"))
    assert shown(result, "rule-unenforced") == [("warning", "clauses[2].enforce", "more")]


@pytest.mark.parametrize(
    "clause",
    [{"on": "say"}, {"on": "write", "enforce": "guard"}, {"on": "call", "enforce": "guard"}],
)
def test_an_audit_of_what_is_said_and_a_guard_of_calls_are_enforced(clause: dict[str, str]) -> None:
    assert checked(rule=added("Be polite.", **clause)).findings == []


def test_a_clause_for_a_value_that_the_schema_does_not_allow_is_invalid() -> None:
    when = "table == 'orders' && after.status == 'canceled'"
    result = checked(rule=added("Be polite.", on="write", when=when))
    assert shown(result, "condition-invalid") == [("warning", "clauses[2].when", "clauses[2].when")]
