"""Which rows of a table to try: a few of every state that the records know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from random import Random
from typing import Any

from worlds.records import Base, Row
from worlds.relations.subject import texts

SORTS = 12
"""A field with more values than this says who a row is, not in what state."""
LOOKED_AT = 100
"""Rows of a sort that are looked through for those that speak of something."""


class Spread:
    """The rows of each table by sort: the value of a field that knows few, or whether a field is there at all."""

    def __init__(self, base: Base, draw: Random) -> None:
        self.base, self.draw = base, draw
        self._sorts: dict[str, list[list[str]]] = {}
        self._turn: dict[str, count[int]] = {}
        self._texts: dict[tuple[str, str], frozenset[str]] = {}

    def next(self, table: str, known: set[str]) -> str | None:
        """Another row's key: of each sort in turn; every second time one that speaks of something known."""
        sorts = self.sorts(table)
        if not sorts:
            return None
        turn = next(self._turn.setdefault(table, count()))
        keys = sorts[turn % len(sorts)]
        if (turn // len(sorts)) % 2:
            return self.draw.choice(keys)
        start = self.draw.randrange(len(keys))
        tried = (keys[(start + n) % len(keys)] for n in range(min(len(keys), LOOKED_AT)))
        related = (key for key in tried if known & self._said(table, key))
        return next(related, None) or keys[start]

    def _said(self, table: str, key: str) -> frozenset[str]:
        if (table, key) not in self._texts:
            row = self.base.tables[table][key]
            self._texts[table, key] = frozenset(texts(list(row.values())))
        return self._texts[table, key]

    def sorts(self, table: str) -> list[list[str]]:
        """The keys of a table's rows, by sort; a row is in several."""
        if table not in self._sorts:
            groups: dict[tuple[str, str], list[str]] = {}
            for key, row in self.base.tables[table].items():
                for mark in _marks(row):
                    groups.setdefault(mark, []).append(key)
            few = _with_few_values(groups, len(self.base.tables[table]))
            found = [groups[mark] for mark in sorted(groups) if mark[0] in few]
            self._sorts[table] = found or [keys for keys in [list(self.base.tables[table])] if keys]
        return self._sorts[table]


def _marks(row: Row) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if isinstance(value, (str, bool)) or value is None:
            yield name, repr(value)
        elif isinstance(value, list):
            yield f"{name}[]", str(min(len(value), 3))
        yield f"{name}?", "there"


def _with_few_values(groups: Mapping[tuple[str, str], Any], rows: int) -> set[str]:
    """The fields that have few values, and tell some rows from others."""
    values: dict[str, int] = {}
    for name, _ in groups:
        values[name] = values.get(name, 0) + 1
    alike = {name for name, _ in groups if len(groups[name, _]) == rows}
    return {
        name
        for name, number in values.items()
        if number <= min(SORTS, rows // 2) and name not in alike
    }
