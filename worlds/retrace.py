"""An episode walked through again from what it recorded: no tool is called, and every state and moment is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worlds.clauses import Moment
from worlds.conditions import Allowance, View
from worlds.records import Records, Row
from worlds.step import Episode, Step
from worlds.world import ASK_USER, World


@dataclass(frozen=True)
class Passed:
    """A step with the state before and after it."""

    step: Step
    before: Moment
    after: Moment
    """The state that it left; words and calls are those before it, as a clause on its writes saw them."""


def retraced(world: World, episode: Episode) -> Iterator[Passed]:
    """The steps of an episode in order."""
    state = _State(world)
    for step in episode.steps:
        yield state.passed(step)


class _State:
    def __init__(self, world: World) -> None:
        self.world = world
        self.records = Records(world.base)
        self.now = world.base.clock.now
        self.allowance = Allowance()
        self.history: list[dict[str, Any]] = []
        self.said: list[str] = []
        self.heard: list[str] = [world.opening] if world.bundle.intent.is_dialogue else []

    def passed(self, step: Step) -> Passed:
        before = self._moment()
        if step.changes:
            self.records = self.records.fork()
            self.records.apply(step.changes)
        after = self._moment()
        self._note(step)
        return Passed(step, before, after)

    def _moment(self) -> Moment:
        view = View(self.records, self.now, self.allowance)
        return Moment(view, self._actor(), list(self.history), list(self.said), list(self.heard))

    def _actor(self) -> Row | None:
        intent, binding = self.world.bundle.intent, self.world.binding
        if intent.actor is None or intent.actor not in binding:
            return None
        return self.records.get(intent.slots[intent.actor].table, binding[intent.actor])

    def _note(self, step: Step) -> None:
        if step.kind == "call":
            call = {"tool": step.tool, "args": step.args}
            self.history.append({**call, "result": step.result, "status": step.status})
            self.now += self.world.base.clock.per_call
            if step.tool == ASK_USER and step.status == "ok":
                self.heard.append(step.result)
        elif step.kind == "hear":
            self.heard.append(step.text)
        elif step.text:
            self.said.append(step.text)
