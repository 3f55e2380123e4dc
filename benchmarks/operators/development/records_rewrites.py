"""Records that say the same: rows that nobody looks for, free notes in other words, lists in another order.

The order of rows and of a row's fields is no part of a body; no rewrite changes only that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Site, edited, rewrite

KEY = "X-EXTRA"
"""Unlike any key that a tool would give next: tools count on from the highest of their own form."""
STRANGERS: Mapping[str, Mapping[str, Any]] = {
    "holidays": {"name": "Matariki", "date": "2019-07-10", "country": "NZ", "office_id": None},
    "offices": {
        "name": "Old Depot", "city": "Reykjavik", "country": "IS", "tz": "Atlantic/Reykjavik",
        "visitor_limit": 3,
    },
    "series": {
        "title": "Archive of the old choir", "weekday": 6, "time": "08:15", "minutes": 10,
        "tz": "Europe/London", "until": "2019-12-31",
    },
    "absences": {"first_day": "2019-07-01", "last_day": "2019-07-02", "kind": "travel"},
    "assets": {"model": "Slide projector"},
    "calendars": {
        "name": "Hours of a closed office", "tz": "Atlantic/Reykjavik", "opens": "09:00",
        "closes": "12:00", "days": ["saturday"], "holidays": [],
    },
    "shifts": {
        "name": "Of a closed office", "tz": "Atlantic/Reykjavik", "starts": "09:00", "ends": "12:00",
        "days": ["saturday"],
    },
    "groups": {"name": "Zither players", "privileged": False, "seats": None},
}  # fmt: skip
"""Rows that no intent can be about and no tool can come upon by chance."""
BORROWED = ("organizer_id", "person_id", "entered_by", "owner_id")
"""Fields of such rows that must name somebody."""


@rewrite(
    "stranger-added", "records", "There is one more row, which has nothing to do with any other."
)
def stranger_added(original: Original) -> Iterator[Site]:
    for slug, document in original.records.items():
        for table in sorted(STRANGERS.keys() & document["tables"].keys()):
            changed = partial(_with_stranger, original, slug, table)
            yield Site(slug, f"tables.{table}[{KEY}]", changed)


def _with_stranger(original: Original, slug: str, table: str) -> Document:
    document = original.records[slug]
    rows = document["tables"][table]
    row = {**STRANGERS[table], original.key_field(table): KEY}
    somebody = document["tables"]["people"][-1]["person_id"]
    named = {field: somebody for field in BORROWED if field in rows[0]}
    return edited(document, ("tables", table), [*rows, {**row, **named}])


def _rows(original: Original) -> Iterator[tuple[str, str, int, str]]:
    for slug, document in original.records.items():
        for table, rows in document["tables"].items():
            field = original.key_field(table)
            yield from ((slug, table, index, row[field]) for index, row in enumerate(rows))


@rewrite("list-in-other-order", "records", "A list whose order says nothing is in another order.")
def list_in_other_order(original: Original) -> Iterator[Site]:
    bound = set(original.bound)
    for slug, table, place, key in _rows(original):
        if (slug, table, key) not in bound:
            continue
        row = original.records[slug]["tables"][table][place]
        for field, schema in original.domain["tables"][table]["schema"]["properties"].items():
            if schema.get("x-unordered") and len(row[field]) > 1:
                changed = partial(_reversed, original, slug, ("tables", table, place, field))
                yield Site(slug, f"tables.{table}[{key}]#{field}", changed, f"{table}/{key}")


def _reversed(original: Original, slug: str, place: tuple[str | int, ...]) -> Document:
    value: Any = original.records[slug]
    for step in place:
        value = value[step]
    return edited(original.records[slug], place, list(reversed(value)))
