"""Rows that are named as a row that is gone is named: what they have, it will have had."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from triage.proposers.records.ground import Ground
from worlds.canonical import canonical
from worlds.records import Row

FEWEST = 2
MANY = 0.8
"""Of all rows: a field with so many different values names each row, and is nobody's habit."""
MOST = 6
MOST_NAMING = 30


class Peers:
    """Of one key that no row of its table has."""

    def __init__(self, ground: Ground, table: str, key: str) -> None:
        self.ground, self.table = ground, table
        rows = ground.base.tables[table]
        beside: Counter[str] = Counter()
        alike = set(rows)
        for child, path in _ways(ground, table):
            index = ground.base.index(child, path)
            naming = index.get(canonical(key), [])
            if naming:
                alike &= {each for each in rows if canonical(each) in index}
                if path.endswith("[]"):
                    beside.update(_named_with(index, set(naming)))
        self.references = {each.from_ for each in ground.domain.tables[table].references}
        self.around = list(_around(ground, table, key))
        """What rows that name it name beside it, and these rows themselves."""
        self.beside = [each for each in beside if each in rows]
        """Rows that stand with it in a list."""
        self.alike = sorted(alike)
        """Rows that are named in all the ways in which it is."""

    def values(self, name: str) -> Iterator[Any]:
        """What most of them have in a field, those of the nearest first."""
        column = self.ground.column(self.table, name)
        if len(set(column.values())) > MANY * len(column) and len(column) > FEWEST:
            return
        if name in self.references:
            near = Counter(
                canonical(row[name]) for row in self.around if isinstance(row.get(name), str)
            )
            yield from (json.loads(value) for value, _ in near.most_common(FEWEST))
        for keys in (self.beside, self.alike, list(column)):
            counts = Counter(column[key] for key in keys if key in column)
            if counts.total() >= FEWEST:
                ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
                yield from (json.loads(value) for value, _ in ranked[:MOST])


def _ways(ground: Ground, table: str) -> Iterator[tuple[str, str]]:
    for child, spec in ground.domain.tables.items():
        for reference in spec.references:
            if reference.to == table:
                yield child, reference.from_


def _around(ground: Ground, table: str, key: str) -> Iterator[Row]:
    for child, path in _ways(ground, table):
        for naming in ground.base.index(child, path).get(canonical(key), [])[:MOST_NAMING]:
            row = ground.base.tables[child][naming]
            yield row
            for reference in ground.domain.tables[child].references:
                other = row.get(reference.from_)
                if reference.to != table and isinstance(other, str):
                    yield ground.base.tables.get(reference.to, {}).get(other, {})


def _named_with(index: dict[str, list[str]], naming: set[str]) -> list[str]:
    return [json.loads(value) for value, keys in index.items() if naming & set(keys)]
