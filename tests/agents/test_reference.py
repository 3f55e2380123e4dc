"""The reference follows the plan, and goes on after a refused step."""

from __future__ import annotations

from typing import Any

from agents.reference import Reference
from tests.worlds.shop import INTENT, Whole, bundle
from worlds.episode import play
from worlds.step import Episode
from worlds.toolsession import ToolSession
from worlds.world import World


def episode(**changes: Any) -> Episode:
    world = World(bundle(**changes))
    with ToolSession() as session:
        return play(world, Reference.of(world), session)


def test_what_a_call_returned_is_carried_to_later_steps() -> None:
    found = episode()
    assert found.steps[1].args == {"order_id": "W1", "reason": "changed"}
    assert found.steps[2].args == {"refund": 20}


def test_it_goes_on_after_a_refusal_and_shows_what_was_not_filled_in() -> None:
    lost = {"call": "find_order", "args": {"order_id": "W9"}, "as": "found"}
    plan = Whole({"default": [lost, *INTENT["plans"]["default"][1:]]})
    found = episode(intent={"plans": plan})
    assert [step.status for step in found.steps] == ["refused", "refused", "ok"]
    assert found.steps[1].args["order_id"] == "{found.order_id}"


def test_a_tool_servers_own_plan_comes_before_the_default() -> None:
    plans = {"shop": [{"call": "list_users"}]}
    assert [step.tool for step in episode(intent={"plans": plans}).steps] == ["list_users", ""]


def test_a_plan_without_a_finish_ends_as_done() -> None:
    found = episode(intent={"plans": Whole({"default": []})})
    assert (found.ended, found.steps[0].outcome) == ("finished", "done")
