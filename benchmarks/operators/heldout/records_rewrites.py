"""Rewrites of records that mean the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, rewrite
from benchmarks.operators.heldout.rows import bound_rows, links, properties


@rewrite(
    "unrelated-text-changed",
    "records",
    "A free text of a row that no environment speaks of is reworded.",
)
def unrelated_text_changed(original: Original) -> Iterator[Site]:
    for records, document in original.records.items():
        known = _said(original, records)
        for table, rows in document["tables"].items():
            fields = properties(original, table)
            free = [n for n, s in fields.items() if s.get("x-text") or n in ("reason", "note")]
            for index, row in enumerate(rows):
                key = str(row[original.key_field(table)])
                around = {
                    (table, key),
                    *((to, row.get(name)) for name, to in links(original, table)),
                }
                for field in free if not around & known else []:
                    if row.get(field):
                        place = ("tables", table, index, field)
                        changed = partial(edited, document, place, f"{row[field]} (reworded)")
                        yield Site(records, f"tables.{table}[{key}]#{field}", changed)


def _said(original: Original, records: str) -> set[tuple[str, str]]:
    """Table and key of a records set's rows that environments speak of."""
    return {(table, key) for slug, table, key, _ in bound_rows(original) if slug == records}


@rewrite("numbers-respelt", "records", "Whole amounts are written with or without a decimal point.")
def numbers_respelt(original: Original) -> Iterator[Site]:
    for records, document in original.records.items():
        for table, rows in document["tables"].items():
            amounts = [
                name for name, s in properties(original, table).items() if s.get("type") == "number"
            ]
            for name in amounts:
                new = [{**row, name: _respelt(row[name])} if name in row else row for row in rows]
                if any(
                    repr(a.get(name)) != repr(b.get(name)) for a, b in zip(new, rows, strict=True)
                ):
                    changed = partial(edited, document, ("tables", table), new)
                    yield Site(records, f"tables.{table}#{name}", changed)


def _respelt(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, int):
        return float(value)
    return int(value) if value.is_integer() else value
