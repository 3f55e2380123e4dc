"""What the reference's episode shows of its plan: causes are told, their consequences are not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worlds.shop import INTENT, SOURCE, Whole, checked
from worlds.check import CheckResult

PLAN = INTENT["plans"]["default"]
LOST = {"call": "find_order", "args": {"order_id": "W9"}, "as": "found"}


def planned(*steps: dict[str, Any], **intent: Any) -> CheckResult:
    return checked(intent={"plans": Whole(default=list(steps)), **intent})


def found(result: CheckResult) -> list[tuple[str, str, str]]:
    return [(item.code, item.severity, item.place) for item in result.findings]


def test_a_step_that_names_what_a_good_call_did_not_give_is_the_only_finding() -> None:
    cancel = {"call": "cancel_order", "args": {"order_id": "{found.id}", "reason": "x"}}
    result = planned(PLAN[0], cancel, PLAN[2])
    assert found(result) == [("name-unknown", "blocking", "plans.default[1]")]
    assert "{found.id} cannot be filled" in result.findings[0].message


def test_the_same_name_lacking_twice_is_told_once() -> None:
    cancel = {"call": "cancel_order", "args": {"order_id": "{found.id}", "reason": "x"}}
    again = {"say": "I cancel {found.id}."}
    assert found(planned(PLAN[0], cancel, again, PLAN[2])) == [
        ("name-unknown", "blocking", "plans.default[1]")
    ]


def test_what_a_refused_call_could_not_give_is_a_consequence() -> None:
    result = planned(LOST, *PLAN[1:])
    assert found(result) == [("plan-refused", "blocking", "plans.default[0]")]


REFUNDED = {"require": ["get('refunds', 'R1').amount > 1.0"]}
"""It fails with an error where the plan made no refund."""


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([{**PLAN[1], "args": {"order_id": "W9", "reason": "x"}}, PLAN[2]], "plan-refused"),
        ([{"call": "cancel_order", "args": {"order_id": "W1", "reason": 7}}], "arguments-invalid"),
        ([PLAN[0], {**PLAN[1], "args": {"order_id": "{found.id}", "reason": "x"}}], "name-unknown"),
    ],
    ids=["refused", "invalid", "lacking"],
)
def test_a_goal_that_fails_since_the_plan_did_is_a_consequence(
    steps: list[dict[str, Any]], code: str
) -> None:
    finish = {"finish": {"outcome": "done", "answer": {"refund": 20}}}
    result = planned(*[step for step in steps if "call" in step], finish, goal=REFUNDED)
    assert [item.code for item in result.findings] == [code]


def test_a_goal_that_fails_when_the_tool_crashed_is_a_consequence() -> None:
    result = checked(
        intent={"goal": REFUNDED}, source=SOURCE.replace('order["total"]', 'order["x"]')
    )
    assert "tool-crash" in [item.code for item in result.findings]
    assert "condition-invalid" not in [item.code for item in result.findings]


def test_a_goal_that_fails_after_a_whole_plan_is_to_blame() -> None:
    goal = {"require": ["get('refunds', 'R9').amount > 1.0"]}
    assert ("condition-invalid", "blocking", "goal.require[0]") in found(planned(*PLAN, goal=goal))


def test_a_field_that_the_schema_allows_and_the_bound_row_lacks_is_named_at_its_step() -> None:
    say = {"say": "Because {order.reason}."}
    assert found(planned(say, *PLAN)) == [("name-unknown", "blocking", "plans.default[0]")]


def test_a_name_that_nobody_gives_is_told_once_by_the_static_stage() -> None:
    result = planned({"say": "I see {fuond.total}."}, *PLAN)
    assert found(result) == [("name-unknown", "blocking", "plans.default[0].say")]


def test_a_name_given_again_by_a_good_call_is_found() -> None:
    result = planned(LOST, *PLAN)
    assert found(result) == [("plan-refused", "warning", "plans.default[0]")]


def _scripted(when: str) -> CheckResult:
    script = [{"when": when, "says": "No."}]
    return planned({"say": "Hello."}, *PLAN, user={"script": script})


def test_a_line_of_the_user_that_fails_when_the_plan_speaks_is_invalid() -> None:
    result = _scripted("history[0].tool == 'cancel_order'")
    assert found(result) == [("condition-invalid", "blocking", "user.script[0].when")]


def test_a_line_of_the_user_that_can_be_decided_on_is_not() -> None:
    assert found(_scripted("size(history) > 0 && history[0].tool == 'cancel_order'")) == []


def test_a_look_up_that_fails_since_the_user_gives_a_wrong_name_first_is_as_it_should_be() -> None:
    brief = "You say that it is order W9 first. Then you correct yourself."
    assert found(planned(LOST, *PLAN, user={"brief": brief})) == []


def test_a_look_up_of_what_the_user_does_not_say_is_the_plans_own_mistake() -> None:
    result = planned(LOST, *PLAN, user={"brief": "You want your order to be cancelled."})
    assert found(result) == [("plan-refused", "warning", "plans.default[0]")]


def test_a_refusal_that_the_users_script_waits_for_is_as_it_should_be() -> None:
    lost = {"call": "cancel_order", "args": {"order_id": "W9", "reason": "x"}}
    script = [{"when": "refused('cancel_order')", "says": "Oh, it is the other one."}]
    assert found(planned(lost, *PLAN, user={"script": script})) == []
    define = {"lost": "refused('cancel_order')"}
    script = [{"when": "lost && true", "says": "Oh, it is the other one."}]
    assert found(planned(lost, *PLAN, define=define, user={"script": script})) == []
    script = [{"when": "refused('find_order')", "says": "Oh, it is the other one."}]
    assert ("plan-refused", "blocking", "plans.default[0]") in found(
        planned(lost, *PLAN, user={"script": script})
    )
