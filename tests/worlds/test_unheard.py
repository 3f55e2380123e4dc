"""worlds.unheard"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, Whole, checked

FIND, CANCEL, DONE = INTENT["plans"]["default"]
WORDS = "I have found it elsewhere"
LINE = {"when": "said_like('why')", "says": f"Give as the reason: {WORDS}."}
USER: dict[str, Any] = {
    "opens": "Hello, I am {user.name}. Cancel my order {order.order_id}, please."
}


def unheard(say: str, reason: str = WORDS, **user: Any) -> list[tuple[str, str, str]]:
    """What is told of a plan that says this and gives this reason."""
    steps = [FIND, {"say": say}, {**CANCEL, "args": {**CANCEL["args"], "reason": reason}}, DONE]
    intent = {"user": {**USER, "script": [LINE], **user}, "plans": Whole(default=steps)}
    result = checked(intent=intent)
    assert result.status == "solvable", result.findings
    found = [item for item in result.findings if item.code == "argument-ungrounded"]
    return [(item.code, item.severity, item.place) for item in found]


def test_what_only_a_line_says_that_is_never_said_cannot_be_known() -> None:
    assert unheard("May I cancel it?") == [
        ("argument-ungrounded", "warning", "user.script[0].when")
    ]


def test_so_is_a_day_though_others_are_near() -> None:
    line = {**LINE, "says": "Give as the reason: 2025-03-07."}
    assert len(unheard("May I?", "2025-03-07", script=[line])) == 1


@pytest.mark.parametrize(
    ("say", "reason", "more"),
    [
        ("But why?", WORDS, {}),
        ("May I?", WORDS, {"knows": {"reason": WORDS}}),
        ("May I?", WORDS, {"opens": f"{USER['opens']} {WORDS}."}),
        ("May I?", "no longer needed", {}),
        ("May I?", "elsewhere", {}),
    ],
    ids=["heard", "known", "opening", "other words", "a word"],
)
def test_what_is_said_or_worded_is_known(say: str, reason: str, more: dict[str, Any]) -> None:
    assert unheard(say, reason, **more) == []
