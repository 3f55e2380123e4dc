"""Typed answers: what results say in so many words, and what can be computed from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from agents.knowledge import Knowledge
from agents.moments import in_zone, moment
from agents.options import Option
from agents.texts import numbers, phrases
from agents.times import minutes_between

GROUPS = 12
"""Rows are counted by a field that has at most so many values."""
TELLING = 5
"""Letters of a text that is not met by chance."""
LARGE = 1000
PAIRED = 60
"""Numbers of different results that are added and subtracted."""


def plain_values(result: Any) -> Iterator[Any]:
    """Every scalar and every list of a result, outermost first."""
    yield result
    inner = (
        result.values() if isinstance(result, dict) else result if isinstance(result, list) else ()
    )
    for value in inner:
        yield from plain_values(value)


def computed(result: Any, zones: Iterable[str] = ()) -> Iterator[Any]:
    """What one result's values come to: counts, sums, extremes, differences, columns, and parts of times."""
    places = list(zones)
    for value in plain_values(result):
        if isinstance(value, list):
            yield from _of_list(value)
        elif isinstance(value, dict):
            yield len(value)
            yield from _of_row(value)
        elif isinstance(value, str):
            yield from _of_text(value, places)


def _of_list(items: list[Any]) -> Iterator[Any]:
    yield len(items)
    rows = [item for item in items if isinstance(item, dict)]
    if len(rows) == len(items) and rows:
        yield from _of_rows(rows)
        for group in _groups(rows):
            yield len(group)
            yield from _of_rows(group)
    elif items:
        yield from _extremes(items)


def _of_rows(rows: list[dict[str, Any]]) -> Iterator[Any]:
    for key in rows[0]:
        column = [row[key] for row in rows if row.get(key) is not None]
        scalars = [value for value in column if isinstance(value, (str, int, float))]
        if scalars and len(scalars) == len(column):
            yield column
            yield from _extremes(column)
            distinct = list(dict.fromkeys(column))
            if len(distinct) < len(column):
                yield distinct
                yield len(distinct)


def _extremes(items: list[Any]) -> Iterator[Any]:
    if all(isinstance(item, (int, float)) for item in items):
        total = sum(items)
        yield from (total, min(items), max(items), max(items) - min(items), total / len(items))
    elif all(isinstance(item, str) for item in items):
        yield from (min(items), max(items))


def _groups(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The rows that share a value in some field, and those that do not have it."""
    for key in rows[0]:
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            found[repr(row.get(key))].append(row)
        if 1 < len(found) <= GROUPS:
            for value, group in found.items():
                yield group
                yield [row for row in rows if repr(row.get(key)) != value]


def _of_row(row: dict[str, Any]) -> Iterator[Any]:
    values = list(row.values())
    times = [value for value in values if moment(value) is not None]
    for one, other in combinations(times[:6], 2):
        minutes = minutes_between(one, other)
        if minutes is not None:
            yield from (abs(minutes), abs(minutes) / 60, abs(minutes) / 1440)
    amounts = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    for first, second in combinations(amounts[:8], 2):
        yield from (first + second, first - second, second - first, first * second)
    nested = [value for value in values if isinstance(value, dict)]
    if len(nested) > 1:
        yield from _of_rows(nested)


def _of_text(text: str, zones: list[str]) -> Iterator[Any]:
    when = moment(text)
    if when is not None:
        yield from (text[:10], text[11:16], when.strftime("%A"))
        for name in zones:
            there = in_zone(when, name)
            if there is not None:
                local = there.isoformat()
                yield from (local[11:16], local[:10], local[:16], there.strftime("%A"))
    elif " " in text:
        yield from (number for number, _ in numbers(text))
        yield from (phrase.text for phrase in phrases(text) if phrase.kind in ("code", "name"))


def combined(knowledge: Knowledge) -> Iterator[Option]:
    """Sums, differences and products of numbers of different results, those that were spoken of first."""
    known = [
        (fact, float(fact.value))
        for _, facts in knowledge.ranked()
        for fact in facts
        if isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool)
    ]
    chosen = sorted(known, key=lambda each: -each[0].weight)[:PAIRED]
    for (one, first), (other, second) in combinations(chosen, 2):
        sources = (one.source, other.source)
        for value in (first + second, abs(first - second), first * second):
            yield Option(value, 1.0, sources, "(computed)")


def is_telling(value: Any) -> bool:
    """Whether a value is rarely met by chance: a name, an instant or an amount, but not a small number or a day."""
    if isinstance(value, list):
        return any(is_telling(item) for item in value)
    if isinstance(value, str):
        letters = sum(letter.isalpha() for letter in value)
        return letters >= TELLING or moment(value) is not None
    if isinstance(value, (int, float)):
        return not float(value).is_integer() or abs(value) >= LARGE
    return False


def typed(kind: str, value: Any) -> Any:
    """The value as an answer of that JSON type, or None where it is none."""
    if kind == "string":
        if isinstance(value, str):
            return value
        return (
            str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        )
    if kind in ("number", "integer"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        whole = float(value).is_integer() if abs(value) < 1e15 else False
        return int(value) if kind == "integer" and whole else None if kind == "integer" else value
    if kind == "array":
        return value if isinstance(value, list) else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    return value
