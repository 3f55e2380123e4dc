"""How long agents act: measured from outside, for a time is no part of an episode's bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from worlds.agent import Agent, Briefing
from worlds.step import Action, Step
from worlds.world import World

Maker = Callable[[World], Agent]

Times = Mapping[str, Sequence[float]]
"""Agent → the seconds of each of its attempts."""


class Stopwatch:
    """Makes the agents of a panel such that `seconds` tells how long each attempt acted."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        """Agent → for each attempt, from its briefing to its last decision: its own thinking and all calls."""

    def panel(self, makers: Mapping[str, Maker]) -> dict[str, Maker]:
        """The same agents, watched."""
        return {name: self._watched(make) for name, make in makers.items()}

    def _watched(self, make: Maker) -> Maker:
        # The protocol's name and attempts are the class's; a watched agent has them of whom it watches.
        return lambda world: cast(Agent, _Watched(make(world), self.seconds))


class _Watched:
    def __init__(self, agent: Agent, seconds: dict[str, list[float]]) -> None:
        self.name, self.attempts = agent.name, agent.attempts
        self._agent, self._all = agent, seconds
        self._began = 0.0

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:
        self._began = time.perf_counter()
        self._all.setdefault(self.name, []).append(0.0)
        action = self._agent.begin(briefing, seed, attempt)
        self._lap()
        return action

    def go_on(self, steps: Sequence[Step]) -> Action:
        action = self._agent.go_on(steps)
        self._lap()
        return action

    def _lap(self) -> None:
        self._all[self.name][-1] = round(time.perf_counter() - self._began, 6)
