"""The functions that conditions may call, beside CEL's own; docs/library.md says what each gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from math import inf
from operator import itemgetter
from typing import Any

from worlds.cel_values import LIST_LIMIT, Shape
from worlds.diff import same
from worlds.workinghours import DAYS, WorkingHours, working_hours, zone_of

FIND_LIMIT = 200
"""Rows that `find` may give."""
CLOSE = 0.005

NUMBER: Shape = {"type": "number"}
INTEGER: Shape = {"type": "integer"}
BOOLEAN: Shape = {"type": "boolean"}
TEXT: Shape = {"type": "string"}
TEXTS: Shape = {"type": "array", "items": TEXT}
LOCAL: Shape = {
    "type": "object",
    "properties": {
        "date": TEXT, "time": TEXT, "weekday": TEXT, "hour": INTEGER, "minute": INTEGER, "iso": TEXT,
    },
}  # fmt: skip


class FunctionFailed(ValueError):
    """A function was given what it cannot work on; the message is one sentence."""


@dataclass(frozen=True)
class Signature:
    """How a function is called, and what is known of what it gives."""

    fewest: int
    most: int
    gives: Shape = None


MANY = 64

BUILT_IN: Mapping[str, Signature] = {
    "has": Signature(1, 1, BOOLEAN),
    "size": Signature(1, 1, INTEGER),
    "int": Signature(1, 1, INTEGER),
    "uint": Signature(1, 1),
    "double": Signature(1, 1, NUMBER),
    "string": Signature(1, 1, TEXT),
    **dict.fromkeys(("bytes", "timestamp", "duration", "dyn", "type"), Signature(1, 1)),
    **dict.fromkeys(("contains", "startsWith", "endsWith", "matches"), Signature(2, 2, BOOLEAN)),
    **dict.fromkeys(
        (
            "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours",
            "getMinutes", "getSeconds", "getMilliseconds",
        ),
        Signature(1, 1, INTEGER),
    ),
}  # fmt: skip

ON_RECORDS: Mapping[str, Signature] = {
    "get": Signature(2, 2),
    "start_get": Signature(2, 2),
    "find": Signature(2, 2),
    "start_find": Signature(2, 2),
    "count": Signature(1, 2, INTEGER),
    "changed": Signature(2, 3, BOOLEAN),
    "now": Signature(0, 0, TEXT),
}
"""Functions that look at the world; `worlds.evaluation` carries them out."""

IN_SCRIPTS = ("refused", "called", "asked", "said_like")
"""Functions that only the `when` of a script's line may call; `worlds.user` carries them out."""

TYPE_NAMES = frozenset(
    {"int", "uint", "double", "string", "bool", "bytes", "list", "map", "null_type", "type"}
)


def total(values: Any) -> float:
    """`sum`"""
    return float(sum(_number(value) for value in _list(values)))


def smallest(*values: Any) -> Any:
    """`min`"""
    return min(_comparable(values))


def largest(*values: Any) -> Any:
    """`max`"""
    return max(_comparable(values))


def _comparable(values: tuple[Any, ...]) -> list[Any]:
    given = _list(values[0]) if len(values) == 1 else list(values)
    if not given:
        raise FunctionFailed("an empty list has no smallest or largest element")
    for kind in ((int, float), str, datetime):
        if all(isinstance(value, kind) and not isinstance(value, bool) for value in given):
            return given
    raise FunctionFailed("only numbers, or only text, can be compared")


def sort_by(values: Any, path: Any) -> list[Any]:
    """`sort_by`"""
    keyed = [(_field(value, path), value) for value in _list(values)]
    if keyed:
        _comparable(([key for key, _ in keyed],))
    return [value for _, value in sorted(keyed, key=itemgetter(0))]


def _field(value: Any, path: Any) -> Any:
    for name in _text(path).split("."):
        if not isinstance(value, Mapping) or name not in value:
            raise FunctionFailed(f"an element has no field {path!r} to sort by")
        value = value[name]
    return value


def lower(text: Any) -> str:
    """`lower`"""
    return _text(text).lower()


def split(text: Any, separator: Any) -> list[str]:
    """`split`"""
    if not _text(separator):
        raise FunctionFailed("text cannot be split at an empty separator")
    parts = _text(text).split(separator)
    if len(parts) > LIST_LIMIT:
        raise FunctionFailed(f"{len(parts)} parts are more than {LIST_LIMIT}")
    return parts


def round2(number: Any) -> float:
    """`round2`"""
    return round(float(_number(number)), 2)


def close(one: Any, other: Any, tolerance: Any = CLOSE) -> bool:
    """`close`; a hair is added to the tolerance, so that 0.1 apart is within 0.1."""
    apart = abs(float(_number(one)) - float(_number(other)))
    return apart <= float(_number(tolerance)) + 1e-9


def day(when: Any) -> str:
    """`date`"""
    return _day(when).isoformat()


def weekday(when: Any) -> str:
    """`weekday`"""
    return _weekday(_day(when))


