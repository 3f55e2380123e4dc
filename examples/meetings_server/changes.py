"""The tools that write."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from examples.meetings_server import times
from examples.meetings_server.meetings import refuse_length
from examples.meetings_server.rows import (
    AbsenceKind,
    RequestStatus,
    Response,
    Status,
    Visibility,
)
from examples.meetings_server.server import Actor, MeetingId, Now, SeriesId, Zone, calendars, tool


@tool(reads=False)
def create_meeting(
    on_behalf_of: Annotated[str, Field(description="the organizer, in whose name you act.")],
    title: Annotated[str, Field(description="what the meeting is called.")],
    start: Annotated[str, Field(description="YYYY-MM-DDTHH:MM, wall-clock time in tz.")],
    minutes: Annotated[int, Field(description="how long it lasts.")],
    attendee_ids: Annotated[list[str], Field(description="whom to invite, the organizer apart.")],
    tz: Zone = "",
    room_id: Annotated[str, Field(description="a room to book with it; none when left out.")] = "",
    visibility: Annotated[
        Visibility,
        Field(description="private hides everything but the time from people who are not invited."),
    ] = Visibility.NORMAL,
    now: Now = "",
) -> dict[str, Any]:
    """Create a meeting that on_behalf_of organizes; the others are asked to answer."""
    with calendars(now, writing=True) as book:
        organizer = book.person(on_behalf_of)
        if not title.strip():
            raise ToolError("A meeting needs a title.")
        refuse_length(minutes)
        moment = times.moment(start, book.zone(tz) if tz else organizer.tz)
        others = [book.person(key) for key in attendee_ids if key != on_behalf_of]
        if len({p.person_id for p in others}) < len(others):
            raise ToolError("Somebody is named twice in attendee_ids.")
        book.refuse_time(title, [organizer, *others], moment, minutes)
        if room_id:
            book.refuse_room(book.room(room_id), organizer, moment, minutes, len(others) + 1)
        meeting = book.create(
            organizer,
            others,
            title=title.strip(),
            room_id=room_id or None,
            start=moment.isoformat(),
            end=times.later(moment, minutes).isoformat(),
            visibility=visibility,
        )
        return book.details(meeting, organizer)


@tool(reads=False)
def move_meeting(
    on_behalf_of: Actor,
    meeting_id: MeetingId,
    start: Annotated[
        str, Field(description="the new start, YYYY-MM-DDTHH:MM, wall-clock time in tz.")
    ],
    tz: Zone = "",
    now: Now = "",
) -> dict[str, Any]:
    """Move one meeting to another time, keeping its length and room; everybody is asked to answer again.

    Only its organizer or one of the organizer's delegates may do this. A meeting of a series moves alone and
    becomes an exception.
    """
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        moment = times.moment(start, book.zone(tz) if tz else actor.tz)
        return book.details(book.move(meeting, moment), actor)


@tool(reads=False)
def cancel_meeting(
    on_behalf_of: Actor,
    meeting_id: Annotated[
        str, Field(description="the meeting; the other meetings of its series stay.")
    ],
    reason: Annotated[str, Field(description="what the attendees are told.")],
    now: Now = "",
) -> dict[str, Any]:
    """Cancel one meeting for good; its room becomes free. Only its organizer or a delegate may do this."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        if not reason.strip():
            raise ToolError("Say why the meeting is cancelled: the attendees are told.")
        cancelled = book.store.update(
            meeting, status=Status.CANCELLED, cancel_reason=reason.strip()
        )
        return book.details(cancelled, actor)


@tool(reads=False)
def book_room(
    on_behalf_of: Actor,
    meeting_id: MeetingId,
    room_id: Annotated[str, Field(description="the room, from find_rooms.")],
    now: Now = "",
) -> dict[str, Any]:
    """Give a meeting a room, or another one; the old room becomes free. For its organizer or a delegate."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        book.refuse_room(
            book.room(room_id),
            book.person(meeting.organizer_id),
            times.instant(meeting.start),
            times.length(meeting.start, meeting.end),
            meeting.seats,
            meeting_id,
        )
        return book.details(book.store.update(meeting, room_id=room_id), actor)


@tool(reads=False)
def request_room(
    on_behalf_of: Actor,
    meeting_id: MeetingId,
    room_id: Annotated[str, Field(description="a room with a custodian, from find_rooms.")],
    now: Now = "",
) -> dict[str, Any]:
    """Ask the custodian of a room for it; the meeting has it once they approve. For its organizer or a delegate."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        return book.ask(actor, meeting, book.room(room_id))


