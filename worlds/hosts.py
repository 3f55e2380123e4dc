"""What tool code reaches outside the sandbox: the records, the time, and the rounding of money.

Misuse (an unknown table, a missing row, a wrong type) is a LookupError or a TypeError, so that it shows as
a crash of the tool and never as a business refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timezone, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from pydantic_monty import ExternalModule

from worlds.exchange import TooLarge, plain
from worlds.records import Records, Row

ROW_BYTES = 1_000_000
"""The largest row, match or set of fields that tool code may hand over."""

WRITES = frozenset({"insert", "update", "put", "delete"})
"""The functions of `db` that change the records."""

DB_STUBS = """\
from typing import Any
def get(table: str, key: str) -> Any: ...
def find(table: str, match: dict[str, Any] = {}, limit: int | None = None) -> list[dict[str, Any]]: ...
def insert(table: str, row: dict[str, Any]) -> dict[str, Any]: ...
def update(table: str, key: str, fields: dict[str, Any]) -> dict[str, Any]: ...
def put(table: str, row: dict[str, Any]) -> dict[str, Any]: ...
def delete(table: str, key: str) -> None: ...
def next_id(table: str, prefix: str = "") -> str: ...
"""
CLOCK_STUBS = """\
import datetime
def now() -> datetime.datetime: ...
def today() -> datetime.date: ...
def local(moment: str | datetime.datetime, zone: str) -> datetime.datetime: ...
def utc(moment: str | datetime.datetime, zone: str = "UTC") -> datetime.datetime: ...
"""
MONEY_STUBS = """\
from decimal import Decimal
def money(amount: float | Decimal) -> float: ...
"""


@dataclass
class Host:
    """What the functions given to tool code act on."""

    records: Records
    clock: datetime
    """The time now: aware or naive, as the records' clock says."""


class Functions:
    """The functions given to tool code. They act on `host`, which changes from call to call."""

    def __init__(self) -> None:
        self.host: Host | None = None

    def modules(self) -> dict[str, ExternalModule]:
        """The modules `db`, `clock` and `money` as the sandbox takes them."""
        return {
            "db": ExternalModule(_public(Db(self)), stubs=DB_STUBS),
            "clock": ExternalModule(_public(Clock(self)), stubs=CLOCK_STUBS),
            "money": ExternalModule({"money": money}, stubs=MONEY_STUBS),
        }

    def acting(self) -> Host:
        """The host of the call under way; module-level code has none."""
        if self.host is None:
            raise RuntimeError(
                "db and clock can be used only while a tool is called: move this into a function"
            )
        return self.host


def _public(given: object) -> dict[str, Callable[..., Any]]:
    return {name: getattr(given, name) for name in dir(given) if not name.startswith("_")}


class Db:
    """The records as tool code sees them: rows go out as copies and come in as copies."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def get(self, table: str, key: str) -> Row | None:
        return self._records(table).get(table, _text("key", key))

    def find(
        self, table: str, match: dict[str, Any] | None = None, limit: int | None = None
    ) -> list[Row]:
        found = self._records(table).find(table, _object("match", match or {}))
        return found if limit is None else found[: max(0, _integer("limit", limit))]

    def insert(self, table: str, row: Row) -> Row:
        records = self._records(table)
        row, key = self._keyed(table, row)
        if records.get(table, key) is not None:
            raise LookupError(f"{table} already has a row {key!r}: use update or put")
        records.put(table, key, row)
        return row

    def update(self, table: str, key: str, fields: Row) -> Row:
        records = self._records(table)
        row, _ = self._keyed(table, {**self._present(table, key), **_object("fields", fields)})
        if row[records.base.domain.tables[table].key] != key:
            raise TypeError(f"update of {table}/{key} must not change the row's key")
        records.put(table, key, row)
        return row

    def put(self, table: str, row: Row) -> Row:
        records = self._records(table)
        row, key = self._keyed(table, row)
        records.put(table, key, row)
        return row

    def delete(self, table: str, key: str) -> None:
        self._present(table, key)
        self._records(table).delete(table, key)

    def next_id(self, table: str, prefix: str = "") -> str:
        """`prefix` and the number after the highest that the table has, or had at the start, as wide as that one.

        A number of more than 18 digits is no number that anyone counted up to.
        """
        records = self._records(table)
        numbered = re.compile(re.escape(_text("prefix", prefix)) + "([0-9]{1,18})")
        seen = {*records.base.tables[table], *records.keys(table)}
        numbers = [found[1] for key in seen if (found := numbered.fullmatch(key))]
        if not numbers:
            return f"{prefix}1"
        highest = max(numbers, key=int)
        return f"{prefix}{int(highest) + 1:0{len(highest)}}"

    def _records(self, table: str) -> Records:
        records = self._functions.acting().records
        if _text("table", table) not in records.base.tables:
            raise LookupError(f"there is no table {table!r}; there are {list(records.base.tables)}")
        return records

    def _present(self, table: str, key: str) -> Row:
        row = self._records(table).get(table, _text("key", key))
        if row is None:
            raise LookupError(f"{table} has no row {key!r}")
        return row

    def _keyed(self, table: str, row: Row) -> tuple[Row, str]:
        row = _object("row", row)
        field = self._functions.acting().records.base.domain.tables[table].key
        key = row.get(field)
        if not isinstance(key, str) or not key:
            raise TypeError(f"a row of {table} needs text in its key field {field!r}, not {key!r}")
        return row, key


class Clock:
    """The host's time, and time zones, which the sandbox does not know."""

    def __init__(self, functions: Functions) -> None:
        self._functions = functions

    def now(self) -> datetime:
        return _fixed(self._functions.acting().clock)

    def today(self) -> date:
        return self._functions.acting().clock.date()

    def local(self, moment: str | datetime, zone: str) -> datetime:
        """`moment` (UTC when it says no offset) as the clocks of `zone` show it."""
        return _fixed(_shown(_moment(moment), UTC, _zone(zone)))

    def utc(self, moment: str | datetime, zone: str = "UTC") -> datetime:
        """`moment` (of the clocks of `zone` when it says no offset) in UTC."""
        return _shown(_moment(moment), _zone(zone), UTC)


def money(amount: float | Decimal) -> float:
    """The amount rounded to two decimals exactly as CPython's round does."""
    if isinstance(amount, bool) or not isinstance(amount, (int, float, Decimal)):
        raise TypeError(f"money takes a number, not {type(amount).__name__}")
    try:
        return round(float(amount), 2)
    except (OverflowError, ValueError):  # too many digits, a signalling NaN
        raise TypeError("money takes a number that a float can hold") from None


def _shown(moment: datetime, meant: tzinfo, wanted: tzinfo) -> datetime:
    """A moment (of the zone `meant` when it says no offset) in the zone `wanted`."""
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=meant)).astimezone(wanted)
    except OverflowError:
        raise TypeError(f"{moment.isoformat()} cannot be shown in {wanted}") from None


def _fixed(moment: datetime) -> datetime:
    """The same moment with its offset as a plain number: the sandbox has no named zones."""
    offset = moment.utcoffset()
    return moment if offset is None else moment.replace(tzinfo=timezone(offset))


def _moment(value: str | datetime) -> datetime:
    if isinstance(value, datetime):
        return value
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
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, not {type(value).__name__}")
    try:
        copied: Row = plain(value, ROW_BYTES)
    except TooLarge as error:
        raise TypeError(f"{name} cannot be taken: {error}") from error
    return copied
