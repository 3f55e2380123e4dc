"""A state that a search has reached: an attempt that holds only what led there, and all that was seen on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agents.knowledge import Knowledge
from agents.options import Option
from agents.standing import Standing
from worlds.play import Play
from worlds.step import Action, Step


@dataclass(frozen=True)
class Planned:
    """A call that might be made."""

    cost: float
    action: Action
    key: str
    """The action as text."""
    chosen: dict[str, Option]
    """Parameter → the option taken."""
    writes: bool


@dataclass(eq=False)
class Seen:
    """An action that changed nothing, and what it showed."""

    number: int
    """Its turn among all actions of the search."""
    action: Action
    sources: frozenset[int]
    """The actions that showed what it was made with."""
    steps: list[Step]
    history: list[dict[str, Any]]
    heard: list[str]
    args: frozenset[str]
    """Its arguments as text."""
    branch: Branch
    result: Any
    is_good: bool
    doubt: float
    """What spoke most against any of its arguments."""


@dataclass(eq=False)
class Branch:
    """One state."""

    play: Play
    knowledge: Knowledge
    standing: Standing
    parent: Branch | None = None
    action: Action | None = None
    """What led here from the parent."""
    number: int = -1
    """The turn of that action."""
    result: Any = None
    """What that action showed."""
    needed: frozenset[int] = frozenset()
    """What has to be seen before that action, in the parent or earlier."""
    depth: int = 0
    toil: float = 0.0
    """What the changes on the way here cost."""
    seen: list[Seen] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    inherited: frozenset[str] = frozenset()
    """What the parent had tried: worth less here."""
    agenda: list[Planned] = field(default_factory=list)
    """What to try next, best last."""
    variants: list[Planned] = field(default_factory=list)
    """Calls like one that brought the goal nearer, but with another value somewhere."""
    tools: dict[str, int] = field(default_factory=dict)
    """How tired each tool is here."""
    made: int = 0
    idle: int = 0
    """Changes from here that brought the goal no nearer."""
    fresh_at: int = -1
    """`made` when the agenda was drawn up; -1 before."""
    grafted: frozenset[int] = frozenset()
    """What was seen and stands in `play`."""

    def chain(self) -> Iterator[Branch]:
        """This branch and those that it came from, the start last."""
        branch: Branch | None = self
        while branch is not None:
            yield branch
            branch = branch.parent

    def everything(self) -> Iterator[Seen]:
        """All that was seen on the way here."""
        for branch in reversed(list(self.chain())):
            yield from branch.seen

    def with_seen(self, wanted: Iterable[Seen]) -> Play:
        """A copy of the attempt in which these things have been seen too, without doing them again."""
        play = self.play.fork()
        for seen in sorted(wanted, key=lambda each: each.number):
            if seen.number not in self.grafted:
                play.steps += [
                    step.model_copy(update={"index": len(play.steps) + offset})
                    for offset, step in enumerate(seen.steps)
                ]
                play.history += seen.history
                play.heard += seen.heard
                play.now += play.world.base.clock.per_call
        return play
