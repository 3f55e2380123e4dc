"""A value that an argument may take, and how far-fetched it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


class Absent:
    """Stands for an optional argument that is left out."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


class Option:
    """One choice for one argument. Thousands are made a second: hence no dataclass."""

    __slots__ = ("cost", "key", "origin", "sources", "value")

    def __init__(
        self,
        value: Any,
        cost: float,
        sources: tuple[int, ...] = (),
        origin: str = "",
        key: str | None = None,
    ) -> None:
        self.value = value
        self.cost = cost
        """0 = what anybody would take first."""
        self.sources = sources
        """The calls that showed it."""
        self.origin = origin
        """The name that it was seen under; else how it was come by, in brackets."""
        self.key = _key(value) if key is None else key
        """The value as text: equal values have equal ones."""

    def dearer(self, more: float) -> Option:
        """The same choice at a higher cost."""
        if not more:
            return self
        return Option(self.value, self.cost + more, self.sources, self.origin, self.key)


def _key(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}'
    return "" if value is ABSENT else json.dumps(value, sort_keys=True, default=str)


def best(options: Iterable[Option], limit: int) -> list[Option]:
    """The cheapest, each value once; of equal cost those that came first."""
    found: dict[str, Option] = {}
    for option in options:
        known = found.get(option.key)
        if known is None or option.cost < known.cost:
            found[option.key] = option
    return sorted(found.values(), key=lambda option: option.cost)[:limit]
