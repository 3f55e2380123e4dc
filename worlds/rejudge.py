"""An episode that is kept, judged anew in another world: exactly, or as far as the same actions lead to the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from worlds.canonical import canonical
from worlds.outcome import Outcome
from worlds.play import Play
from worlds.replay import actions_of
from worlds.step import Call, Episode, Step, Verdict
from worlds.toolsession import ToolSession
from worlds.verdict import judge
from worlds.world import World


@dataclass(frozen=True)
class Rejudged:
    """What another world makes of an episode."""

    verdict: Verdict | None
    """None where it went another way, or is not scored there."""
    diverged: int | None = None
    """The first step that is another one: who acted would have gone on otherwise, so nothing follows."""


def rejudged(world: World, episode: Episode, session: ToolSession, *, calls: bool) -> Rejudged:
    """Judge an episode anew. With `calls`, its calls are made again; without, they come out as they did, which is
    exact where the tools and the rows that they began with are the same."""
    play = Play(world, session) if calls else _Retold(world, session, episode.steps)
    try:
        for action in actions_of(episode.steps):
            first = len(play.steps)
            made = play.act(action)
            for number, step in enumerate(made, first):
                if not _is_same(step, episode.steps[number : number + 1]):
                    return Rejudged(None, number)
        return Rejudged(judge(play))
    finally:
        session.end_attempt()


def _is_same(step: Step, recorded: Sequence[Step]) -> bool:
    return any(_shown(step) == _shown(one) for one in recorded)


def _shown(step: Step) -> str:
    """What who acts sees of a step."""
    return canonical([step.kind, step.tool, step.status, step.result, step.text])


class _Retold(Play):
    """An attempt in which no tool runs: what each call returned and wrote is known."""

    def __init__(self, world: World, session: ToolSession, recorded: Sequence[Step]) -> None:
        super().__init__(world, session)
        self._recorded = recorded

    def _run(self, call: Call) -> Outcome:  # noqa: ARG002  # it is the next one recorded
        told = self._recorded[len(self.steps)]
        if told.status == "guarded" or told.status == "invalid":
            return Outcome("crashed", None, "nobody knows what it would have done")
        self.records.apply(told.changes)
        if told.status == "ok":
            return Outcome("ok", told.result)
        return Outcome(told.status, None, str(told.result))
