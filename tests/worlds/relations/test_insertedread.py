"""worlds.relations.insertedread"""

from __future__ import annotations

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]
CHANGES = ["orders/{order.order_id}#status"]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled."
SLOW = {"clock": {"per_call": "PT10M"}}


def test_a_goal_that_leaves_no_time_to_look_twice_is_narrow() -> None:
    in_time = "now() <= '2025-03-01T09:25'"
    made = case(
        {"require": [CANCELLED, in_time], "changes": CHANGES}, PLAN, records=SLOW, instruction=ASKED
    )
    result = checked(made)
    assert seen(result) == {("goal-narrow", "warning", "goal inserted read")}
    (found,) = result.findings
    assert found.place == "goal.require[1]"
    assert found.message == (
        "The goal is missed when find_order(order_id: W1) is called too, before the finish, which only "
        f"reads: “{in_time}” is not met: the final state does not satisfy it."
    )


def test_a_goal_with_time_to_spare_is_not() -> None:
    in_time = "now() <= '2025-03-01T10:00:00'"
    made = case(
        {"require": [CANCELLED, in_time], "changes": CHANGES}, PLAN, records=SLOW, instruction=ASKED
    )
    assert seen(checked(made)) == set()
