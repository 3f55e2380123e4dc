"""Days and times as people and rows write them, found in text and compared with what else is known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ISO = re.compile(
    r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?"
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?", re.IGNORECASE
)
DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH}(?:,?\s+(\d{{4}}))?", re.IGNORECASE
)
NUMERIC = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)\b")
CLOCK = re.compile(
    r"\b(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])\.?m\b|\b(\d{1,2}):(\d\d)\b", re.IGNORECASE
)
WORDS = {"noon": 720, "midnight": 0, "midday": 720}
RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weeks?|weekend|days?|months?"
    r"|next|later|earlier|ago)\b",
    re.IGNORECASE,
)
ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+\b")
INSTANTS_KEPT = 1_000
NEAR = 14
"""Days from a known one that words such as `tomorrow` and `next Friday` may mean."""
DAY_BOUNDS = {0, 23 * 60 + 59}


@dataclass
class Moments:
    """Days, times of day (in minutes), instants and zones that are known."""

    days: set[date] = field(default_factory=set)
    said: set[date] = field(default_factory=set)
    """Days from which words such as `tomorrow` lead to others."""
    clock: set[int] = field(default_factory=set)
    instants: set[datetime] = field(default_factory=set)
    zones: set[str] = field(default_factory=set)
    years: set[int] = field(default_factory=set)
    is_relative: bool = False
    """Whether the user speaks in such words."""

    def learn(self, text: str, *, by_user: bool = False) -> None:
        """Take in what a text says."""
        found = set(days(text, self.years))
        self.days |= found
        if by_user:
            self.said |= found
            self.is_relative = self.is_relative or bool(RELATIVE.search(text))
        self.clock |= set(clock_times(text))
        if len(self.instants) < INSTANTS_KEPT:
            self.instants |= set(instants(text))
        self.zones |= {match for match in ZONE.findall(text) if _zone(match)}

    def has_day(self, day: date, numbers: Iterable[float]) -> bool:
        """Whether a day is known, or lies a known number of days, or a few, from one that is."""
        if day in self.days or any(day in self._local_days(instant) for instant in self.instants):
            return True
        away = [abs((day - known).days) for known in self.days]
        counts = {n * factor for n in numbers if 0 < n <= 400 for factor in (1, 7)}
        if any(days_away in counts for days_away in away):
            return True
        return self.is_relative and any(abs((day - known).days) <= NEAR for known in self.said)

    def has_time(self, minutes: int, numbers: Iterable[float]) -> bool:
        """Whether a time of day is known, or lies a known number of minutes or hours from one that is."""
        known = self.clock | {t for instant in self.instants for t in self._local_times(instant)}
        if minutes in known or minutes in DAY_BOUNDS:
            return True
        apart = {abs(minutes - other) for other in known}
        return any(n in apart or n * 60 in apart for n in numbers if n > 0)

    def has_instant(self, moment: datetime, numbers: Iterable[float]) -> bool:
        """Whether an instant, as it stands or in a known zone, is known, or its day and its time are."""
        numbers = list(numbers)
        if moment.tzinfo is not None and moment in self.instants:
            return True
        shown = [moment]
        if moment.tzinfo is not None:
            shown = list(self._everywhere(moment))
        return any(
            self.has_day(each.date(), numbers)
            and self.has_time(each.hour * 60 + each.minute, numbers)
            for each in shown
        )

    def _zones(self) -> Iterator[ZoneInfo]:
        return (zone for zone in (_zone(name) for name in sorted(self.zones)) if zone)

    def _everywhere(self, instant: datetime) -> Iterator[datetime]:
        yield instant
        for zone in self._zones():
            try:
                yield instant.astimezone(zone)
            except OverflowError:  # the last day of the calendar has no next one elsewhere
                continue

    def _local_days(self, instant: datetime) -> set[date]:
        return {each.date() for each in self._everywhere(instant)}

    def _local_times(self, instant: datetime) -> set[int]:
        return {each.hour * 60 + each.minute for each in self._everywhere(instant)}


def days(text: str, years: Iterable[int]) -> Iterator[date]:
    """The days that a text names; one without a year is meant in any of `years`."""
    for match in ISO.finditer(text):
        yield from _day(*match.group(1, 2, 3))
    for match in MONTH_FIRST.finditer(text):
        month, day, year = match.groups()
        for known in [year] if year else sorted(years):
            yield from _day(known, MONTHS.index(month.lower()) + 1, day)
    for match in DAY_FIRST.finditer(text):
        day, month, year = match.groups()
        for known in [year] if year else sorted(years):
            yield from _day(known, MONTHS.index(month.lower()) + 1, day)
    for match in NUMERIC.finditer(text):
        one, other, year = match.groups()
        year = year if len(year) == 4 else f"20{year}"
        yield from _day(year, one, other)
        yield from _day(year, other, one)


def _day(year: str | int, month: str | int, day: str | int) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return


def clock_times(text: str) -> Iterator[int]:
    """The times of day that a text names, in minutes."""
    for match in CLOCK.finditer(text):
        hour, minute, half, hour_24, minute_24 = match.groups()
        if half:
            hours = int(hour) % 12 + (12 if half.lower() == "p" else 0)
            yield hours * 60 + int(minute or 0)
        else:
            yield int(hour_24) * 60 + int(minute_24)
    lowered = text.lower()
    yield from (minutes for word, minutes in WORDS.items() if word in lowered)


def instants(text: str) -> Iterator[datetime]:
    """The instants with an offset that a text names."""
    for match in ISO.finditer(text):
        if match.group(5):
            try:
                yield datetime.fromisoformat(match.group().replace(" ", "T")).astimezone(UTC)
            except (ValueError, OverflowError):
                continue


@lru_cache(maxsize=1_024)
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def as_moment(text: str) -> date | datetime | None:
    """The day or the instant that a text is as a whole; None for any other."""
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        return datetime.fromisoformat(text) if ISO.match(text) else None
    except ValueError:
        return None
