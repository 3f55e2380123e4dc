"""Rows of which one field is otherwise than in every other row of their table, where no schema says what it must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from worlds.findings import Finding, finding
from worlds.records import Base, Row

ROWS = 20
"""Of a table with fewer, one row shows no habit."""
TYPES = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
    dict: "object",
    type(None): "null",
}
ABSENT = "absent"


def odd_rows(base: Base, slug: str) -> dict[str, list[Finding]]:
    """Row (`table/key`) → warnings against the records set `slug`, for the only row of its table that lacks a field,
    or has null or a value of another type in it."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for table, rows in base.tables.items():
        if len(rows) < ROWS:
            continue
        properties = base.domain.tables[table].schema_.get("properties") or {}
        for field, key, habit in _odd(rows):
            has = _type(rows[key], field)
            if has == ABSENT or not properties.get(field):
                found[f"{table}/{key}"].append(_finding(slug, table, key, field, rows[key], habit))
    return dict(found)


def _odd(rows: Mapping[str, Row]) -> Iterator[tuple[str, str, str]]:
    """Field, key of the only row that is otherwise, and the type that all others have there."""
    for field in sorted({name for row in rows.values() for name in row}):
        by_type: dict[str, list[str]] = defaultdict(list)
        for key, row in rows.items():
            by_type[_type(row, field)].append(key)
        if len(by_type) == 2:  # the habit, and what departs from it
            (_, odd), (habit, _) = sorted(by_type.items(), key=lambda item: len(item[1]))
            if len(odd) == 1 and habit not in (ABSENT, "null"):
                yield field, odd[0], habit


def _type(row: Row, field: str) -> str:
    return TYPES[type(row[field])] if field in row else ABSENT


def _finding(slug: str, table: str, key: str, field: str, row: Row, habit: str) -> Finding:
    has = f"has {_shown(row[field])} in" if field in row else "lacks"
    return finding(
        "row-invalid",
        "records",
        slug,
        severity="warning",
        place=f"{table}/{key}#{field}",
        symbol=f"{table}.{field}",
        message=f"{table}/{key} {has} {field}, where every other row of {table} has a value of type {habit}.",
        evidence={"table": table, "key": key, "field": field},
    )


def _shown(value: Any) -> str:
    return "null" if value is None else f"{value!r:.60}"
