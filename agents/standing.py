"""How far an attempt is: what the verdict says of its state, the answers left aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from worlds.intent import Finish, Outcome
from worlds.play import Play
from worlds.step import Assertion, Verdict
from worlds.verdict import judge

WORDS = "Done."
"""Said at the end: some policies want that something is said."""
SPOKEN = ("answer", "mention")
"""Assertions about what is said at the end, which any state leaves open."""


@dataclass(frozen=True)
class Standing:
    """Where a state stands."""

    progress: float
    """The share of what had to be brought about that is."""
    is_complete: bool
    """Whether nothing but answers and mentions is missing."""
    is_spoilt: bool
    """Whether something that held at the start holds no more."""


class Judge:
    """Judges states of one world by ending a copy of the attempt as the goal wants it ended."""

    def __init__(self, start: Play) -> None:
        """`start`: an attempt in which nothing was done."""
        self.outcome: Outcome = next(
            (each for each in get_args(Outcome) if self._ends_rightly(start, each)), "done"
        )

    def _ends_rightly(self, start: Play, outcome: Outcome) -> bool:
        verdict = ended(start, Finish(outcome=outcome, message=WORDS))
        return all(item.met for item in verdict.assertions if item.kind == "outcome")

    def stand(self, play: Play) -> Standing:
        """Judge a state; `play` is left as it is."""
        verdict = ended(play, Finish(outcome=self.outcome, message=WORDS))
        state = [item for item in verdict.assertions if item.kind not in (*SPOKEN, "outcome")]
        wanted = [item for item in state if not item.at_start]
        whole = sum(item.weight for item in wanted)
        met = sum(_met(item) for item in wanted)
        return Standing(
            progress=met / whole if whole else 1.0,
            is_complete=all(item.met for item in state),
            is_spoilt=any(item.at_start and not item.met for item in state),
        )


def _met(item: Assertion) -> int:
    return item.weight if item.met else item.met_weight


def ended(play: Play, finish: Finish) -> Verdict:
    """The verdict on a copy of the attempt that ends so."""
    copy = play.fork()
    copy.act(finish)
    verdict = judge(copy)
    assert verdict is not None  # noqa: S101  # nobody searches where the state is hidden
    return verdict
