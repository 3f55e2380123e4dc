"""worlds.relations.sibling"""

from __future__ import annotations

import pytest

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
        "The goal is still met when set_status (step 1) is aimed at orders/W2, not W1 (it ends "
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


GIVING = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)


def give(order_id: str, user_id: str) -> dict:
    """Give an order to somebody."""
    if db.get("users", user_id) is None:
        raise ValueError("There is no such user.")
    return db.update("orders", order_id, {"user_id": user_id})
'''
GIVE = [FIND, call("give", order_id="{order.order_id}", user_id="{friend.user_id}"), DONE]
FRIEND = {"friend": {"table": "users", "where": "row.user_id != user.user_id"}}
USERS = [{"user_id": name, "name": name.title()} for name in ("ann", "bob", "cid")]


@pytest.mark.parametrize(
    ("require", "is_blind"),
    [
        ("get('orders', order.order_id).user_id != order.user_id", True),
        ("get('orders', order.order_id).user_id == friend.user_id", False),
    ],
)
def test_the_row_that_the_user_named_is_the_one_to_use(require: str, is_blind: bool) -> None:
    made = case(
        {"require": [require], "changes": ["orders/{order.order_id}#user_id"]},
        GIVE,
        source=GIVING,
        records={"tables": {"users": USERS}},
        instruction="I am {user.name}. Give order {order.order_id} to {friend.name}.",
        slots=FRIEND,
    )
    assert seen(checked(made)) == (
        {("goal-blind", "blocking", "goal sibling")} if is_blind else set()
    )


def test_a_row_that_the_user_did_not_name_may_be_any() -> None:
    made = case(
        {
            "require": ["get('orders', order.order_id).user_id != order.user_id"],
            "changes": ["orders/{order.order_id}#user_id"],
        },
        GIVE,
        source=GIVING,
        records={"tables": {"users": USERS}},
        instruction="I am {user.name}. Give order {order.order_id} to anybody.",
        slots=FRIEND,
    )
    assert "goal-blind" not in {code for code, _, _ in seen(checked(made))}
