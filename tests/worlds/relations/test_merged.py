"""worlds.relations.merged"""

from __future__ import annotations

from typing import Any

from tests.worlds.relations.cases import DONE, FIND, call, case, checked, seen

MERGED = "steps 1 and 2, both send, are made as one call"
UNMET = "the final state does not satisfy it"
ROW = "get('orders', order.order_id)"
SENT = f"{ROW}.to == 'Paris' && {ROW}.by == 'train'"
PLAN = [
    FIND,
    call("send", order_id="{order.order_id}", to="Paris"),
    call("send", order_id="{order.order_id}", by="train"),
    DONE,
]
ASKED = "I am {user.name}. Send order {order.order_id} to Paris, by train."
CHANGES = ["orders/{order.order_id}#to,by"]


def found(*require: str) -> tuple[set[Any], list[str]]:
    goal = {"require": [SENT, *require], "changes": CHANGES}
    result = checked(case(goal, PLAN, domain={"volatile": ["log/*"]}, instruction=ASKED))
    return seen(result), [item.message for item in result.findings]


def test_a_goal_that_counts_the_calls_is_narrow() -> None:
    symbols, messages = found("count('log') >= 2")
    assert symbols == {("goal-narrow", "warning", "goal merged updates")}
    assert messages == [
        f"The goal is missed when {MERGED}: “count('log') >= 2” is not met: {UNMET}."
    ]


def test_a_goal_that_asks_for_what_comes_of_them_is_not() -> None:
    assert found() == (set(), [])
