"""worlds.relations.named"""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("cancel_order", order_id="{order.order_id}", reason="moved away"), DONE]
CHANGES = ["orders/{order.order_id}#status,reason", "refunds/+1"]
ASKED = "I am {user.name}. Cancel order {order.order_id}; the reason is that I have moved away."
OTHER = "reason of cancel_order (step 1) is 'moved awaz', though the user named 'moved away'"
REASON = "get('orders', order.order_id).reason"


def found(*require: str, asked: str = ASKED, **intent: Any) -> tuple[set[Any], list[str]]:
    goal = {"require": [CANCELLED, *require], "changes": CHANGES}
    result = checked(case(goal, PLAN, instruction=asked, **intent))
    return seen(result), [item.message for item in result.findings]


def test_a_goal_that_forgets_a_value_that_the_user_named_is_blind_and_that_is_a_warning() -> None:
    symbols, messages = found()
    assert symbols == {("goal-blind", "warning", "goal other value")}
    assert messages == [
        f"The goal is still met when {OTHER} (it ends otherwise at orders/W1#reason)."
    ]


def test_a_goal_that_asks_for_it_is_not() -> None:
    assert found(f"{REASON} == 'moved away'") == (set(), [])


@pytest.mark.parametrize(
    "given",
    [
        {"open": ["cancel_order.reason"]},
        {"asked": "I am {user.name}. Cancel order {order.order_id}."},
        {"fields": {"reason": {"type": "string", "x-text": True}}},
    ],
)
def test_a_value_that_is_left_open_that_nobody_named_or_of_which_only_the_meaning_counts_may_be_any(
    given: dict[str, Any],
) -> None:
    assert found(**given) == (set(), [])


def test_what_the_user_says_when_asked_is_named_too() -> None:
    user = {"knows": {"reason": "moved away"}}
    symbols, _ = found(asked="I am {user.name}. Cancel order {order.order_id}.", user=user)
    assert symbols == {("goal-blind", "warning", "goal other value")}
