"""Days, wall-clock times and instants; what cannot be one is refused in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Self
from zoneinfo import ZoneInfo

from mcp.server.mcpserver.exceptions import ToolError

LONGEST_RANGE = 92
SHOWN_UNLESS_SAID = timedelta(days=60)
YEARS = range(2000, 2101)
EXTENDED = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""The forms of ISO 8601 that people write; Python also takes weeks, and days without dashes."""


def clock(now: str) -> datetime:
    """The time that a call happens at: the real one unless `now` says another."""
    if not now:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(now)
    except ValueError:
        raise ToolError(f"now is {now!r}, which is no time in ISO 8601.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def day(text: str) -> date:
    try:
        found = date.fromisoformat(_extended(text))
    except ValueError:
        raise ToolError(f"{text!r} is not a day such as 2026-03-25.") from None
    if found.year not in YEARS:
        raise ToolError(f"{text} is too far away.")
    return found


def _extended(text: str) -> str:
    if EXTENDED.fullmatch(text) is None:
        raise ValueError
    return text


def day_range(first_day: str, last_day: str) -> tuple[str, str]:
    """Both days in ISO 8601, in order and not too far apart."""
    first, last = day(first_day), day(last_day)
    if last < first:
        raise ToolError(f"The last day, {last_day}, is before the first, {first_day}.")
    if (last - first).days > LONGEST_RANGE:
        raise ToolError(f"At most {LONGEST_RANGE} days at once.")
    return first.isoformat(), last.isoformat()


def moment(text: str, tz: str) -> datetime:
    """A wall-clock time of the zone as an instant."""
    try:
        wall = datetime.fromisoformat(_extended(text))
    except ValueError:
        raise ToolError(f"{text!r} is not a local time such as 2026-03-25T15:00.") from None
    if wall.tzinfo is not None or len(text) != len("2026-03-25T15:00"):
        raise ToolError(
            f"Give a local time such as 2026-03-25T15:00, without an offset, not {text!r}."
        )
    day(text[:10])
    found = at(wall, tz)
    if local(found.isoformat(), tz)[:16] != text:
        raise ToolError(f"{text} does not exist in {tz}: the clocks go forward over it.")
    return found


def at(wall: datetime, tz: str) -> datetime:
    """The instant at which the clocks of the zone show `wall`."""
    return wall.replace(tzinfo=ZoneInfo(tz)).astimezone(UTC)


def instant_of(text: str) -> str:
    """An instant with any offset as we store it."""
    try:
        found = datetime.fromisoformat(_extended(text))
    except ValueError:
        raise ToolError(f"{text!r} is not an instant such as 2026-03-24T09:00:00+00:00.") from None
    if found.tzinfo is None:
        raise ToolError(f"Say the offset too, as in 2026-03-24T09:00:00+00:00, not {text!r}.")
    day(text[:10])
    return found.astimezone(UTC).isoformat()


def local(moment: str, tz: str) -> str:
    """What the clocks of the zone show at an instant."""
    return instant(moment).astimezone(ZoneInfo(tz)).isoformat()


def utc(moment: datetime) -> str:
    """An instant as we store it."""
    return moment.astimezone(UTC).isoformat()


def day_before(text: str) -> str:
    return (day(text) - timedelta(days=1)).isoformat()


def length(start: str, end: str) -> int:
    """Whole minutes between two instants."""
    return int((instant(end) - instant(start)).total_seconds() // 60)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def later(moment: datetime, minutes: int) -> datetime:
    return moment + timedelta(minutes=minutes)


@dataclass(frozen=True)
class Window:
    """Which meetings of a calendar are asked for."""

    tz: str
    first: str
    last: str
    """Both days of the zone, included."""
    since: str
    """Meetings must end after this instant, if any."""
    under_way: str
    """Meetings must be under way at this instant, if any."""

    @classmethod
    def of(cls, now: datetime, tz: str, first_day: str, last_day: str, at: str) -> Self:
        """What is not over yet, for sixty days, unless a first and last day or an instant is said."""
        present = now.astimezone(UTC).isoformat()
        since = "" if first_day or at else present
        first_day = first_day or local(present, tz)[:10]
        last_day = last_day or (day(first_day) + SHOWN_UNLESS_SAID).isoformat()
        return cls(tz, *day_range(first_day, last_day), since, instant_of(at) if at else "")

    def holds(self, start: str, end: str) -> bool:
        """Whether a meeting from `start` to `end` is asked for."""
        if end <= self.since or (self.under_way and not start <= self.under_way < end):
            return False
        return self.first <= local(start, self.tz)[:10] <= self.last