@tool(reads=False)
def answer_request(
    on_behalf_of: Annotated[str, Field(description="the custodian, in whose name you act.")],
    request_id: Annotated[str, Field(description="the request, from list_requests.")],
    answer: Annotated[
        Literal["approved", "declined"], Field(description="whether the meeting gets the room.")
    ],
    note: Annotated[str, Field(description="why it is declined; whoever asked is told.")] = "",
    now: Now = "",
) -> dict[str, Any]:
    """Answer a request for a room. Only its custodian may; an approved meeting has the room at once."""
    with calendars(now, writing=True) as book:
        actor, request = book.person(on_behalf_of), book.request(request_id)
        return book.decide(actor, request, RequestStatus(answer), note).document()


@tool(reads=False)
def add_attendee(
    on_behalf_of: Actor,
    meeting_id: MeetingId,
    person_id: Annotated[str, Field(description="whom to invite.")],
    now: Now = "",
) -> dict[str, Any]:
    """Invite one more person to a meeting. For its organizer or a delegate; the room must seat everybody."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        return book.details(book.invite(meeting, book.person(person_id)), actor)


@tool(reads=False)
def remove_attendee(
    on_behalf_of: Actor,
    meeting_id: MeetingId,
    person_id: Annotated[str, Field(description="whom to take off.")],
    now: Now = "",
) -> dict[str, Any]:
    """Take a person off a meeting. For its organizer or a delegate; the organizer stays."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.changeable(on_behalf_of, meeting_id)
        return book.details(book.take_off(meeting, person_id), actor)


@tool(reads=False)
def end_series(
    on_behalf_of: Actor,
    series_id: SeriesId,
    from_day: Annotated[
        str,
        Field(description="YYYY-MM-DD in the time zone of the series: the first day without it."),
    ],
    reason: Annotated[str, Field(description="what the attendees are told.")],
    now: Now = "",
) -> dict[str, Any]:
    """End a series: its meetings from a day on are cancelled. For its organizer or a delegate.

    Meetings that were moved by hand (exceptions) stay; cancel_meeting cancels them one by one.
    """
    with calendars(now, writing=True) as book:
        series, day = book.series(book.person(on_behalf_of), series_id, from_day)
        return book.end(series, day, reason)


@tool(reads=False)
def shift_series(
    on_behalf_of: Actor,
    series_id: SeriesId,
    from_day: Annotated[str, Field(description="YYYY-MM-DD in the time zone of the series.")],
    time: Annotated[
        str, Field(description="HH:MM, wall-clock time in the time zone of the series.")
    ],
    now: Now = "",
) -> dict[str, Any]:
    """Give a series another time of day from a day on. For its organizer or a delegate.

    The old series ends the day before; a new one goes on with the meetings that follow, at the new time, and
    everybody is asked to answer again, also where they have something else then. Exceptions stay as they are.
    """
    with calendars(now, writing=True) as book:
        series, day = book.series(book.person(on_behalf_of), series_id, from_day)
        return book.shift(series, day, time)


@tool(reads=False)
def respond(
    on_behalf_of: Annotated[str, Field(description="the invited person.")],
    meeting_id: MeetingId,
    response: Annotated[
        Literal["accepted", "tentative", "declined"], Field(description="the answer.")
    ],
    now: Now = "",
) -> dict[str, Any]:
    """Answer an invitation in the name of on_behalf_of."""
    with calendars(now, writing=True) as book:
        actor, meeting = book.person(on_behalf_of), book.upcoming(meeting_id)
        return book.details(book.answer(meeting, actor, Response(response)), actor)


@tool(reads=False)
def set_out_of_office(
    on_behalf_of: Actor,
    person_id: Annotated[str, Field(description="who is away.")],
    first_day: Annotated[str, Field(description="YYYY-MM-DD, not before today.")],
    last_day: Annotated[str, Field(description="YYYY-MM-DD, included.")],
    kind: Annotated[AbsenceKind, Field(description="why.")],
    now: Now = "",
) -> dict[str, Any]:
    """Enter days on which a person is out of office. For the person, their manager and their delegates."""
    with calendars(now, writing=True) as book:
        actor, person = book.person(on_behalf_of), book.person(person_id)
        days = times.day_range(first_day, last_day)
        return book.enter_absence(actor, person, days, kind).document()
