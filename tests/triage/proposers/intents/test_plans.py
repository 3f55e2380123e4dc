"""Plans with names, values and steps that are not right."""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.intents.broken import broken, first_sound
from triage.proposers.intents.plans import plans


def mended(step: int, change: dict[str, Any]) -> list[dict[str, Any]]:
    """The plan after the repair of a sound one of which a step was changed so."""
    case = broken(lambda intent: intent["plans"]["default"][step].update(change))
    found: list[dict[str, Any]] = first_sound(plans, case)["plans"]["default"]
    return found


def test_a_tool_that_is_misspelt_is_the_one_most_like_it() -> None:
    assert mended(2, {"call": "cancel_orders"})[2]["call"] == "cancel_order"


def test_an_argument_that_is_misspelt_is_the_one_that_the_tool_takes() -> None:
    assert mended(1, {"args": {"orderid": "{order.order_id}"}})[1]["args"] == {
        "order_id": "{order.order_id}"
    }


def test_a_required_argument_is_given_from_what_is_known() -> None:
    args = mended(2, {"args": {"reason": "ordered by mistake"}})[2]["args"]
    assert args["order_id"] in ("{found.order_id}", "{order.order_id}")


def test_a_path_that_a_result_does_not_have_is_the_one_most_like_it() -> None:
    answer = mended(3, {"finish": {"answer": {"refund": "{found.totals}"}}})[3]
    assert answer == {"finish": {"answer": {"refund": "{found.total}"}}}


def test_a_step_that_changes_nothing_is_left_out() -> None:
    idle = {"call": "tag_order", "args": {"order_id": "{found.order_id}", "tags": "{found.tags}"}}
    case = broken(lambda intent: intent["plans"]["default"].insert(3, idle))
    plan = first_sound(plans, case)["plans"]["default"]
    assert [step.get("call") for step in plan] == ["find_user", "get_order", "cancel_order", None]


def test_a_step_that_its_tool_refuses_is_left_out_with_what_the_tool_said() -> None:
    refused = {"call": "get_order", "args": {"order_id": "W0"}}
    case = broken(lambda intent: intent["plans"]["default"].insert(3, refused))
    said = [each for each in plans(case, case.spots[0]) if each.says.startswith("Leave out step 3")]
    assert [each.authority.partition(": “")[0] for each in said] == ["get_order refuses it"]
