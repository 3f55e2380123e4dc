"""What a records set would say otherwise, row by row: rows are edited as JSON, never the whole file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worlds.canonical import canonical

Rows = Mapping[str, Mapping[str, dict[str, Any]]]
"""Table → key → row."""


@dataclass(frozen=True)
class RowEdit:
    """One row before and after, as JSON text of one field a line; "" = there is none."""

    table: str
    key: str
    before: str
    after: str

    @property
    def place(self) -> str:
        return f"{self.table}/{self.key}"

    @property
    def act(self) -> str:
        """`insert`, `delete` or `update`."""
        return "insert" if not self.before else "update" if self.after else "delete"


def keyed(records: Any, contract: Any) -> Rows:
    """The rows of a records set by table and key; those without a key are left out."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for table, rows in records.get("tables", {}).items():
        key = contract.get("tables", {}).get(table, {}).get("key", "")
        found[table] = {str(row[key]): row for row in rows if key in row}
    return found


def row_edits(before: Rows, after: Rows) -> list[RowEdit]:
    """The rows in which two records sets differ, by table and key."""
    return list(_differing(before, after))


def _differing(before: Rows, after: Rows) -> Iterator[RowEdit]:
    for table in sorted({*before, *after}):
        mine, theirs = before.get(table, {}), after.get(table, {})
        for key in sorted({*mine, *theirs}):
            one, other = mine.get(key), theirs.get(key)
            if one is None or other is None or canonical(one) != canonical(other):
                yield RowEdit(table, key, laid_out(one), laid_out(other))


def laid_out(row: dict[str, Any] | None) -> str:
    """A row as text to be read and edited: one field a line."""
    return "" if row is None else json.dumps(row, ensure_ascii=False, indent=2)
