"""Rows of a table, or the items of a list in them, as records that can be compared with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from triage.proposers.records.ground import Ground
from worlds.records import Row

MOST_RECORDS = 600
"""Beside those that come first."""
MOST_FIELDS = 30
MOST_ITEMS = 20
"""Of one list."""

Where = tuple[str, str]
"""Key of a row, and the path within it; empty for the row itself."""
Tells = Callable[[Where, Row], list[Any]]
"""The values that a field should have; none where that says nothing of a record."""


@dataclass(frozen=True)
class Relation:
    """Records that have the same fields."""

    table: str
    path: str
    """Of the list in a row; empty for the rows themselves."""
    records: Mapping[Where, Row]
    references: tuple[tuple[str, str], ...] = ()
    """Fields that name one row, and the table of it."""
    key: str = field(default="")

    @property
    def name(self) -> str:
        """`orders`, or `orders.items[]`."""
        return f"{self.table}.{self.path}[]" if self.path else self.table

    @cached_property
    def fields(self) -> list[str]:
        """Of single values, in order."""
        names = {
            name
            for row in self.records.values()
            for name, value in row.items()
            if not isinstance(value, (list, dict))
        }
        return sorted(names)[:MOST_FIELDS]

    def fields_of(self, *types: type) -> list[str]:
        """Those whose values are of these types wherever there is one, but for single rows."""
        return [name for name in self.fields if self._is_of(name, types)]

    def _is_of(self, name: str, types: tuple[type, ...]) -> bool:
        values = [row[name] for row in self.records.values() if row.get(name) is not None]
        fitting = sum(isinstance(v, types) and not isinstance(v, bool) for v in values)
        return len(values) >= 3 and fitting >= len(values) - 2


def relations(ground: Ground) -> list[Relation]:
    """Those of each table, and of each list of objects in its rows."""
    return [each for table in ground.base.tables for each in _of_table(ground, table)]


def _of_table(ground: Ground, table: str) -> Iterator[Relation]:
    spec = ground.domain.tables[table]
    rows = _sample(ground, table)
    single = [(each.from_, each.to) for each in spec.references if "[" not in each.from_ + each.to]
    named = tuple((name, to) for name, to in single if to in ground.base.tables and "." not in name)
    yield Relation(table, "", {(key, ""): row for key, row in rows.items()}, named, spec.key)
    lists = {
        name
        for row in rows.values()
        for name, value in row.items()
        if isinstance(value, list) and any(isinstance(item, dict) for item in value)
    }
    for name in sorted(lists):
        prefix = f"{name}[]."
        within = [each for each in spec.references if each.from_.startswith(prefix)]
        inner = [(each.from_.removeprefix(prefix), each.to) for each in within]
        known = tuple(pair for pair in inner if pair[1] in ground.base.tables)
        yield Relation(table, name, dict(_items(rows, name)), known)


def _sample(ground: Ground, table: str) -> dict[str, Row]:
    rows = ground.base.tables[table]
    if len(rows) <= MOST_RECORDS:
        return rows
    near = [key for name, key in ground.first if name == table]
    keys = dict.fromkeys([*near, *list(rows)[:MOST_RECORDS]])
    return {key: rows[key] for key in keys}


def _items(rows: Mapping[str, Row], name: str) -> Iterator[tuple[Where, Row]]:
    for key, row in rows.items():
        items = row.get(name)
        for at, item in enumerate(items[:MOST_ITEMS] if isinstance(items, list) else ()):
            if isinstance(item, dict):
                yield (key, f"{name}.{at}"), item
