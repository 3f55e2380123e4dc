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


SENT = ["orders/{order.order_id}#to", "log/+1"]
HERE = "get('orders', order.order_id).to == 'here'"
SEND = [FIND, call("send", order_id="{order.order_id}", to="here"), DONE]
SENDING = "I am {user.name}. Send order {order.order_id} here."


def sent(changes: list[str], left_open: str = "send.by") -> set[tuple[str, str, str]]:
    goal = {"require": [HERE], "changes": changes}
    return seen(checked(case(goal, SEND, instruction=SENDING, open=[left_open])))


def test_a_text_that_the_plan_leaves_out_may_be_given() -> None:
    assert sent(SENT) == {("goal-narrow", "warning", "goal open argument")}
    assert ("goal-narrow", "warning", "goal open argument") not in sent([f"{SENT[0]},by", SENT[1]])


def test_what_is_left_out_of_another_tool_says_nothing() -> None:
    assert sent(SENT, "explain.reason") == set()
