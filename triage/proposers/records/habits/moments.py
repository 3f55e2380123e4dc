"""Days and moments that go by others: the same day, a fixed or a given time later, and an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from triage.proposers.records.habits.habit import Habit, habit
from triage.proposers.records.habits.relation import Relation, Where
from worlds.records import Row

UNITS = (("minutes", 60.0), ("hours", 3600.0), ("days", 86400.0))
MOST_FIELDS = 8


def moments(relation: Relation) -> Iterator[Habit]:
    """Of each two fields that hold days or moments."""
    fields = moment_fields(relation)
    numbers = relation.fields_of(int, float)
    for field in fields:
        for other in fields:
            if field != other:
                yield from _same_day(relation, field, other)
                yield from _later(relation, field, other)
                for number in numbers:
                    yield from _lasting(relation, field, other, number)


def moment_fields(relation: Relation) -> list[str]:
    """Fields in which nearly all values are days or moments."""
    found = []
    for name in relation.fields_of(str):
        values = [row[name] for row in relation.records.values() if row.get(name) is not None]
        fitting = sum(when(value) is not None for value in values)
        if fitting >= max(3, 0.9 * len(values)):
            found.append(name)
    return found[:MOST_FIELDS]


def when(value: Any) -> datetime | None:
    """The moment that a text says, in UTC where it names no zone."""
    if not isinstance(value, str) or not 10 <= len(value) <= 40 or not value[:4].isdecimal():
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _same_day(relation: Relation, field: str, other: str) -> Iterator[Habit]:
    def tells(_: Where, row: Row) -> list[Any]:
        one, two = row.get(field), row.get(other)
        if when(one) is None or when(two) is None:
            return []
        return [str(two)[:10] + str(one)[10:]]

    says = f"`{relation.name}.{field}` lies on the day of `{other}`"
    yield from habit(relation, field, says, tells, 0.7)


def _later(relation: Relation, field: str, other: str) -> Iterator[Habit]:
    found = (_gap(row, field, other) for row in relation.records.values())
    gaps = Counter(gap for gap in found if gap is not None)
    if not gaps:
        return
    usual, times = gaps.most_common(1)[0]
    if times < 0.8 * gaps.total() or (usual == 0.0 and times < 4):
        return
    step = timedelta(seconds=usual)
    says = f"`{relation.name}.{field}` is `{other}` and {step}"
    yield from habit(relation, field, says, lambda _, r: _moved(r, field, other, step), 0.8)


def _gap(row: Row, field: str, other: str) -> float | None:
    one, two = when(row.get(field)), when(row.get(other))
    return (one - two).total_seconds() if one and two else None


def _lasting(relation: Relation, field: str, other: str, number: str) -> Iterator[Habit]:
    """`end` is `start` and `minutes`; the number is told by both as well."""
    for unit, seconds in UNITS:

        def tells(_: Where, row: Row, seconds: float = seconds) -> list[Any]:
            lasts = row.get(number)
            if isinstance(lasts, bool) or not isinstance(lasts, (int, float)):
                return []
            if abs(lasts * seconds) > 1e10:
                return []
            return _moved(row, field, other, timedelta(seconds=lasts * seconds))

        def lasts(_: Where, row: Row, seconds: float = seconds) -> list[Any]:
            gap = _gap(row, field, other)
            if gap is None:
                return []
            return [int(gap / seconds) if (gap / seconds).is_integer() else gap / seconds]

        says = f"`{relation.name}.{field}` is `{other}` and `{number}` {unit}"
        found = list(habit(relation, field, says, tells))
        yield from found
        if found:
            yield from habit(relation, number, says, lasts)
            yield from habit(relation, other, says, _before(field, number, seconds), 0.9)


def _before(field: str, number: str, seconds: float) -> Any:
    def tells(_: Where, row: Row) -> list[Any]:
        lasts = row.get(number)
        if isinstance(lasts, bool) or not isinstance(lasts, (int, float)) or abs(lasts * seconds) > 1e10:  # fmt: skip
            return []
        return _moved(row, field, field, timedelta(seconds=-lasts * seconds))

    return tells


def _moved(row: Row, field: str, other: str, step: timedelta) -> list[Any]:
    """The moment of the other field, moved and written as it is written."""
    start, text = when(row.get(other)), str(row.get(other))
    if start is None:
        return []
    try:
        moved = start + step
    except OverflowError:
        return []
    if len(str(row.get(field) or text)) == 10:
        return [moved.date().isoformat()]
    if len(text) == 10:
        return []
    stamp = moved.isoformat(sep=text[10])
    return [stamp[:-6] + "Z" if text.endswith("Z") else stamp if "+" in text[10:] else stamp[:-6]]


def orders(relation: Relation) -> Iterator[tuple[str, str, int, list[Where]]]:
    """Two fields of which one is never later than the other, with the few records in which it is."""
    fields = moment_fields(relation)
    for field in fields:
        for other in fields:
            if field != other:
                found = {w: _gap(r, other, field) for w, r in relation.records.items()}
                gaps = {where: gap for where, gap in found.items() if gap is not None}
                broken = [where for where, gap in gaps.items() if gap < 0]
                if broken and len(broken) <= max(1, 0.02 * len(gaps)) and len(gaps) >= 6:
                    yield field, other, len(gaps) - len(broken), broken
