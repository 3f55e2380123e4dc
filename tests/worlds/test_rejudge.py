"""worlds.rejudge"""

from __future__ import annotations

from typing import Any

import pytest

from agents import PANEL
from tests.worlds.shop import SOURCE, bundle
from worlds.bundle import Bundle
from worlds.episode import play
from worlds.intent import Finish
from worlds.rejudge import Rejudged, rejudged
from worlds.replay import replay
from worlds.step import Action, Call, Episode
from worlds.toolsession import ToolSession
from worlds.world import World

GUARD = {"clauses": [{"id": "no-hand-delivery", "quote": "Nothing is ever delivered by hand",
                      "on": "call", "when": "call.tool == 'cancel_order'", "require": "false",
                      "enforce": "guard"}]}  # fmt: skip


def played(made: Bundle, agent: str = "reference") -> Episode:
    world = World(made)
    with ToolSession() as session:
        return play(world, PANEL[agent](world), session)


def anew(episode: Episode, made: Bundle, *, calls: bool) -> Rejudged:
    with ToolSession() as session:
        return rejudged(World(made), episode, session, calls=calls)


@pytest.mark.parametrize("calls", [False, True])
@pytest.mark.parametrize("agent", list(PANEL))
def test_in_the_same_world_every_agent_is_judged_the_same(agent: str, calls: bool) -> None:
    episode = played(bundle(), agent)
    assert anew(episode, bundle(), calls=calls) == Rejudged(episode.verdict)


def test_a_stricter_goal_is_judged_without_running_a_tool() -> None:
    strict = bundle(intent={"goal": {"changes": []}})
    said = anew(played(bundle()), strict, calls=False)
    assert said.verdict is not None
    assert said.verdict.reward == 0


def test_what_a_new_guard_stops_has_diverged_there() -> None:
    said = anew(played(bundle()), bundle(rule=GUARD), calls=False)
    assert said == Rejudged(None, 1)


def test_what_an_old_guard_stopped_and_nothing_stops_now_has_diverged_there() -> None:
    call = Call(tool="set_status", args={"order_id": "W2", "status": "delivered"})
    with ToolSession() as session:
        episode = replay(World(bundle()), session, [call, Finish()])
    free: dict[str, Any] = {"clauses": []}
    assert episode.steps[0].status == "guarded"
    assert anew(episode, bundle(rule=free), calls=False) == Rejudged(None, 0)


def test_a_tool_that_saves_now_and_answers_the_same_turns_the_verdict() -> None:
    saves = '    return db.update("orders", order_id, {"status": "cancelled", "reason": reason})'
    drops = '    return {**order, "status": "cancelled", "reason": reason}'
    lost = played(bundle(source=SOURCE.replace(saves, drops)))
    assert lost.verdict is not None
    assert lost.verdict.reward == 0
    said = anew(lost, bundle(), calls=True)
    assert said.diverged is None
    assert said.verdict is not None
    assert said.verdict.reward == 1


def test_a_tool_that_answers_otherwise_diverges_at_its_step() -> None:
    other = SOURCE.replace("    return order\n", '    return {**order, "note": "seen"}\n', 1)
    assert anew(played(bundle()), bundle(source=other), calls=True) == Rejudged(None, 0)


def test_an_episode_that_was_cut_off_is_judged_as_such() -> None:
    actions: list[Action] = [Call(tool="find_order", args={"order_id": "W1"})]
    with ToolSession() as session:
        episode = replay(World(bundle()), session, actions)
    said = anew(episode, bundle(), calls=False)
    assert said.verdict == episode.verdict
