"""Working time: the minutes at which a desk is open, counted on and counted up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HORIZON = 3_660
"""Days that are looked through: ten years."""


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
        left = timedelta(minutes=minutes)
        for begins, ends in self.windows(start):
            if left <= ends - begins:
                return begins + left
            left -= ends - begins
        return None

    def minutes(self, start: datetime, end: datetime) -> float:
        """The working minutes from `start` to `end`; none where `end` is not later."""
        found = timedelta()
        for begins, ends in self.windows(start):
            if begins >= end:
                break
            found += min(ends, end) - begins
        return found.total_seconds() / 60
