"""Playing given actions over again: what an episode did, or what a changed copy of it would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.episode import record
from worlds.intent import Finish
from worlds.play import Play
from worlds.step import Action, Call, Episode, Say, Step
from worlds.toolsession import ToolSession
from worlds.world import World


def actions_of(steps: Sequence[Step]) -> list[Action]:
    """What the agent of an episode did, with the values that it used."""
    return [_action(step) for step in steps if step.kind != "hear"]


def _action(step: Step) -> Action:
    if step.kind == "call":
        return Call(tool=step.tool, args=step.args)
    if step.kind == "say":
        return Say(text=step.text)
    assert step.outcome is not None  # noqa: S101  # a finish has one
    return Finish(outcome=step.outcome, answer=step.args, message=step.text)


def replay(
    world: World,
    session: ToolSession,
    actions: Sequence[Action],
    edits: Sequence[dict[str, Any]] = (),
    agent: str = "replay",
    number: int = 0,
) -> Episode:
    """The episode of these actions, judged. `edits` (a diff) are written by no tool, before the finish."""
    attempt = Play(world, session)
    try:
        for action in actions:
            if isinstance(action, Finish):
                attempt.records.apply(list(edits))
            attempt.act(action)
            if attempt.exhausted:
                break
    finally:
        session.end_attempt()
    cut = "" if attempt.finish else attempt.exhausted or "the actions end without a finish"
    return record(attempt, agent, 0, number, cut)
