"""Faults of records: rows that environments are bound to are gone, double, or say something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from benchmarks.mutation import Document, Original, Site, edited, fault, without
from benchmarks.operators.development.boundrows import (
    BoundRow,
    bound_rows,
    may_be_null,
    references,
    referred,
    schema_of,
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


@fault("row-doubled", "records", "A row is there twice, under two keys, and either could be meant.")
def row_doubled(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        if each.table in ("people", "tickets", "meetings", "rooms", "groups", "accounts"):
            changed = partial(_twice, original, each)
            yield Site(each.records, f"tables.{each.table}[{each.key}]", changed, each.name)


def _twice(original: Original, each: BoundRow) -> Document:
    document = original.records[each.records]
    twin = {**each.row, original.key_field(each.table): f"{each.key}0"}
    place = each.place[:-1]
    return edited(document, place, [*document["tables"][each.table], twin])


@fault("number-as-text", "records", "A number or a truth value is stored as a text.")
def number_as_text(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, value in each.facts.items():
            if isinstance(value, (bool, int)):
                yield _with(original, each, field, str(value).lower())


@fault("date-in-other-notation", "records", "A date is written as other systems write it.")
def date_in_other_notation(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, value in each.facts.items():
            if isinstance(value, str) and INSTANT.fullmatch(value):
                yield _with(original, each, field, f"{value[:10]} {value[11:16]}Z")
            elif isinstance(value, str) and DAY.fullmatch(value):
                yield _with(original, each, field, f"{value[8:]}/{value[5:7]}/{value[:4]}")


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


@fault("field-nulled", "records", "A field that is needed is null.")
def field_nulled(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field in sorted(each.used - {original.key_field(each.table)}):
            if each.row[field] is not None:
                yield _with(original, each, field, None)


@fault("field-missing", "records", "A field that is needed is not there.")
def field_missing(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field in sorted(each.used - {original.key_field(each.table)}):
            changed = partial(without, original.records[each.records], each.field(field))
            place = f"tables.{each.table}[{each.key}]#{field}"
            yield Site(each.records, place, changed, each.name)


@fault("reference-elsewhere", "records", "A row refers to another row than it should.")
def reference_elsewhere(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, table in references(original, each.table):
            rows = original.records[each.records]["tables"][table]
            keys = [row[original.key_field(table)] for row in rows]
            value = each.facts.get(field)
            if value in keys and len(keys) > 1:
                yield _with(original, each, field, keys[(keys.index(value) + 1) % len(keys)])


@fault("reference-dangling", "records", "A row refers to one that nobody has written.")
def reference_dangling(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, _ in references(original, each.table):
            if isinstance(each.facts.get(field), str):
                yield _with(original, each, field, f"{each.row[field]}X")


@fault("state-exchanged", "records", "A row is in another state than the rest says.")
def state_exchanged(original: Original) -> Iterator[Site]:
    for each in bound_rows(original):
        for field, value in each.facts.items():
            schema = schema_of(original, each.table, field)
            others = [other for other in schema.get("enum", []) if other not in (value, None)]
            if others and not may_be_null(schema):
                yield _with(original, each, field, others[0])
