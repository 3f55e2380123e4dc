"""worlds.relations.twice"""

from __future__ import annotations

from tests.worlds.relations.cases import DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("add_fee", order_id="{order.order_id}"), DONE]
CHANGES = ["orders/{order.order_id}#total"]
ASKED = "I am {user.name}. Add the fee of 1 to order {order.order_id}."


def test_a_goal_that_bounds_from_one_side_only_is_blind() -> None:
    more = "get('orders', order.order_id).total > order.total"
    result = checked(case({"require": [more], "changes": CHANGES}, PLAN, instruction=ASKED))
    assert seen(result) == {("goal-blind", "blocking", "goal twice")}
    assert result.findings[0].message == (
        "The goal is still met when step 1, add_fee, is carried out twice (it ends otherwise at "
        "orders/W1#total)."
    )


def test_a_goal_that_says_how_much_is_not() -> None:
    exactly = "get('orders', order.order_id).total == order.total + 1.0"
    made = case({"require": [exactly], "changes": CHANGES}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


LOGGING = '''
def log(order_id: str) -> dict:
    """Note that somebody asked."""
    return db.insert("log", {"log_id": db.next_id("log", "L"), "order_id": order_id})


def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)
'''


def test_more_new_rows_than_the_plan_makes_are_no_fault_where_the_goal_allows_them() -> None:
    plan = [FIND, call("log", order_id="{order.order_id}"), DONE]
    asked = "Note that somebody asked for {order.order_id}, once or twice."
    require = ["find('log', {'order_id': order.order_id}).size() > 0"]
    made = case(
        {"require": require, "changes": ["log/+2"]}, plan, source=LOGGING, instruction=asked
    )
    assert seen(checked(made)) == set()
    made = case(
        {"require": require, "changes": ["log/+1"]}, plan, source=LOGGING, instruction=asked
    )
    assert seen(checked(made)) == set()
