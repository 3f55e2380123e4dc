"""Faults of records: rows that environments are bound to are gone, double, or say something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, fault, without
from benchmarks.operators.development.boundrows import (
    BoundRow,
    bound_rows,
    referred,
)

DAY = re.compile(r"\d{4}-\d\d-\d\d")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


def _with(original: Original, each: BoundRow, field: str, value: Any) -> Site:
    changed = partial(edited, original.records[each.records], each.field(field), value)
    return Site(each.records, f"tables.{each.table}[{each.key}]#{field}", changed, each.name)


@fault("row-deleted", "records", "A row that others refer to is gone.")
def row_deleted(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        if (each.table, each.key) in referred(original, each.records):
            changed = partial(without, original.records[each.records], each.place)
            yield Site(each.records, f"tables.{each.table}[{each.key}]", changed, each.name)


@fault("number-as-text", "records", "A number or a truth value is stored as a text.")
def number_as_text(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, value in each.facts.items():
            if isinstance(value, (bool, int)):
                yield _with(original, each, field, str(value).lower())


@fault("date-shifted", "records", "A date was moved, and no longer agrees with the rest.")
def date_shifted(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, value in each.facts.items():
            if isinstance(value, str) and INSTANT.fullmatch(value):
                for name, step in (
                    ("a day on", timedelta(days=1)),
                    ("a week back", timedelta(days=-7)),
                ):
                    moved = (datetime.fromisoformat(value) + step).isoformat()
                    yield _moved(original, each, field, moved, name)
            elif isinstance(value, str) and DAY.fullmatch(value):
                moved = (date.fromisoformat(value) - timedelta(days=30)).isoformat()
                yield _moved(original, each, field, moved, "a month back")


def _moved(original: Original, each: BoundRow, field: str, value: str, how: str) -> Site:
    changed = partial(edited, original.records[each.records], each.field(field), value)
    place = f"tables.{each.table}[{each.key}]#{field} {how}"
    return Site(each.records, place, changed, each.name)


@fault("field-missing", "records", "A field that is needed is not there.")
def field_missing(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field in sorted(each.used - {original.key_field(each.table)}):
            changed = partial(without, original.records[each.records], each.field(field))
            place = f"tables.{each.table}[{each.key}]#{field}"
            yield Site(each.records, place, changed, each.name)
