"""worlds.wording"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, RECORDS, RULE, Whole, checked
from worlds.check import CheckResult

WORDS = "Your order has been cancelled"
DAY = "Monday, 2 March 2026, at 10:00"


def mentioning(text: str, said: str = "", **changes: Any) -> CheckResult:
    """The check of the shop's intent where its plan's last words are a fact to be stated."""
    *steps, last = INTENT["plans"]["default"]
    finish = {**last["finish"], "message": said or text}
    intent = {
        **changes.pop("intent", {}),
        "goal": {"mentions": [text]},
        "plans": Whole(default=[*steps, {"finish": finish}]),
    }
    return checked(intent=intent, **changes)


def narrow(result: CheckResult) -> list[tuple[str, str, str]]:
    assert result.status == "solvable", result.findings
    found = [item for item in result.findings if item.code == "goal-narrow"]
    return [(item.severity, item.place, item.symbol) for item in found]


def test_a_fact_that_is_only_a_wording_is_a_warning() -> None:
    result = mentioning(WORDS, f"{WORDS}. Bye!")
    assert narrow(result) == [("warning", "goal.mentions[0]", "goal wording")]
    (found,) = (item for item in result.findings if item.code == "goal-narrow")
    assert repr(WORDS) in found.message


@pytest.mark.parametrize("text", ["cancelled", "order is cancelled", "20", "{user.name}"])
def test_few_words_and_values_are_facts(text: str) -> None:
    assert narrow(mentioning(text)) == []


def test_a_day_of_many_words_is_a_fact() -> None:
    intent = {"instruction": f"{INTENT['instruction']} I ordered it on 2026-03-02T10:00."}
    assert narrow(mentioning(DAY, intent=intent)) == []


def test_what_the_user_says_can_be_repeated() -> None:
    intent = {
        "instruction": f"{INTENT['instruction']} Tell me then: “your order has been cancelled”."
    }
    assert narrow(mentioning(WORDS, intent=intent)) == []


def test_what_a_row_says_can_be_read() -> None:
    orders = [dict(row, reason=WORDS) for row in RECORDS["tables"]["orders"]]
    assert narrow(mentioning(WORDS, records={"tables": {"orders": orders}})) == []


def test_words_that_a_rule_dictates_are_given_and_the_policy_itself_is_not() -> None:
    dictated = {"text": f"{RULE['text']} Whoever cancels says: {WORDS}."}
    assert narrow(mentioning(WORDS, rule=dictated)) == []
    policy = "Only pending orders can be cancelled"
    assert len(narrow(mentioning(policy))) == 1
