"""worlds.relations.extrafield"""

from __future__ import annotations

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled."
OTHERS = (
    "['W2', 'W3'].all(key, !changed('orders', key)) && ['ann', 'bob'].all(key, !changed('users', key))"
    " && count('refunds') == 0 && count('log') == 0 && count('orders') == 3 && count('users') == 2"
)


def test_a_goal_that_guards_the_other_rows_only_is_blind() -> None:
    result = checked(case({"require": [CANCELLED, OTHERS]}, PLAN, instruction=ASKED))
    assert seen(result) == {("goal-blind", "blocking", "goal extra field")}
    assert result.findings[0].message == (
        "The goal is still met when add_fee(order_id: W1) is called too (it ends otherwise at "
        "orders/W1#total)."
    )


def test_a_goal_that_says_which_fields_may_change_is_not() -> None:
    changes = ["orders/{order.order_id}#status"]
    made = case({"require": [CANCELLED], "changes": changes}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


def test_fields_that_may_all_change_are_declared_so() -> None:
    changes = ["orders/{order.order_id}"]
    made = case({"require": [CANCELLED], "changes": changes}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


OPTIONAL = '''
def find_order(order_id: str) -> dict:
    """Read an order."""
    return db.get("orders", order_id)


def cancel(order_id: str, reason: str = "") -> dict:
    """Cancel an order."""
    said = {"reason": reason} if reason else {}
    return db.update("orders", order_id, {"status": "cancelled", **said})
'''


def test_an_argument_that_may_be_left_out_is_set() -> None:
    plan = [FIND, call("cancel", order_id="{order.order_id}"), DONE]
    made = case({"require": [CANCELLED, OTHERS]}, plan, source=OPTIONAL, instruction=ASKED)
    result = checked(made)
    assert seen(result) == {("goal-blind", "blocking", "goal extra field")}
    assert "cancel (step 1) is given reason: " in result.findings[0].message


def test_where_no_tool_sets_it_an_edit_does_and_that_is_a_warning() -> None:
    plan = [FIND, call("cancel", order_id="{order.order_id}"), DONE]
    source = OPTIONAL.replace(', reason: str = ""', "").replace("if reason else {}", "")
    source = source.replace('    said = {"reason": reason} \n', "").replace(", **said", "")
    made = case({"require": [CANCELLED, OTHERS]}, plan, source=source, instruction=ASKED)
    assert seen(checked(made)) == {("goal-blind", "warning", "goal extra field")}
