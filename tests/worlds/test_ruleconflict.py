"""Clauses that demand opposite things of one event."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, RULE, Whole, checked
from worlds.check import CheckResult

QUOTE = RULE["clauses"][0]["quote"]
CALL = {"on": "call", "when": "call.tool == 'cancel_order'"}
WRITE = {"on": "write", "when": "table == 'refunds'"}


def ruled(one: dict[str, Any], other: dict[str, Any], **intent: Any) -> CheckResult:
    clauses = [
        *RULE["clauses"],
        {"id": "one", "quote": QUOTE, **one},
        {"id": "other", "quote": QUOTE, **other},
    ]
    return checked(rule={"clauses": clauses}, intent=intent)


def conflicts(result: CheckResult) -> list[tuple[str, str, str]]:
    return [
        (item.severity, item.place, item.symbol)
        for item in result.findings
        if item.code == "rule-conflict"
    ]


SHOWN = [("blocking", "clauses.one", "one × cancelling/other")]


@pytest.mark.parametrize(
    ("event", "yes", "no"),
    [
        (CALL, "call.args.reason == 'changed'", "call.args.reason == 'broken'"),
        (CALL, "size(call.args.reason) > 3", "size(call.args.reason) <= 3"),
        (WRITE, "after.amount == 20.0", "after.amount > 30.0"),
        ({"on": "say"}, "said_now.contains('Done')", "!said_now.contains('Done')"),
        ({"on": "end"}, "size(said) > 0", "size(said) == 0"),
    ],
)
def test_two_that_never_hold_together_and_both_apply_are_told_once(
    event: dict[str, str], yes: str, no: str
) -> None:
    finish = {"finish": {"answer": {"refund": 20}, "message": "Done."}}
    plans = Whole(default=[*INTENT["plans"]["default"][:2], finish])
    result = ruled({**event, "require": yes}, {**event, "require": no}, plans=plans)
    assert conflicts(result) == SHOWN


def test_a_call_that_one_of_them_guards_is_an_event_too() -> None:
    low = {**WRITE, "require": "after.amount < 20.0", "enforce": "guard"}
    result = ruled(low, {**WRITE, "require": "after.amount >= 20.0"})
    assert conflicts(result) == SHOWN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {**CALL, "require": "call.args.reason == 'changed'"},
            {**CALL, "require": "call.args.reason != 'broken'"},
        ),
        (
            {**CALL, "require": "call.args.reason == 'changed'"},
            {
                "on": "call",
                "when": "call.tool == 'set_status'",
                "require": "call.args.reason == 'x'",
            },
        ),
        (
            {**CALL, "require": "call.args.reason == 'changed'"},
            {**CALL, "require": "call.args.reason == 'broken'", "unless": ["one"]},
        ),
        (
            {**CALL, "require": "call.args.reason == 'odd'"},
            {**CALL, "require": "call.args.reason == 'broken'"},
        ),
    ],
    ids=["may both hold", "never on one call", "one takes precedence", "neither holds"],
)
def test_what_is_no_contradiction_on_one_event_is_silent(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert conflicts(ruled(one, other)) == []
