"""worlds.relations.opened"""

from __future__ import annotations

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen

PLAN = [
    FIND,
    call("cancel_order", order_id="{order.order_id}", reason="no need"),
    DONE,
]
CHANGES = ["orders/{order.order_id}#status,reason", "refunds/+1"]
ASKED = "I am {user.name}. Cancel order {order.order_id}: no need."
REASON = "get('orders', order.order_id).reason == 'no need'"


def test_a_goal_that_asks_for_what_the_intent_leaves_open_is_narrow() -> None:
    goal = {"require": [CANCELLED, REASON], "changes": CHANGES}
    result = checked(case(goal, PLAN, instruction=ASKED, open=["cancel_order.reason"]))
    assert seen(result) == {("goal-narrow", "warning", "goal open argument")}
    (found,) = result.findings
    assert found.place == "goal.require[1]"
    assert "reason of cancel_order (step 1), which the intent leaves open, is " in found.message


def test_a_goal_that_takes_any_is_not() -> None:
    goal = {"require": [CANCELLED], "changes": CHANGES}
    made = case(goal, PLAN, instruction=ASKED, open=["cancel_order.reason"])
    assert seen(checked(made)) == set()


def test_what_is_not_left_open_may_be_asked_for() -> None:
    goal = {"require": [CANCELLED, REASON], "changes": CHANGES}
    assert seen(checked(case(goal, PLAN, instruction=ASKED))) == set()
