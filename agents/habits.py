"""What an agent learns from how its calls end: which values a parameter takes, and which it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agents.options import Option

WORST = 3.0


class Habits:
    """Counts of how values did, by the name of the parameter: that of one tool is that of the next."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], list[int]] = {}
        self._values: dict[tuple[str, str], list[int]] = {}
        self.tools: Counter[str] = Counter()
        """Calls made of each tool."""
        self.version = 0

    def learn(self, tool: str, chosen: Mapping[str, Option], *, good: bool, said: str = "") -> None:
        """A call of `tool` went well, or was refused with these words: only what they name is to blame,
        where they name anything."""
        self.tools[tool] += 1
        named = {name for name, option in chosen.items() if _names(said, option.value)}
        for name, option in chosen.items():
            if good or not named or name in named:
                index = 0 if good else 1
                for key, counts in (((name, option.origin), self._kinds), ((name, option.key), self._values)):
                    counts.setdefault(key, [0, 0])[index] += 1
        self.version += 1

    def kind(self, name: str, origin: str) -> float | None:
        """How badly values that stand under `origin` do as `name`: None = unknown, 0 = well."""
        good, bad = self._kinds.get((name, origin), (0, 0))
        if good:
            return 0.0
        return min(WORST, 0.4 * bad) if bad else None

    def value(self, name: str, key: str) -> float:
        """How badly this very value did as `name`; 0 when it went well, or was not tried."""
        good, bad = self._values.get((name, key), (0, 0))
        return min(WORST, 0.4 * bad / (1 + 3 * good))


def _names(said: str, value: Any) -> bool:
    if isinstance(value, list):
        return any(_names(said, item) for item in value)
    return isinstance(value, str) and len(value) > 2 and value in said
