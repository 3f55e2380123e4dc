"""Something that is so in all other records, though no schema and no invariant says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from triage.proposers.records.habits.relation import Relation, Tells, Where
from worlds.records import Row

FEWEST = 4
"""Records in which it is so."""
EARLY = 12
"""Records after which what mostly is not so is given up."""
EXCEPTIONS = 0.03
CENT = 0.005


@dataclass(frozen=True)
class Habit:
    """What one field has, told by others."""

    relation: Relation
    field: str
    says: str
    """“`orders.total` is the sum of `items[].price`”"""
    tells: Tells
    holds: int
    broken: tuple[Where, ...]
    weight: float = 1.0
    """How much it counts beside other habits that hold as often, in (0, 1]."""

    @property
    def chance(self) -> float:
        """That it is so of a record of which nothing is known."""
        share = self.holds / (self.holds + len(self.broken))
        return 0.85 * self.weight * share * self.holds / (self.holds + 6)

    @property
    def oddness(self) -> float:
        """That a record which breaks it should not: the less likely, the more do."""
        few = 1.0 if len(self.broken) <= 1 else 0.6
        return self.chance * (few if len(self.broken) <= max(1, EXCEPTIONS * self.holds) else 0.1)

    @property
    def authority(self) -> str:
        """In a sentence that says in how many records it is so."""
        return f"{self.says} in {self.holds} other rows of {self.relation.table}"


def habit(
    relation: Relation,
    field: str,
    says: str,
    tells: Tells,
    weight: float = 1.0,
    exceptions: float = EXCEPTIONS,
) -> Iterator[Habit]:
    """The habit, where there is one: so in enough records, in which it says different things, and in nearly all."""
    holds, broken, values = 0, [], set()
    for where, row in relation.records.items():
        if row.get(field) is None:
            continue
        expected = tells(where, row)
        if not expected:
            continue
        if any(alike(row[field], each) for each in expected):
            holds += 1
            values.add(repr(row[field]))
        else:
            broken.append(where)
        if len(broken) > max(1, exceptions * len(relation.records)) or (
            holds + len(broken) == EARLY and len(broken) > 3
        ):
            return
    if holds >= FEWEST and len(values) > 1 and len(broken) <= max(1, exceptions * holds):
        yield Habit(relation, field, says, tells, holds, tuple(broken), weight)


def alike(one: Any, other: Any) -> bool:
    """Whether two plain values are the same, to the cent."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= CENT
    return type(one) is type(other) and bool(one == other)


def get(row: Row, name: str) -> Any:
    """What stands in a field that holds one value; None also where nothing does."""
    value = row.get(name)
    return None if isinstance(value, (list, dict)) else value
