"""Slips that leave a row sound to look at: tried in the rows that what fails stands on, where nothing tells more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from triage.proposers.records.ground import Ground
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import mends
from triage.proposers.records.paths import leaves
from worlds.records import Place, Row

MOST_ROWS = 14
MOST_FIELDS = 16
MOST_VALUES = 3
MOST_PAIRS = 6
FACTOR = 0.25


def guess_mends(ground: Ground) -> Iterator[Mend]:
    """The rows that are named or bound first, then those that are touched."""
    for number, place in enumerate(ground.first[:MOST_ROWS]):
        row = ground.row(place)
        if row is None:
            continue
        factor = FACTOR * (1 - 0.5 * number / MOST_ROWS)
        for path in _paths(row)[:MOST_FIELDS]:
            yield from islice(mends(ground, *place, path, factor), MOST_VALUES)
    yield from _exchanged(ground)


def _paths(row: Row) -> list[str]:
    """Single values of a row, those within lists last."""
    return sorted(leaves(row), key=lambda path: "." in path)


def _exchanged(ground: Ground) -> Iterator[Mend]:
    """A value of a row exchanged with that of another of its table."""
    places = ground.first[: 2 * MOST_ROWS]
    for at, one in enumerate(places[:MOST_ROWS]):
        others = [each for each in places[at + 1 :] if each[0] == one[0]]
        for other in others[:MOST_PAIRS]:
            yield from exchanges(ground, one, other, 0.05)


def exchanges(ground: Ground, one: Place, other: Place, chance: float) -> Iterator[Mend]:
    """Each single value of two rows of a table exchanged, but for their keys."""
    first, second = ground.row(one), ground.row(other)
    if first is None or second is None:
        return
    key = ground.domain.tables[one[0]].key
    for field in sorted(first):
        values = first[field], second.get(field)
        if field == key or values[0] == values[1] or type(values[0]) is not type(values[1]):
            continue
        rows = {one: {**first, field: values[1]}, other: {**second, field: values[0]}}
        yield Mend(rows, f"Exchange `{field}` of two rows", chance)
