"""worlds.relations.stray"""

from __future__ import annotations

from tests.worlds.relations.cases import DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled."
WHOLE = (
    "get('orders', order.order_id).status == 'cancelled' && get('orders', order.order_id).total == order.total"
    " && get('orders', order.order_id).user_id == order.user_id && !has(get('orders', order.order_id).reason)"
    " && !has(get('orders', order.order_id).to) && !has(get('orders', order.order_id).by)"
    " && !has(get('orders', order.order_id).tags) && !has(get('orders', order.order_id).colours)"
)


def test_a_goal_that_says_nothing_of_the_rest_is_blind() -> None:
    result = checked(case({"require": [WHOLE]}, PLAN, instruction=ASKED))
    assert seen(result) == {("goal-blind", "blocking", "goal stray write")}
    (found,) = result.findings
    assert found.message == (
        "The goal is still met when set_status(order_id: W2, status: cancelled) is called too (it ends "
        "otherwise at orders/W2#status)."
    )
    assert found.evidence["call"] == {
        "tool": "set_status",
        "args": {"order_id": "W2", "status": "cancelled"},
    }


def test_a_goal_that_says_what_may_change_is_not() -> None:
    changes = ["orders/{order.order_id}#status"]
    made = case({"require": [WHOLE], "changes": changes}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


def test_rows_that_may_all_change_are_declared_so() -> None:
    made = case({"require": [WHOLE], "changes": ["orders/*"]}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


READING = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)
'''
ANSWER = {"total": {"type": "number", "equals": "order.total"}}
TELL = [{**FIND, "as": "found"}, {"finish": {"answer": {"total": "{found.total}"}}}]
QUESTION = "I am {user.name}. What does order {order.order_id} cost?"


def test_where_no_tool_writes_an_edit_does_and_that_is_a_warning() -> None:
    result = checked(case({"answer": ANSWER}, TELL, source=READING, instruction=QUESTION))
    assert seen(result) == {("goal-blind", "warning", "goal stray write")}
    assert "No tool was found that does it" in result.findings[0].message


def test_a_question_after_which_nothing_may_have_changed_is_sound() -> None:
    goal = {"answer": ANSWER, "changes": []}
    assert seen(checked(case(goal, TELL, instruction=QUESTION))) == set()


def test_a_question_that_lets_everything_change_is_blind() -> None:
    result = checked(case({"answer": ANSWER}, TELL, instruction=QUESTION))
    assert seen(result) == {("goal-blind", "blocking", "goal stray write")}
