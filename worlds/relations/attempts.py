"""Attempts that share the beginning of one: what was played once is forked, not played again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worlds.diff import Diff
from worlds.intent import Finish
from worlds.play import Play
from worlds.step import Action, Call, Status, Step, Verdict
from worlds.toolsession import ToolSession
from worlds.verdict import judge
from worlds.world import World


@dataclass(frozen=True)
class Trial:
    """What came of some actions."""

    steps: list[Step]
    diff: Diff
    verdict: Verdict | None
    play: Play
    edits: Diff

    @property
    def calls(self) -> list[Step]:
        """The steps that are calls, one for each call among the actions."""
        return [step for step in self.steps if step.kind == "call"]

    @property
    def statuses(self) -> list[Status]:
        """How its calls ended."""
        return [step.status for step in self.calls]

    @property
    def is_met(self) -> bool:
        """Whether the goal is met."""
        return self.verdict is not None and self.verdict.reward == 1


class Attempts:
    """Plays changed copies of one row of actions."""

    def __init__(self, world: World, session: ToolSession, actions: Sequence[Action]) -> None:
        self.actions = tuple(actions)
        self.calls = 0
        """How many calls were played."""
        self._before = [Play(world, session)]
        for action in self.actions[:-1]:
            play = self._before[-1].fork()
            self._act(play, action)
            self._before.append(play)

    def run(self, actions: Sequence[Action], edits: Diff | None = None) -> Trial:
        """Play these actions, which end with a finish, and `edits` just before that."""
        shared = self._shared(actions)
        play = self._before[shared].fork()
        for action in actions[shared:]:
            if isinstance(action, Finish):
                play.records.apply(edits or [])
            self._act(play, action)
            if play.exhausted:
                break
        return Trial(play.steps, play.records.diff(), judge(play), play, edits or [])

    def new_calls(self, actions: Sequence[Action]) -> int:
        """How many calls `run` would have to play."""
        return sum(isinstance(action, Call) for action in actions[self._shared(actions) :])

    def _shared(self, actions: Sequence[Action]) -> int:
        shared = 0
        for one, other in zip(actions[:-1], self.actions[:-1], strict=False):
            if one is not other:
                break
            shared += 1
        return shared

    def _act(self, play: Play, action: Action) -> None:
        self.calls += isinstance(action, Call)
        play.act(action)
