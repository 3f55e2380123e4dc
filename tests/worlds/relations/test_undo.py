"""worlds.relations.undo"""

from __future__ import annotations

from tests.worlds.relations.cases import CANCELLED, DONE, FIND, call, case, checked, seen

PLAN = [
    FIND,
    call("set_status", order_id="{order.order_id}", status="cancelled"),
    call("rename", user_id="{user.user_id}", name="{user.name} (away)"),
    DONE,
]
CHANGES = ["orders/{order.order_id}#status", "users/{user.user_id}#name"]
ASKED = "I am {user.name}. Set order {order.order_id} to cancelled, and put after my name that I am away."


def test_a_goal_that_forgets_one_of_two_wishes_is_blind() -> None:
    made = case({"require": [CANCELLED], "changes": CHANGES}, PLAN, instruction=ASKED)
    result = checked(made)
    assert seen(result) == {("goal-blind", "blocking", "goal undo")}
    (found,) = result.findings
    assert found.message == (
        "The goal is still met when step 2, rename, is left out (it ends otherwise at users/ann#name)."
    )
    assert found.place == "goal"
    assert (found.evidence["relation"], found.evidence["step"]) == ("undo", 2)
    assert [action["tool"] for action in found.evidence["actions"][:-1]] == [
        "find_order",
        "set_status",
    ]


def test_a_goal_that_asks_for_both_is_not() -> None:
    named = "get('users', user.user_id).name == user.name + ' (away)'"
    made = case({"require": [CANCELLED, named], "changes": CHANGES}, PLAN, instruction=ASKED)
    assert seen(checked(made)) == set()


def test_a_write_that_another_one_overwrites_is_no_wish() -> None:
    named = "get('users', user.user_id).name == user.name + ' (away)'"
    first = [FIND, call("rename", user_id="{user.user_id}", name="Annie"), *PLAN[1:]]
    asked = f"{ASKED} I was called Annie once."
    made = case({"require": [CANCELLED, named], "changes": CHANGES}, first, instruction=asked)
    assert seen(checked(made)) == set()
