"""Rows that do not fit their schema, or are the only one of their table that is otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import fields_of, mends
from worlds.contract import row_validator
from worlds.records import Row

MOST_ROWS = 12
ALIKE = 0.6


def schema_mends(ground: Ground) -> Iterator[Mend]:
    """For each field that a finding names, and each that is missing or too many."""
    rows: dict[tuple[str, str], list[str]] = {}
    for item in ground.findings:
        if item.code == "row-invalid" and not item.evidence.get("invariant"):
            place = (item.evidence["table"], item.evidence["key"])
            rows.setdefault(place, []).append(item.evidence.get("field", ""))
    for (table, key), paths in list(rows.items())[:MOST_ROWS]:
        row = ground.row((table, key))
        if row is not None:
            yield from _names(ground, table, key, row)
            for path in dict.fromkeys(each for each in paths if each):
                yield from _fitting(ground, table, mends(ground, table, key, path, 1.0))


def _fitting(ground: Ground, table: str, found: Iterator[Mend]) -> Iterator[Mend]:
    """Those after which the schema says no more than before of other fields."""
    try:
        validator: Any = row_validator(ground.domain.tables[table].schema_)
    except ValueError:
        return
    for mend in found:
        if all(row is None or validator.is_valid(row) for row in mend.rows.values()):
            yield mend
            continue
        # Another field of the row may be wrong as well.
        yield Mend(mend.rows, mend.how, mend.chance * 0.2, mend.authority)


def _names(ground: Ground, table: str, key: str, row: Row) -> Iterator[Mend]:
    """Fields that are called otherwise, that are missing, that nobody knows."""
    schema = ground.domain.tables[table].schema_
    known = fields_of(ground, table)
    missing = [name for name in _required(ground, table) if name not in row]
    strange = [name for name in row if name not in known] if schema.get("properties") else []
    for name in strange:
        absent = [each for each in known if each not in row]
        for other in sorted(absent, key=lambda each: (-_alike(name, each), each))[:2]:
            changed = {other if field == name else field: value for field, value in row.items()}
            chance = 0.9 if _alike(name, other) >= ALIKE else 0.35
            authority = f"schema: `{table}` has a field `{other}`, and none `{name}`"
            yield Mend({(table, key): changed}, "Call the field as the schema does", chance, authority)  # fmt: skip
        if schema.get("additionalProperties") is False:
            less = {field: value for field, value in row.items() if field != name}
            authority = f"schema: `{table}` has no field `{name}`"
            yield Mend({(table, key): less}, "Take the field out", 0.35, authority)
    for name in missing:
        yield from _given(ground, table, key, name)


def _given(ground: Ground, table: str, key: str, name: str) -> Iterator[Mend]:
    authority = f"schema: `{table}.{name}` is required"
    for mend in _fitting(ground, table, mends(ground, table, key, name)):
        yield Mend(mend.rows, mend.how, mend.chance, mend.authority or authority)


def _required(ground: Ground, table: str) -> list[str]:
    """By the schema, or by what every other row has."""
    required = ground.domain.tables[table].schema_.get("required")
    if isinstance(required, list):
        return [name for name in required if isinstance(name, str)]
    rows = list(ground.base.tables[table].values())
    names = {name for row in rows[:200] for name in row}
    return sorted(n for n in names if len(rows) >= 4 and sum(n not in row for row in rows) == 1)


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
