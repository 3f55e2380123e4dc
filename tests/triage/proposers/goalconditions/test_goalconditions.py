"""triage.proposers.goalconditions"""

from __future__ import annotations

from typing import Any

import pytest

from tests.triage.proposers.brokenshop import broken, first, proposed
from triage.proposers import goalconditions
from triage.proposers.goalconditions.goalplaces import ofplace

SOUND = "get('orders', order.order_id).status == 'cancelled'"


def requiring(*texts: str) -> dict[str, Any]:
    return {"goal": {"require": list(texts)}}


@pytest.mark.parametrize(
    "faulty",
    [
        "get('orders', order.order_id).status == 'delivered'",
        "get('orders', order.order_id).status != 'cancelled'",
        "get('orders', order.order_id).status == 'canceled'",
        "get('orders', order.order_id).state == 'cancelled'",
        "get('orders', ordr.order_id).status == 'cancelled'",
        "start_get('orders', order.order_id).status == 'cancelled'",
        "get('orders', order.order_id).status = 'cancelled'",
    ],
)
def test_a_requirement_asks_for_what_the_plan_brings_about(faulty: str) -> None:
    case = broken("intent", intent=requiring(faulty))
    assert first(goalconditions.propose, case)["goal"]["require"] == [SOUND]


def test_an_answer_is_what_the_plan_gives() -> None:
    answer = {"refund": {"type": "number", "unit": "USD", "equals": "order.total - 1.0"}}
    case = broken("intent", intent={"goal": {"answer": answer}})
    found = first(goalconditions.propose, case)["goal"]["answer"]["refund"]["equals"]
    assert found == "order.total"


def test_a_definition_is_edited_where_it_is_said() -> None:
    change = requiring("is_done") | {"define": {"is_done": SOUND.replace("==", "!=")}}
    case = broken("intent", intent=change)
    assert first(goalconditions.propose, case)["define"]["is_done"] == SOUND


def test_a_slot_finds_rows_again() -> None:
    slots = {"order": {"where": "row.total < 0.0"}}
    case = broken("intent", intent={"slots": slots})
    found = proposed(goalconditions.propose, case)
    assert "row.total > 0.0" in [
        each.changes[("intent", "cancel")].content()["slots"]["order"]["where"] for each in found
    ]


def test_places_are_keys() -> None:
    assert ofplace("goal.require[2]") == ("goal", "require", 2)
    assert ofplace("goal.answer.the-due.date.equals") == (
        "goal",
        "answer",
        "the-due.date",
        "equals",
    )
    assert ofplace("slots.my-order.where") == ("slots", "my-order", "where")
    assert ofplace("user.script[0].when") == ("user", "script", 0, "when")
