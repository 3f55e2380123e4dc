"""The rows of a case's records sets, at rest and as its plans leave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from triage.proposers.case import Case
from worlds.records import values_at

MOST = 2_000
"""Rows of a table."""

Row = Mapping[str, Any]


class TableRows:
    """Of one case."""

    def __init__(self, case: Case) -> None:
        self._seen = [*case.seen, *case.sound]

    @cached_property
    def sets(self) -> Sequence[Mapping[str, Sequence[Row]]]:
        """The tables of each records set."""
        found = {each.bundle.records.digest: each.bundle.records for each in self._seen}
        return [each.tables for each in found.values()]

    @cached_property
    def written(self) -> Mapping[str, Sequence[Row]]:
        """New rows that plans wrote, by table."""
        found: dict[str, list[Row]] = {}
        for each in self._seen:
            for change in each.reference.diff if each.reference else ():
                if change["op"] == "insert":
                    found.setdefault(change["table"], []).append(change["row"])
        return found

    def of(self, table: str) -> Sequence[Row]:
        """All rows of a table, at rest and written."""
        rows = [row for tables in self.sets for row in tables.get(table, ())]
        return [*rows[:MOST], *self.written.get(table, ())]

    def values(self, table: str, path: str) -> Sequence[Any]:
        """What the rows of a table say at a path."""
        return [value for row in self.of(table) for value in values_at(row, path)]
