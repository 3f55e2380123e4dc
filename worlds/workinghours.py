"""Working time: the minutes at which a desk is open, counted on and counted up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HORIZON = 3_660
"""Days that are looked through: ten years and a few, so that no place's clock cuts off the last."""
TEN_YEARS = timedelta(days=3_653)
WALL = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]")
ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
LONGEST_ZONE = 64
NOT_PLACES = {"localtime", "posixrules", "Factory", "posix", "right"}
"""What lies among the time zones of some machines and is none, or another one on each."""


@dataclass(frozen=True)
class WorkingHours:
    """When work is done, on the clocks of one place."""

    zone: ZoneInfo
    opens: time
    closes: time | None
    """None at midnight."""
    days: frozenset[str]
    holidays: frozenset[str]
    """ISO days."""

    def windows(self, start: datetime) -> Iterator[tuple[datetime, datetime]]:
        """The open times from `start` on, in UTC, for ten years."""
        first = start.astimezone(self.zone).date()
        for day in (first + timedelta(days=number) for number in range(HORIZON)):
            if DAYS[day.weekday()] in self.days and day.isoformat() not in self.holidays:
                begins, ends = max(start, self._at(day, self.opens)), self._end(day)
                if begins < ends:
                    yield begins, ends

    def _at(self, day: date, wall: time) -> datetime:
        return datetime.combine(day, wall, self.zone).astimezone(UTC)

    def _end(self, day: date) -> datetime:
        if self.closes is None:
            return self._at(day + timedelta(days=1), time())
        return self._at(day, self.closes)

    def after(self, start: datetime, minutes: float) -> datetime | None:
        """When so many working minutes have passed since `start`; None where that takes over ten years."""
        if minutes > TEN_YEARS / timedelta(minutes=1):
            return None
        left = timedelta(minutes=minutes)
        for begins, ends in self.windows(start):
            if left <= ends - begins:
                return begins + left
            left -= ends - begins
        return None

    def minutes(self, start: datetime, end: datetime) -> float | None:
        """The working minutes from `start` to `end`, 0 where `end` is not later; None over ten years."""
        if end - start > TEN_YEARS:
            return None
        found = timedelta()
        for begins, ends in self.windows(start):
            if begins >= end:
                break
            found += min(ends, end) - begins
        return found.total_seconds() / 60


@lru_cache(maxsize=1_024)
def zone_of(name: str) -> ZoneInfo:
    """The time zone of this name in the IANA database; ValueError, in one sentence, where there is none."""
    is_name = len(name) <= LONGEST_ZONE and ZONE.fullmatch(name)
    if is_name and name.split("/", maxsplit=1)[0] not in NOT_PLACES:
        try:
            return ZoneInfo(name)
        except (LookupError, ValueError, OSError):
            pass  # a folder of zones, or nothing
    raise ValueError(f"there is no time zone {name[:LONGEST_ZONE]!r}")


@lru_cache(maxsize=256)
def working_hours(
    tz: str, opens: str, closes: str, days: tuple[str, ...], holidays: tuple[str, ...]
) -> WorkingHours:
    """Working hours as rows write them; ValueError, in one sentence, for what is not written so."""
    if not WALL.fullmatch(opens):
        raise ValueError(f"`opens` is {opens[:20]!r}, no time as '09:00'")
    if closes != "24:00" and not WALL.fullmatch(closes):
        raise ValueError(f"`closes` is {closes[:20]!r}, no time as '17:30' or '24:00'")
    if closes <= opens:
        raise ValueError(f"`closes` is {closes!r}, which is not after {opens!r}")
    for day in days:
        if day not in DAYS:
            raise ValueError(f"`days` has {day[:20]!r}, no weekday as 'monday'")
    for day in holidays:
        if not _is_day(day):
            raise ValueError(f"`holidays` has {day[:20]!r}, no ISO day as '2026-12-25'")
    return WorkingHours(
        zone=zone_of(tz),
        opens=time.fromisoformat(opens),
        closes=None if closes == "24:00" else time.fromisoformat(closes),
        days=frozenset(days),
        holidays=frozenset(holidays),
    )


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
