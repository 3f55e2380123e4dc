"""Which of many answers would be right: the verdict's own judgement, without playing a finish for each.

It says yes or no to what it is given and never what is wanted: a prover learns from it no value that it has not found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from worlds.answers import mentioned, same_answer
from worlds.conditions import Allowance, ConditionFailed, View
from worlds.play import Play


class Oracle:
    """The answers and mentions of a goal, judged in the state that an attempt is in now."""

    def __init__(self, play: Play) -> None:
        self._world = play.world
        self._view = View(play.records.fork(), play.now, Allowance())
        self._wanted: dict[str, Any] = {}
        self._failed: set[str] = set()

    @property
    def mentions(self) -> int:
        """How many facts the goal wants stated."""
        return len(self._world.bundle.intent.goal.mentions)

    def right_answer(self, name: str, values: Iterable[Any]) -> int | None:
        """The place of the first value that answers `name` rightly; None when none does."""
        spec, requirement = self._world.goal.answers[name]
        if name not in self._wanted and name not in self._failed:
            try:
                if requirement.condition is None:
                    raise ConditionFailed(str(requirement.problem))
                self._wanted[name] = requirement.condition.evaluate(self._view, self._world.rows)
            except ConditionFailed:
                self._failed.add(name)
        if name in self._failed:
            return None
        wanted = self._wanted[name]
        right = (
            number for number, value in enumerate(values) if same_answer(spec.type, value, wanted)
        )
        return next(right, None)

    def right_mention(self, number: int, texts: Iterable[str]) -> int | None:
        """The place of the first text that states the goal's mention of that number; None when none does."""
        fact = self._world.rendered(self._world.bundle.intent.goal.mentions[number])
        found = (place for place, text in enumerate(texts) if mentioned(fact, [text]))
        return next(found, None)
