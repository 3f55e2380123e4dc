"""What an agent learns from how its calls end: which values a parameter takes, and which it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agents.options import Option
from agents.texts import words

WORST = 1.5
"""What a value that never did well costs at most."""
REFUSED = 0.25
IDLE = 0.12
UNFIT = 0.4


class Habits:
    """Counts of how values did, by the name of the parameter: that of one tool is that of the next."""

    def __init__(self) -> None:
        self._good: Counter[tuple[str, str]] = Counter()
        self._refused: dict[tuple[str, str], float] = {}
        self._idle: Counter[tuple[str, str]] = Counter()
        self._hints: dict[str, frozenset[str]] = {}

    def went_well(self, chosen: Mapping[str, Option]) -> None:
        """A call with these arguments was carried out."""
        for name, option in chosen.items():
            self._good.update(((name, option.origin), (name, option.key)))

    def brought_nothing(self, chosen: Mapping[str, Option]) -> None:
        """A call with these arguments changed something, and the goal came no nearer."""
        self._idle.update((name, option.key) for name, option in chosen.items())

    def was_refused(self, chosen: Mapping[str, Option], said: str) -> None:
        """A call with these arguments was refused: the values that the refusal names are to blame, or all.

        What else it says hints at what belongs there: "There is no parcel 'x'".
        """
        named = {name for name, option in chosen.items() if _names(said, option.value)}
        if len(named) > 1:
            return  # one value in two places: nobody can tell which of them it does not fit
        share = 1.0 if named else 1.0 / max(1, len(chosen))
        for name in named or chosen:
            for key in ((name, chosen[name].origin), (name, chosen[name].key)):
                self._refused[key] = self._refused.get(key, 0.0) + share
        for name in named:
            self._hints[name] = self._hints.get(name, frozenset()) | words(said)

    def hints(self, name: str) -> str:
        """Words that refusals used for what belongs there."""
        return " ".join(sorted(self._hints.get(name, ())))

    def kind(self, name: str, origin: str) -> float | None:
        """How badly values that stand under `origin` do as `name`: None = unknown, 0 = well."""
        if self._good[name, origin]:
            return 0.0
        refused = self._refused.get((name, origin), 0.0)
        return min(WORST, UNFIT * refused) if refused else None

    def value(self, name: str, key: str) -> float:
        """How badly this very value did as `name`."""
        good = self._good[name, key]
        refused = REFUSED * self._refused.get((name, key), 0.0) / (1 + 3 * good)
        return min(WORST, refused) + IDLE * self._idle[name, key] / (1 + 0.3 * good)


def _names(said: str, value: Any) -> bool:
    if isinstance(value, list):
        return any(_names(said, item) for item in value)
    return isinstance(value, str) and len(value) > 2 and value in said
