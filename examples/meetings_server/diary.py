"""Whether somebody can be at a meeting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from examples.meetings_server.rows import Absence, Holiday, Meeting, Person


@dataclass(frozen=True)
class Diary:
    """All that keeps a person from coming."""

    person: Person
    holidays: list[Holiday]
    absences: list[Absence]
    meetings: list[Meeting]
    """The scheduled ones that the person has not declined."""

    def hindrance(self, start: datetime, end: datetime, *, but: str, any_hour: bool) -> str:
        """Why the person cannot come, or empty; the meeting `but` does not hinder."""
        off = "" if any_hour else self.off_work(start, end)
        return off or self._busy(start.isoformat(), end.isoformat(), but)

    def _busy(self, start: str, end: str, but: str) -> str:
        if any(m.overlaps(start, end) and m.meeting_id != but for m in self.meetings):
            return f"{self.person.name} has another meeting at that time"
        return ""

    def off_work(self, start: datetime, end: datetime) -> str:
        """Why the person does not work then, or empty."""
        zone, name = ZoneInfo(self.person.tz), self.person.name
        first, last = start.astimezone(zone), end.astimezone(zone)
        day = first.date().isoformat()
        for holiday in self.holidays:
            if holiday.date == day:
                return f"{day} is {holiday.name}, a public holiday for {name}"
        if any(a.first_day <= day <= a.last_day for a in self.absences):
            return f"{name} is out of office on {day}"
        if not self._works(first, last):
            hours = f"{self.person.work_start} to {self.person.work_end}"
            at = f"{first.isoformat()[:16]} in {self.person.tz}"
            return f"{at} is outside the working hours of {name} ({hours})"
        return ""

    def _works(self, first: datetime, last: datetime) -> bool:
        return (
            first.isoweekday() in self.person.work_days
            and first.date() == last.date()
            and self.person.work_start <= f"{first:%H:%M}"
            and f"{last:%H:%M}" <= self.person.work_end
        )
