"""An episode walked through again: the states and moments of its steps, without a call."""

from __future__ import annotations

from agents.reference import Reference
from tests.worlds.shop import INTENT, Whole, bundle
from worlds.episode import play
from worlds.retrace import retraced
from worlds.toolsession import ToolSession
from worlds.world import World

PLAN = INTENT["plans"]["default"]


def test_every_step_has_its_state_before_and_after_and_the_moment_that_clauses_saw() -> None:
    spoken = {"plans": Whole(default=[PLAN[0], {"say": "One moment."}, *PLAN[1:]])}
    made = bundle(
        intent={**spoken, "user": {"knows": {}}},
        records={"clock": {"now": "2025-03-01T09:00:00+00:00", "per_call": "PT1M"}},
    )
    world = World(made)
    with ToolSession() as session:
        episode = play(world, Reference.of(world), session)
    passed = list(retraced(world, episode))
    assert [each.step.kind for each in passed] == ["call", "say", "hear", "call", "finish"]
    cancelled = passed[3]
    before = cancelled.before.view.records.get("orders", "W1")
    after = cancelled.after.view.records.get("orders", "W1")
    assert before is not None
    assert after is not None
    assert (before["status"], after["status"]) == ("pending", "cancelled")
    assert [call["tool"] for call in cancelled.before.history] == ["find_order"]
    assert (cancelled.before.said, len(cancelled.before.heard)) == (["One moment."], 2)
    assert cancelled.before.view.now.minute == 1
    assert passed[-1].after.view.records.digest() == episode.state
