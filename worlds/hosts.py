"""What tool code reaches outside the sandbox: the records, the time, and the rounding of money.

Misuse (an unknown table, a missing row, a wrong type) is a LookupError or a TypeError, so that it shows as
a crash of the tool and never as a business refusal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from inspect import signature
from typing import Any
from zoneinfo import ZoneInfo

from worlds.exchange import TooLarge, read
from worlds.records import Records, Row

QUESTION_BYTES = 1_000_000
"""The most that tool code may hand over in one call of `db`."""

WRITES = frozenset({"insert", "update", "put", "delete"})
"""The functions of `db` that change the records."""


@dataclass
class Host:
    """What the functions given to tool code act on."""

    records: Records
    clock: datetime
    """The time now: aware or naive, as the records' clock says."""


class Functions:
    """Answers the questions of tool code. They act on `host`, which changes from call to call."""

    def __init__(self) -> None:
        self.host: Host | None = None
        self.handed = 0
        """Bytes that the call under way has handed over."""

    def ask(self, question: str) -> str:
        """The answer to `[function, arguments, named arguments]`, both as JSON text.

        Raises LookupError or TypeError.
        """
        self.handed += len(question)
        name, given, named = self._read(question)
        answer, taken = _ANSWERS[name]
        try:
            bound = taken.bind(self.acting(), *given, **named)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
        return json.dumps(answer(*bound.args, **bound.kwargs), allow_nan=False)

    def acting(self) -> Host:
        """The host of the call under way; module-level code has none."""
        if self.host is None:
            raise RuntimeError(
                "db and clock can be used only while a tool is called: move this into a function"
            )
        return self.host

    @staticmethod
    def _read(question: str) -> tuple[str, list[Any], dict[str, Any]]:
        try:
            name, given, named = read(question, QUESTION_BYTES)
        except TooLarge as error:
            raise TypeError(f"what db is given cannot be taken: {error}") from error
        return name, given, named


def _get(host: Host, table: str, key: str) -> Row | None:
    return _records(host, table).get(table, _text("key", key))


def _find(host: Host, table: str, match: Row | None = None, limit: int | None = None) -> list[Row]:
    found = _records(host, table).find(table, _object("match", match or {}))
    return found if limit is None else found[: max(0, _integer("limit", limit))]


def _insert(host: Host, table: str, row: Row) -> Row:
    key = _key(host, table, row)
    if host.records.get(table, key) is not None:
        raise LookupError(f"{table} already has a row {key!r}: use update or put")
    return _put(host, table, row)


def _update(host: Host, table: str, key: str, fields: Row) -> Row:
    row = {**_present(host, table, key), **_object("fields", fields)}
    if _key(host, table, row) != key:
        raise TypeError(f"update of {table}/{key} must not change the row's key")
    return _put(host, table, row)


def _put(host: Host, table: str, row: Row) -> Row:
    host.records.put(table, _key(host, table, row), row)
    return row


def _delete(host: Host, table: str, key: str) -> None:
    _present(host, table, key)
    host.records.delete(table, key)


def _next_id(host: Host, table: str, prefix: str = "") -> str:
    """`prefix` and the number after the highest that the table has or had, as wide as that one."""
    records = _records(host, table)
    numbered = re.compile(re.escape(_text("prefix", prefix)) + "([0-9]{1,18})")
    seen = {*records.base.tables[table], *records.keys(table)}
    numbers = [found[1] for key in seen if (found := numbered.fullmatch(key))]
    if not numbers:
        return f"{prefix}1"
    highest = max(numbers, key=int)
    return f"{prefix}{int(highest) + 1:0{len(highest)}}"


def _records(host: Host, table: str) -> Records:
    if _text("table", table) not in host.records.base.tables:
        names = ", ".join(host.records.base.tables)
        raise LookupError(f"there is no table {table[:60]!r}; there are {names}")
    return host.records


def _present(host: Host, table: str, key: str) -> Row:
    row = _get(host, table, key)
    if row is None:
        raise LookupError(f"{table} has no row {key[:60]!r}")
    return row


def _key(host: Host, table: str, row: Row) -> str:
    field = _records(host, table).base.domain.tables[table].key
    key = _object("row", row).get(field)
    if not isinstance(key, str) or not key:
        raise TypeError(f"a row of {table} needs text in its key field {field!r}, not {key!r:.60}")
    return key


def _now(host: Host) -> str:
    return host.clock.isoformat()


def _today(host: Host) -> str:
    return host.clock.date().isoformat()


def _local(_host: Host, moment: str, zone: str) -> str:
    """`moment` (UTC when it says no offset) as the clocks of `zone` show it."""
    return _shown(_moment(moment), UTC, _zone(zone))


def _utc(_host: Host, moment: str, zone: str = "UTC") -> str:
    """`moment` (of the clocks of `zone` when it says no offset) in UTC."""
    return _shown(_moment(moment), _zone(zone), UTC)


def _shown(moment: datetime, unless_said: tzinfo, zone: tzinfo) -> str:
    placed = moment if moment.tzinfo else moment.replace(tzinfo=unless_said)
    try:
        return placed.astimezone(zone).isoformat()
    except OverflowError:
        raise TypeError(f"{moment.isoformat()} is at the end of the calendar") from None


def _money(_host: Host, amount: float) -> float:
    """The amount rounded to two decimals exactly as CPython's round does."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float)):
        raise TypeError(f"money takes a number, not {type(amount).__name__}")
    return round(float(amount), 2)


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "get": _get,
    "find": _find,
    "insert": _insert,
    "update": _update,
    "put": _put,
    "delete": _delete,
    "next_id": _next_id,
    "now": _now,
    "today": _today,
    "local": _local,
    "utc": _utc,
    "money": _money,
}
_ANSWERS = {name: (function, signature(function)) for name, function in _FUNCTIONS.items()}


def _moment(value: str) -> datetime:
    try:
        return datetime.fromisoformat(_text("moment", value))
    except ValueError:
        raise TypeError(f"{value[:60]!r} is not a date and time in ISO 8601") from None


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(_text("zone", name))
    except (ValueError, OSError, LookupError):
        raise LookupError(f"there is no time zone {name[:60]!r}") from None


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    return value


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    return value


def _object(name: str, value: Any) -> Row:
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be a dict, not {type(value).__name__}")
    return value
