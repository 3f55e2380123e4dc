"""Meetings: who sees what of them, when they can be, and who may change them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.meetings_server import times
from examples.meetings_server.diary import Diary
from examples.meetings_server.rooms import Rooms
from examples.meetings_server.rows import Attendee, Meeting, Person, Response, Status, Visibility

LONGEST_MEETING = 480
STEP = 30
"""Minutes between the starts that find_time offers."""


class Meetings(Rooms):
    """The calendars of the people."""

    # Looking things up

    def meeting(self, meeting_id: str) -> Meeting:
        meeting = self.store.get(Meeting, meeting_id)
        if meeting is None:
            raise ToolError(f"There is no meeting {meeting_id!r}; list_meetings gives the ids.")
        return meeting

    def calendar(self, person_id: str) -> list[Meeting]:
        """The scheduled meetings that a person is invited to, earliest first."""
        query = """
            SELECT * FROM meetings
            WHERE status = 'scheduled' AND EXISTS (
                SELECT 1 FROM json_each(attendees)
                WHERE json_extract(value, '$.person_id') = ?
            )
            ORDER BY start, meeting_id
        """
        return self.store.query(Meeting, query, person_id)

    def going(self, person_id: str) -> list[Meeting]:
        """Those of them that the person has not declined."""
        return [m for m in self.calendar(person_id) if m.goes(person_id)]

    def may_see(self, viewer: Person, meeting: Meeting) -> bool:
        if meeting.visibility != Visibility.PRIVATE or meeting.response(viewer.person_id):
            return True
        return viewer.person_id in self.person(meeting.organizer_id).delegate_ids

    def view(self, meeting: Meeting, viewer: Person, tz: str) -> dict[str, Any]:
        """What the viewer may see of a meeting; of a private one, that its time is taken."""
        local = times.local(meeting.start, tz)
        taken = {
            "meeting_id": meeting.meeting_id,
            "start": meeting.start,
            "end": meeting.end,
            "minutes": times.length(meeting.start, meeting.end),
            "tz": tz,
            "local_day": local[:10],
            "local_time": local[11:16],
            "visibility": meeting.visibility,
        }
        if not self.may_see(viewer, meeting):
            return {**taken, "title": "Private"}
        shown = {"title", "status", "organizer_id", "room_id", "series_id", "exception"}
        return {**taken, **meeting.model_dump(mode="json", include=shown)}

    def details(self, meeting: Meeting, viewer: Person, tz: str = "") -> dict[str, Any]:
        """A meeting with its room and the people who are invited."""
        room = self.room(meeting.room_id) if meeting.room_id else None
        named = {"room_id", "name", "office_id", "capacity"}
        return {
            **self.view(meeting, viewer, tz or viewer.tz),
            "cancel_reason": meeting.cancel_reason,
            "organizer": self.person(meeting.organizer_id).brief(),
            "attendees": [
                {**self.person(a.person_id).brief(), "response": a.response}
                for a in meeting.attendees
            ],
            "room": room.model_dump(mode="json", include=named) if room else None,
            "seats_needed": meeting.seats,
        }

    def clashes(self, meeting: Meeting, viewer: Person) -> list[dict[str, Any]]:
        """What else the viewer has at the time of a scheduled meeting."""
        if meeting.status != Status.SCHEDULED:
            return []
        return [
            self.view(other, viewer, viewer.tz)
            for other in self.going(viewer.person_id)
            if other.overlaps(meeting.start, meeting.end) and other != meeting
        ]

    # When it can be

    def diary(self, person: Person) -> Diary:
        return Diary(
            person,
            self.holidays(person.office_id),
            self.absences(person.person_id),
            self.going(person.person_id),
        )

    def starts(self, people: list[Person], day: str, minutes: int) -> list[dict[str, str]]:
        """The starts, on the half hour, that suit everybody; the day is that of the first."""
        tz = people[0].tz
        diaries = [self.diary(person) for person in people]
        found = []
        first, last = (_minute(wall) for wall in (people[0].work_start, people[0].work_end))
        for minute in range(first, last - minutes + 1, STEP):
            wall = f"{times.day(day).isoformat()}T{minute // 60:02}:{minute % 60:02}"
            start = times.at(datetime.fromisoformat(wall), tz)
            end = start + timedelta(minutes=minutes)
            suits = not any(d.hindrance(start, end, but="", any_hour=False) for d in diaries)
            if start > self.now and suits:
                found.append({"start": start.isoformat(), "local": wall, "tz": tz})
        return found

    def refuse_time(
        self, title: str, people: list[Person], start: datetime, minutes: int, but: str = ""
    ) -> None:
        """Raise ToolError when anybody cannot come; incidents do not keep to working hours."""
        if start <= self.now:
            raise ToolError(f"{start.isoformat()} is past.")
        any_hour = title.strip().startswith("Incident")
        end = start + timedelta(minutes=minutes)
        found = [self.diary(p).hindrance(start, end, but=but, any_hour=any_hour) for p in people]
        reasons = [reason for reason in found if reason]
        if reasons:
            raise ToolError("; ".join(reasons) + ". find_time lists times that suit everybody.")

    # Changing things

    def upcoming(self, meeting_id: str) -> Meeting:
        """A meeting that is neither cancelled nor begun."""
        meeting = self.meeting(meeting_id)
        if meeting.status == Status.CANCELLED:
            raise ToolError(f"Meeting {meeting_id} was cancelled: {meeting.cancel_reason}.")
        if datetime.fromisoformat(meeting.start) <= self.now:
            raise ToolError(f"Meeting {meeting_id} has begun already.")
        return meeting

    def changeable(self, on_behalf_of: str, meeting_id: str) -> tuple[Person, Meeting]:
        """Who acts, and an upcoming meeting that they may change."""
        actor, meeting = self.person(on_behalf_of), self.upcoming(meeting_id)
        refuse_stranger(actor, self.person(meeting.organizer_id), meeting_id)
        return actor, meeting

    def create(self, organizer: Person, others: list[Person], **fields: Any) -> Meeting:
        """A new meeting; `others` are asked to answer."""
        invited = [Attendee(person_id=organizer.person_id, response=Response.ACCEPTED)]
        invited += [Attendee(person_id=p.person_id, response=Response.NEEDS_ACTION) for p in others]
        meeting = Meeting(
            meeting_id=self.store.next_id(Meeting, "M"),
            organizer_id=organizer.person_id,
            attendees=invited,
            status=Status.SCHEDULED,
            series_id=None,
            exception=False,
            cancel_reason="",
            **fields,
        )
        return self.store.insert(meeting)

    def move(self, meeting: Meeting, start: datetime) -> Meeting:
        """The meeting at another time, if everybody and its room can; all are asked again."""
        minutes = times.length(meeting.start, meeting.end)
        organizer = self.person(meeting.organizer_id)
        everybody = [self.person(a.person_id) for a in meeting.attendees]
        key = meeting.meeting_id
        self.refuse_time(meeting.title, everybody, start, minutes, key)
        if meeting.room_id:
            room = self.room(meeting.room_id)
            self.refuse_room(room, organizer, start, minutes, len(everybody), key)
        return self.store.update(
            meeting,
            start=start.isoformat(),
            end=times.later(start, minutes).isoformat(),
            attendees=meeting.asked_again(),
            exception=meeting.exception or bool(meeting.series_id),
        )

    def answer(self, meeting: Meeting, person: Person, response: Response) -> Meeting:
        """The meeting with an invited person's answer, if the room has a seat."""
        if person.person_id == meeting.organizer_id:
            raise ToolError("The organizer takes part; cancel or move the meeting instead.")
        if not meeting.response(person.person_id):
            raise ToolError(f"{person.name} is not invited to {meeting.meeting_id}.")
        answers = [
            Attendee(person_id=a.person_id, response=response)
            if a.person_id == person.person_id
            else a
            for a in meeting.attendees
        ]
        answered = meeting.model_copy(update={"attendees": answers})
        if meeting.room_id and self.room(meeting.room_id).capacity < answered.seats:
            raise ToolError("The room is full by now: ask the organizer for a larger one.")
        return self.store.update(meeting, attendees=answers)

    def invite(self, meeting: Meeting, guest: Person) -> Meeting:
        """The meeting with one more attendee, if the room seats everybody."""
        if meeting.response(guest.person_id):
            raise ToolError(f"{guest.name} is invited to {meeting.meeting_id} already.")
        room = self.room(meeting.room_id) if meeting.room_id else None
        if room and room.capacity < meeting.seats + 1:
            raise ToolError(
                f"{room.name} seats {room.capacity} and {meeting.seats} are coming: "
                "book a larger room first."
            )
        asked = Attendee(person_id=guest.person_id, response=Response.NEEDS_ACTION)
        return self.store.update(meeting, attendees=[*meeting.attendees, asked])

    def take_off(self, meeting: Meeting, person_id: str) -> Meeting:
        """The meeting without an attendee."""
        if person_id == meeting.organizer_id:
            raise ToolError("The organizer cannot be taken off; cancel the meeting instead.")
        if not meeting.response(person_id):
            name = self.person(person_id).name
            raise ToolError(f"{name} is not invited to {meeting.meeting_id}.")
        rest = [a for a in meeting.attendees if a.person_id != person_id]
        return self.store.update(meeting, attendees=rest)


def titled(meetings: list[dict[str, Any]], title: str) -> list[dict[str, Any]]:
    """Those with this title, or with this text in it when none has it."""
    wanted = title.strip().lower()
    exact = [m for m in meetings if m["title"].lower() == wanted]
    return exact or [m for m in meetings if wanted in m["title"].lower()]


def refuse_stranger(actor: Person, organizer: Person, what: str) -> None:
    """Raise ToolError unless the actor may change what belongs to the organizer."""
    if actor.person_id not in organizer.managers:
        raise ToolError(
            f"Only the organizer of {what} or a delegate with the right to manage may change it, "
            f"not {actor.name}."
        )


def refuse_length(minutes: int) -> None:
    """Raise ToolError when no meeting may last so long."""
    if not 1 <= minutes <= LONGEST_MEETING:
        raise ToolError(f"A meeting lasts 1 to {LONGEST_MEETING} minutes, not {minutes}.")


def _minute(wall: str) -> int:
    return int(wall[:2]) * 60 + int(wall[3:5])
