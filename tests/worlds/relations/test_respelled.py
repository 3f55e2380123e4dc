"""worlds.relations.respelled"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen
from tests.worlds.shop import RECORDS

PLAN = [FIND, call("cancel_order", order_id="{order.order_id}", reason="no need"), DONE]
CHANGES = ["orders/{order.order_id}#status,reason", "refunds/+1"]
ASKED = "I am {user.name}. Cancel order {order.order_id}: no need."
ORDERS = RECORDS["tables"]["orders"]
REASON = "get('orders', order.order_id).reason"
TEXT = {"reason": {"type": "string", "x-text": True}}
CASELESS = {"reason": {"type": "string", "x-caseless": True}}


def found(require: str, fields: dict[str, Any], goal: dict[str, Any] | None = None) -> set[Any]:
    made = {"require": [CANCELLED, require], "changes": CHANGES, **(goal or {})}
    return seen(checked(case(made, PLAN, fields=fields, instruction=ASKED)))


def test_a_goal_that_asks_for_the_words_of_a_free_text_is_narrow() -> None:
    assert found(f"{REASON} == 'no need'", TEXT) == {("goal-narrow", "warning", "goal other words")}


def test_words_that_the_agent_was_given_in_quotes_may_be_asked_for() -> None:
    made = {"require": [CANCELLED, f"{REASON} == 'no need'"], "changes": CHANGES}
    asked = "I am {user.name}. Cancel order {order.order_id} and give 'no need' as the reason."
    assert seen(checked(case(made, PLAN, fields=TEXT, instruction=asked))) == set()


def test_a_pinned_effect_asks_for_them_too() -> None:
    assert found("true", TEXT, {"matches_plan": True}) == {
        ("goal-narrow", "warning", "goal other words")
    }


@pytest.mark.parametrize("require", [f"{REASON} != ''", f"{REASON}.contains('no need')"])
def test_a_goal_that_asks_for_some_words_is_not(require: str) -> None:
    assert found(require, TEXT) == set()


def test_a_goal_that_asks_for_the_case_of_a_text_without_one_is_sensitive_to_spelling() -> None:
    made = {"require": [CANCELLED, f"{REASON} == 'no need'"], "changes": CHANGES}
    result = checked(case(made, PLAN, fields=CASELESS, instruction=ASKED))
    assert seen(result) == {("spelling-sensitive", "warning", "goal other case")}
    assert result.findings[0].message == (
        "The goal is missed when a text for cancel_order (step 1) is in other case: 'NO NEED': "
        f"“{REASON} == 'no need'” is not met: the final state does not satisfy it."
    )


def test_a_goal_that_compares_in_small_letters_is_not() -> None:
    assert found(f"lower({REASON}) == 'no need'", CASELESS) == set()


def test_a_text_that_is_declared_to_be_nothing_special_may_be_asked_for() -> None:
    assert found(f"{REASON} == 'no need'", {}) == set()


@pytest.mark.parametrize(("noted", "codes"), [("no need", set()), ("No need", {"goal other case"})])
def test_a_text_that_stands_in_the_records_is_copied_and_not_spelled(
    noted: str, codes: set[str]
) -> None:
    made = {"require": [CANCELLED, f"{REASON} == 'no need'"], "changes": CHANGES}
    other = {"order_id": "W9", "user_id": "bob", "status": "cancelled", "total": 1, "reason": noted}
    whole = case(
        made,
        PLAN,
        fields=CASELESS,
        instruction=ASKED,
        records={"tables": {"orders": [*ORDERS, other]}},
    )
    assert {symbol for _, _, symbol in seen(checked(whole))} == codes
