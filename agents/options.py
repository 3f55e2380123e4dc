"""A value that an argument may take, and how far-fetched it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


class Absent:
    """Stands for an optional argument that is left out."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


@dataclass(frozen=True)
class Option:
    """One choice for one argument."""

    value: Any
    cost: float
    """0 = what anybody would take first."""
    sources: tuple[int, ...] = ()
    """The calls that showed it."""
    origin: str = ""
    """The name that it was seen under; else how it was come by, in brackets."""

    @cached_property
    def key(self) -> str:
        """The value as text: equal values have equal ones."""
        return "" if self.value is ABSENT else json.dumps(self.value, sort_keys=True, default=str)


def best(options: Iterable[Option], limit: int) -> list[Option]:
    """The cheapest, each value once; of equal cost those that came first."""
    found: dict[str, Option] = {}
    for option in options:
        known = found.get(option.key)
        if known is None or option.cost < known.cost:
            found[option.key] = option
    return sorted(found.values(), key=lambda option: option.cost)[:limit]
