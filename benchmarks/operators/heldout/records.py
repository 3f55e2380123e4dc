"""Faults of records: rows as a careless import or generator leaves them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, fault, places
from benchmarks.operators.heldout.rows import bound_rows, fresh_key, links, properties, words


def _field_site(
    original: Original, where: tuple[str, str, str], steps: tuple[str | int, ...], value: Any
) -> Site:
    records, table, key = where
    place = (*original.place_of(records, table, key), *steps)
    named = ".".join(map(str, steps))
    return Site(
        records,
        f"tables.{table}[{key}]#{named}",
        partial(edited, original.records[records], place, value),
        touches=f"{table}/{key}",
    )


@fault(
    "row-relinked",
    "records",
    "A row names another row of the right table: not the one that it belongs to.",
)
def row_relinked(original: Original) -> Iterator[Site]:
    for records, table, key, row in bound_rows(original):
        for field, target in links(original, table):
            keys = [
                str(r[original.key_field(target)])
                for r in original.records[records]["tables"].get(target, [])
            ]
            if row.get(field) in keys and len(keys) > 1 and "|" not in key:
                other = keys[(keys.index(row[field]) + 1) % len(keys)]
                yield _field_site(original, (records, table, key), (field,), other)


@fault("row-duplicated", "records", "The same thing stands in its table twice, under two keys.")
def row_duplicated(original: Original) -> Iterator[Site]:
    for records, table, key, row in bound_rows(original):
        field = original.key_field(table)
        rows = original.records[records]["tables"][table]
        fresh = fresh_key(rows, field, key)
        if fresh:
            index = original.place_of(records, table, key)[2]
            more = [*rows[: index + 1], {**row, field: fresh}, *rows[index + 1 :]]
            changed = partial(edited, original.records[records], ("tables", table), more)
            yield Site(records, f"tables.{table}[{key}]", changed, touches=f"{table}/{key}")


@fault("state-misspelt", "records", "A status is spelled in another way than everywhere else.")
def state_misspelt(original: Original) -> Iterator[Site]:
    for records, table, key, row in bound_rows(original):
        for field in properties(original, table):
            if row.get(field) in words(original, table, field):
                spelled = _misspelt(row[field])
                yield _field_site(original, (records, table, key), (field,), spelled)


def _misspelt(word: str) -> str:
    if "lled" in word:
        return word.replace("lled", "led")
    return word.replace("_", "-") if "_" in word else word.capitalize()


@fault(
    "amount-changed",
    "records",
    "A figure is off, so that it no longer agrees with what it is made of.",
)
def amount_changed(original: Original) -> Iterator[Site]:
    for records, table, key, row in bound_rows(original):
        for steps in places(row):
            value: Any = row
            for step in steps:
                value = value[step]
            if isinstance(value, int | float) and not isinstance(value, bool):
                off = _off(value)
                yield _field_site(original, (records, table, key), steps, off)


def _off(value: float) -> float:
    if isinstance(value, int):
        return value + max(1, abs(value) // 10)
    return round(value + max(1.0, abs(value) * 0.1), 2)


def _moved(match: re.Match[str]) -> str:
    year, month, day, rest = match.groups()
    if int(day) <= 12 and day != month:
        return f"{year}-{day}-{month}{rest}"
    later = int(month) % 12 + 1
    return f"{int(year) + (later == 1)}-{later:02d}-{min(int(day), 28):02d}{rest}"
