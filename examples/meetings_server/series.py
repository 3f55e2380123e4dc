"""Whole series: ended from a day on, or given another time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.meetings_server import times
from examples.meetings_server.meetings import refuse_stranger
from examples.meetings_server.requests import Requests
from examples.meetings_server.rows import Meeting, Person, Series, Status


class Calendars(Requests):
    """All that the tools work on."""

    def series(self, actor: Person, series_id: str, from_day: str) -> tuple[Series, str]:
        """A series that the actor may change from that day on, and the day."""
        series = self.store.get(Series, series_id)
        if series is None:
            raise ToolError(
                f"There is no series {series_id!r}; get_meeting names that of a meeting."
            )
        refuse_stranger(actor, self.person(series.organizer_id), series_id)
        day = times.day(from_day).isoformat()
        if day < self.today:
            raise ToolError(f"{day} is past; a series changes from today on or later.")
        if series.until and series.until < day:
            raise ToolError(f"Series {series_id} has ended on {series.until}.")
        return series, day

    def end(self, series: Series, day: str, reason: str) -> dict[str, Any]:
        """End a series the day before; what was moved by hand stays."""
        if not reason.strip():
            raise ToolError("Say why the series ends: the attendees are told.")
        going, kept = self._following(series, day)
        for meeting in going:
            self.store.update(meeting, status=Status.CANCELLED, cancel_reason=reason.strip())
        ended = self.store.update(series, until=times.day_before(day))
        return {"series": ended.document(), "cancelled": _ids(going), "kept": _ids(kept)}

    def shift(self, series: Series, day: str, time: str) -> dict[str, Any]:
        """Let a new series go on at another time of day with the meetings that keep to the pattern."""
        going, kept = self._following(series, day)
        if not going:
            raise ToolError(f"Series {series.series_id} has no meeting to move from {day} on.")
        starts = [self._start(meeting, series.tz, time) for meeting in going]
        number = self.store.next_id(Series, "S")
        successor = series.model_copy(update={"series_id": number, "time": time})
        self.store.insert(successor)
        for meeting, start in zip(going, starts, strict=True):
            length = times.length(meeting.start, meeting.end)
            self.store.update(
                meeting,
                series_id=number,
                start=start.isoformat(),
                end=times.later(start, length).isoformat(),
                attendees=meeting.asked_again(),
            )
        self.store.update(series, until=times.day_before(day))
        return {
            "series": successor.document(),
            "first": starts[0].isoformat(),
            "moved": _ids(going),
            "kept": _ids(kept),
        }

    def _following(self, series: Series, day: str) -> tuple[list[Meeting], list[Meeting]]:
        """The coming meetings of a series from a day on: those of the pattern, and the exceptions."""
        query = """
            SELECT * FROM meetings
            WHERE series_id = ? AND status = 'scheduled' AND start > ?
            ORDER BY start, meeting_id
        """
        found = self.store.query(Meeting, query, series.series_id, times.utc(self.now))
        coming = [m for m in found if times.local(m.start, series.tz)[:10] >= day]
        return [m for m in coming if not m.exception], [m for m in coming if m.exception]

    def _start(self, meeting: Meeting, tz: str, time: str) -> datetime:
        """When a meeting would begin at that time of its day; ToolError when it cannot."""
        start = times.moment(f"{times.local(meeting.start, tz)[:10]}T{time}", tz)
        minutes = times.length(meeting.start, meeting.end)
        if start <= self.now:
            raise ToolError(f"{start.isoformat()} is past.")
        people = [self.person(a.person_id) for a in meeting.attendees]
        end = times.later(start, minutes)
        found = [self.diary(person).off_work(start, end) for person in people]
        reasons = [reason for reason in found if reason]
        if reasons and not meeting.title.startswith("Incident"):
            raise ToolError("; ".join(reasons) + ". Take another time of day.")
        if meeting.room_id:
            room, organizer = self.room(meeting.room_id), self.person(meeting.organizer_id)
            key = meeting.meeting_id
            self.refuse_room(room, organizer, start, minutes, len(people), key)
        return start


def _ids(meetings: list[Meeting]) -> list[str]:
    return [meeting.meeting_id for meeting in meetings]