def days_between(one: Any, other: Any) -> int:
    """`days_between`"""
    return (_day(other) - _day(one)).days


def minutes_between(one: Any, other: Any) -> float:
    """`minutes_between`"""
    return (_moment(other) - _moment(one)).total_seconds() / 60


def local(when: Any, zone: Any) -> dict[str, Any]:
    """`local`"""
    try:
        there = _moment(when).astimezone(zone_of(_text(zone)))
    except (ValueError, OverflowError):
        raise FunctionFailed(f"there is no time zone {_named(zone)} for {_named(when)}") from None
    return {
        "date": there.date().isoformat(),
        "time": there.strftime("%H:%M"),
        "weekday": _weekday(there.date()),
        "hour": there.hour,
        "minute": there.minute,
        "iso": there.isoformat(),
    }


def work_after(start: Any, minutes: Any, hours: Any) -> str:
    """`work_after`"""
    if _number(minutes) in (inf, -inf) or minutes != minutes:
        raise FunctionFailed(f"{minutes} is no finite number of minutes")
    if minutes < 0:
        raise FunctionFailed(f"{_named(minutes)} minutes is less than none")
    try:
        found = _hours(hours).after(_moment(start).astimezone(UTC), minutes)
    except OverflowError:
        raise _out_of_range(start) from None
    if found is None:
        raise FunctionFailed(f"{_named(minutes)} working minutes are not over within ten years")
    return found.isoformat()


def work_minutes(start: Any, end: Any, hours: Any) -> float:
    """`work_minutes`"""
    try:
        found = _hours(hours).minutes(_moment(start).astimezone(UTC), _moment(end).astimezone(UTC))
    except OverflowError:
        raise _out_of_range(start, end) from None
    if found is None:
        raise FunctionFailed(
            f"from {_named(start)} to {_named(end)} are more than the ten years that are counted"
        )
    return found


def _out_of_range(*moments: Any) -> FunctionFailed:
    return FunctionFailed(f"{' or '.join(map(_named, moments))} is out of the range of times")


def _hours(hours: Any) -> WorkingHours:
    try:
        texts = [_text(hours[name]) for name in ("tz", "opens", "closes")]
        days, holidays = (tuple(map(_text, _list(hours[name]))) for name in ("days", "holidays"))
    except (KeyError, TypeError, FunctionFailed):
        raise FunctionFailed(
            f"{_named(hours)} is no map of tz, opens, closes, days and holidays"
        ) from None
    try:
        return working_hours(*texts, days, holidays)
    except ValueError as error:
        raise FunctionFailed(str(error)) from None


def _weekday(when: date) -> str:
    return DAYS[when.weekday()]


def _day(when: Any) -> date:
    return _time(when).date()


def _moment(when: Any) -> datetime:
    there = _time(when)
    return there if there.tzinfo else there.replace(tzinfo=UTC)


def _time(when: Any) -> datetime:
    if isinstance(when, datetime):
        return when
    text = _text(when)
    try:
        if len(text) == len("2025-01-31"):
            return datetime.combine(date.fromisoformat(text), time())
        return datetime.fromisoformat(text)
    except ValueError:
        raise FunctionFailed(f"{when!r} is no ISO date or time") from None


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FunctionFailed(f"{_named(value)} is no number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise FunctionFailed(f"{_named(value)} is no text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FunctionFailed(f"{_named(value)} is no list")
    return value


def _named(value: Any) -> str:
    said = "null" if value is None else repr(value)
    return said if len(said) <= 60 else f"{said[:59]}…"


def differs(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, field: str) -> bool:
    """Whether a field of a row differs; a row or field that is absent differs from any that is there."""
    one, other = before or {}, after or {}
    if field not in one or field not in other:
        return (field in one) != (field in other)
    return not same(one[field], other[field])


PURE: Mapping[str, tuple[Signature, Callable[..., Any]]] = {
    "sum": (Signature(1, 1, NUMBER), total),
    "min": (Signature(1, MANY), smallest),
    "max": (Signature(1, MANY), largest),
    "sort_by": (Signature(2, 2), sort_by),
    "lower": (Signature(1, 1, TEXT), lower),
    "split": (Signature(2, 2, TEXTS), split),
    "round2": (Signature(1, 1, NUMBER), round2),
    "close": (Signature(2, 3, BOOLEAN), close),
    "date": (Signature(1, 1, TEXT), day),
    "weekday": (Signature(1, 1, TEXT), weekday),
    "days_between": (Signature(2, 2, INTEGER), days_between),
    "minutes_between": (Signature(2, 2, NUMBER), minutes_between),
    "work_after": (Signature(3, 3, TEXT), work_after),
    "work_minutes": (Signature(3, 3, NUMBER), work_minutes),
    "local": (Signature(2, 2, LOCAL), local),
}
"""Functions of their arguments alone, each with what carries it out."""

SIGNATURES: Mapping[str, Signature] = {
    **BUILT_IN,
    **ON_RECORDS,
    **{name: signature for name, (signature, _) in PURE.items()},
}
