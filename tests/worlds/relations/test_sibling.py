"""worlds.relations.sibling"""

from __future__ import annotations

from tests.worlds.relations.cases import DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled."
ONE = "find('orders', {'status': 'cancelled'}).size() == 1"


def test_a_goal_that_counts_rows_and_names_none_is_blind() -> None:
    made = case({"require": [ONE], "changes": ["orders/*"]}, PLAN, instruction=ASKED)
    result = checked(made)
    assert seen(result) == {("goal-blind", "blocking", "goal sibling")}
    (found,) = result.findings
    assert found.message == (
        "The goal is still met when set_status (step 1) is aimed at orders/W2 instead of W1 (it ends "
        "otherwise at orders/W1#status, orders/W2#status)."
    )
    keys = [action["args"]["order_id"] for action in found.evidence["actions"][:-1]]
    assert keys == ["W2", "W2"]


def test_a_goal_that_names_the_row_is_not() -> None:
    named = "get('orders', order.order_id).status == 'cancelled'"
    made = case({"require": [ONE, named], "changes": ["orders/*"]}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


def test_an_argument_that_is_left_open_may_name_any_row() -> None:
    made = case(
        {"require": [ONE], "changes": ["orders/*"]},
        [PLAN[1], DONE],
        instruction="I am {user.name}. Set any pending order to cancelled.",
        open=["set_status.order_id"],
    )
    found = seen(checked(made))
    assert ("goal-blind", "blocking", "goal sibling") not in found


FIXED = '''
def cancel_first() -> dict:
    """Cancel the first order."""
    return db.update("orders", "W1", {"status": "cancelled"})


def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)
'''


def test_where_no_tool_reaches_a_sibling_an_edit_does_and_that_is_a_warning() -> None:
    made = case(
        {"require": [ONE], "changes": ["orders/*"]},
        [FIND, call("cancel_first"), DONE],
        source=FIXED,
        instruction="I am {user.name}. Cancel order {order.order_id}.",
    )
    result = checked(made)
    assert seen(result) == {("goal-blind", "warning", "goal sibling")}
    assert result.findings[0].message == (
        "The goal is still met when orders/W2 is changed instead of orders/W1 (it ends otherwise at "
        "orders/W1#status, orders/W2#status). No tool was found that does it, so it was edited."
    )
    assert result.status == "solvable"
