"""Days and times in texts, as people write them, and in the form that an argument wants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal
from zoneinfo import ZoneInfo

from agents.texts import SPELLED

Form = Literal["day", "wall", "instant", "clock"]
"""`day` 2026-03-27, `wall` 2026-03-27T10:00, `instant` 2026-03-27T10:00:00+00:00, `clock` 10:00."""

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
ISO = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?!\d)")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[+-]\d\d:?\d\d|Z)?")
DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})\b,?(?: (\d{{4}}))?", re.IGNORECASE
)
MONTH_DAY = re.compile(
    rf"\b({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?", re.IGNORECASE
)
WEEKDAY = re.compile(rf"\b(next )?({'|'.join(WEEKDAYS)})s?\b", re.IGNORECASE)
DATED = re.compile(
    rf",? (?:the )?(?:\d{{4}}-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTH})|(?:{MONTH}))",
    re.IGNORECASE,
)
NEAR = {
    "day after tomorrow": 2,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "yesterday": -1,
    "next week": 7,
}
IN = re.compile(r"\b(in|after|within) (\w+) (day|week)s?\b", re.IGNORECASE)
AGO = re.compile(r"\b(\w+) (day|week)s? (ago|before|earlier)\b", re.IGNORECASE)
CLOCK = re.compile(
    r"(?<![\d:T-])([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d:])\s*([ap]\.?m\b)?", re.IGNORECASE
)
HOUR = re.compile(r"(?<![\d:.-])(1[0-2]|0?[1-9])\s*([ap])\.?m\b", re.IGNORECASE)
SAID = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (
        "instant",
        re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|YYYY-MM-DD[T ]HH:MM:SS", re.IGNORECASE),
    ),
    ("wall", re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d|YYYY-MM-DD[T ]HH:MM", re.IGNORECASE)),
    ("day", re.compile(r"\d{4}-\d\d-\d\d|YYYY-MM-DD", re.IGNORECASE)),
    ("clock", re.compile(r"\bHH:MM\b|\b\d\d:\d\d\b", re.IGNORECASE)),
)
SHAPES: dict[Form, re.Pattern[str]] = {
    "instant": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*"),
    "wall": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d"),
    "day": re.compile(r"\d{4}-\d\d-\d\d"),
    "clock": re.compile(r"\d\d:\d\d"),
}


@dataclass(frozen=True)
class Said:
    """A day or time that a text names."""

    value: str
    at: int
    """Where in the text."""


def form_of(name: str, schema: dict[str, Any]) -> Form | None:
    """In which form an argument takes its time; None where it is no time, or does not say."""
    if schema.get("format") == "date":
        return "day"
    if schema.get("format") == "date-time":
        return "instant"
    said = str(schema.get("description", ""))
    for form, pattern in FORMS:
        if pattern.search(said):
            return form
    return "day" if re.search(r"(?:^|_)(?:date|day)$", name) else None


def fits(form: Form, value: str) -> bool:
    """Whether a value has the form."""
    return SHAPES[form].fullmatch(value) is not None


@lru_cache(maxsize=8192)
def forms(value: str) -> tuple[Form, ...]:
    """The forms that a value has."""
    return tuple(form for form in SHAPES if fits(form, value))


@lru_cache(maxsize=512)
def days(text: str, now: str) -> tuple[Said, ...]:
    """The days that a text names, in its order; a day without a year is the next one from `now` on."""
    today = datetime.fromisoformat(now).date()
    found: dict[str, Said] = {}
    for day, at in sorted(_days(text, today), key=lambda each: each[1]):
        found.setdefault(day.isoformat(), Said(day.isoformat(), at))
    return tuple(found.values())


def _days(text: str, today: date) -> Iterator[tuple[date, int]]:
    for match in ISO.finditer(text):
        yield from _dated(match[1], match[2], match[3], match.start(), today)
    for match in DAY_MONTH.finditer(text):
        yield from _dated(match[3], _month(match[2]), match[1], match.start(), today)
    for match in MONTH_DAY.finditer(text):
        yield from _dated(match[3], _month(match[1]), match[2], match.start(), today)
    yield from _relative(text, today)


def _relative(text: str, today: date) -> Iterator[tuple[date, int]]:
    for match in WEEKDAY.finditer(text):
        if DATED.match(text, match.end()):
            continue  # it only says which weekday the date is
        ahead = (WEEKDAYS.index(match[2].lower()) - today.weekday()) % 7 or 7
        yield today + timedelta(days=ahead), match.start()
        if match[1]:
            yield today + timedelta(days=ahead + 7), match.start()
    for words, offset in NEAR.items():
        for match in re.finditer(rf"\b{words}\b", text, re.IGNORECASE):
            yield today + timedelta(days=offset), match.start()
    for match in IN.finditer(text):
        yield from _offset(match[2], match[3], 1, match.start(), today)
    for match in AGO.finditer(text):
        yield from _offset(match[1], match[2], -1, match.start(), today)


def _offset(count: str, unit: str, sign: int, at: int, today: date) -> Iterator[tuple[date, int]]:
    word = {"a": "one", "an": "one"}.get(count.lower(), count.lower())
    number = SPELLED.index(word) if word in SPELLED else int(word) if word.isdecimal() else None
    if number is not None and number < 1000:
        yield today + timedelta(days=sign * number * (7 if unit.lower() == "week" else 1)), at


def _month(name: str) -> str:
    return str([month[:3] for month in MONTHS].index(name[:3].lower()) + 1)


def _dated(
    year: str | None, month: str, day: str, at: int, today: date
) -> Iterator[tuple[date, int]]:
    try:
        found = date(int(year or today.year), int(month), int(day))
        if not year and found < today:
            found = found.replace(year=today.year + 1)
    except ValueError:
        return
    yield found, at


@lru_cache(maxsize=512)
def clocks(text: str) -> tuple[Said, ...]:
    """The times of day that a text names, as HH:MM, in its order."""
    bare = INSTANT.sub(lambda match: " " * len(match[0]), text)
    found: dict[str, Said] = {}
    for value, at in sorted(_clocks(bare), key=lambda each: each[1]):
        found.setdefault(value, Said(value, at))
    return tuple(found.values())


def _clocks(text: str) -> Iterator[tuple[str, int]]:
    for match in CLOCK.finditer(text):
        yield _halved(int(match[1]), match[2], match[3]), match.start()
    for match in HOUR.finditer(text):
        yield _halved(int(match[1]), "00", match[2]), match.start()
    for word, value in SAID.items():
        yield from (
            (value, match.start()) for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)
        )


def _halved(hour: int, minute: str, half: str | None) -> str:
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    return f"{hour:02}:{minute}"


@lru_cache(maxsize=512)
def instants(text: str) -> tuple[Said, ...]:
    """The moments that a text writes out."""
    return tuple(Said(match[0], match.start()) for match in INSTANT.finditer(text))


def moment(value: Any) -> datetime | None:
    """A moment written out, with its offset if it has one."""
    if not isinstance(value, str) or len(value) < 16 or not value[:4].isdecimal():
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def zone(name: str) -> ZoneInfo | None:
    """The time zone of that name."""
    if "/" not in name and name != "UTC":
        return None
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None


def in_zone(value: datetime, name: str) -> datetime | None:
    """The same instant on the clocks of a zone; None where either says too little, or the calendar ends."""
    there = zone(name)
    try:
        return value.astimezone(there) if there and value.tzinfo else None
    except OverflowError:
        return None


def at_zone(day: str, clock: str, name: str) -> str | None:
    """A wall-clock time of a zone as an instant of UTC; None where there is none."""
    there = zone(name)
    if there is None:
        return None
    try:
        local = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=there)
        return local.astimezone(UTC).isoformat()
    except OverflowError:
        return None
