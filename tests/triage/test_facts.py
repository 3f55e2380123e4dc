"""What attribution wants to know of an attempt: who took part, and what was odd."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from agents.reference import Reference
from tests.worlds.shop import INTENT, SOURCE, Whole, bundle
from triage.facts import NAMED_OTHERWISE, SAVES_NOTHING, WRITES_TWICE, Facts, facts
from triage.observations import Location
from worlds.episode import play
from worlds.toolserver_body import OutsideBody
from worlds.toolsession import ToolSession
from worlds.world import World

INSERT = (
    'db.insert("refunds", {"refund_id": refund, "order_id": order_id, "amount": order["total"]})'
)
AGAIN = INSERT.replace("refund,", 'db.next_id("refunds", "R"),')
SAVE = 'return db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
NOTHING = 'if False:\n        db.update("orders", order_id, {})\n    return {}'


def of(**changes: Any) -> Facts:
    world = World(bundle(**changes))
    with ToolSession() as session:
        return facts(world, play(world, Reference.of(world), session))


def test_of_a_sound_attempt_it_tells_who_took_part_and_nothing_odd() -> None:
    found = of()
    assert found.tools == {"find_order": "shop", "cancel_order": "shop"}
    assert not found.odd
    assert Location("toolserver", "shop", "cancel_order") in found.exercised
    assert Location("intent", "cancel", "plans.default") in found.exercised


def test_without_an_attempt_there_is_the_plan() -> None:
    found = facts(World(bundle()), None)
    assert not found.tools
    assert Location("intent", "cancel", "plans.default") in found.exercised


def test_they_are_the_same_after_they_were_stored() -> None:
    found = of(source=SOURCE.replace(SAVE, 'return {"order_id": order_id}').replace(INSERT, "pass"))
    assert Facts.of(json.loads(json.dumps(found.document()))) == found
    assert found.document() == Facts.of(found.document()).document()


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (f"{INSERT}\n    {SAVE}", NOTHING, SAVES_NOTHING),
        (INSERT, f"{INSERT}\n    {AGAIN}", WRITES_TWICE),
    ],
)
def test_a_call_that_writes_nothing_or_twice_is_odd(before: str, after: str, why: str) -> None:
    assert before in SOURCE
    assert of(source=SOURCE.replace(before, after)).odd == {"cancel_order": why}


def test_a_tool_that_names_an_argument_as_no_neighbour_does_is_odd() -> None:
    source = SOURCE.replace("def cancel_order(order_id: str", "def cancel_order(order: str")
    source = source.replace(
        "find_order(order_id)\n    if order[", "find_order(order)\n    if order["
    )
    assert of(source=source).odd == {"cancel_order": NAMED_OTHERWISE}


def test_a_plan_that_names_an_argument_as_nobody_does_makes_no_tool_odd() -> None:
    first, *rest = INTENT["plans"]["default"]
    args = dict(first["args"])
    args["number"] = args.pop("order_id")
    assert not of(intent={"plans": Whole(default=[{**first, "args": args}, *rest])}).odd


def test_a_read_that_changes_nothing_and_a_refusal_are_not_odd() -> None:
    refuses = SOURCE.replace('if order["status"] != "pending":', 'if order["status"] == "pending":')
    assert not of(source=refuses).odd


def test_a_server_from_outside_is_asked_nothing() -> None:
    made = bundle()
    with ToolSession() as session:
        played = play(World(made), Reference.of(World(made)), session)
    outside = World(replace(made, toolservers=(OutsideBody(server="far"),)))
    found = facts(outside, played)  # nobody installed one
    assert not found.tools
    assert not found.odd
    assert Location("intent", "cancel", "plans.default") in found.exercised
