"""The tools that only read."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from examples.meetings_server import times
from examples.meetings_server.meetings import refuse_length, titled
from examples.meetings_server.rows import Response
from examples.meetings_server.server import Day, Now, Viewer, calendars, tool

MOST_PEOPLE = 50


@tool(reads=True)
def list_offices(
    city: Annotated[
        str, Field(description="only the offices of this city; every office when left out.")
    ] = "",
    now: Now = "",
) -> list[dict[str, Any]]:
    """List the offices with their city, country, time zone and the guests that they may have in a day."""
    with calendars(now) as book:
        return [office.document() for office in book.offices(city)]


@tool(reads=True)
def list_holidays(
    office_id: Annotated[
        str, Field(description="the office, e.g. from list_offices or find_people.")
    ],
    first_day: Day,
    last_day: Annotated[
        str, Field(description="YYYY-MM-DD, included; at most 92 days after the first.")
    ],
    now: Now = "",
) -> list[dict[str, Any]]:
    """List the public holidays of an office, earliest first."""
    with calendars(now) as book:
        office = book.office(office_id)
        first, last = times.day_range(first_day, last_day)
        days = book.holidays(office.office_id)
        return [holiday.document() for holiday in days if first <= holiday.date <= last]


@tool(reads=True)
def find_people(
    query: Annotated[str, Field(description="a name or an e-mail address.")], now: Now = ""
) -> list[dict[str, Any]]:
    """Find people by name or e-mail address, or part of either. Names are not unique; addresses are."""
    shown = {"person_id", "name", "email", "role", "team", "office_id", "tz"}
    with calendars(now) as book:
        return [p.model_dump(mode="json", include=shown) for p in book.people(query)]


@tool(reads=True)
def get_person(
    person_id: Annotated[str, Field(description="the person, from find_people.")], now: Now = ""
) -> dict[str, Any]:
    """Show a person: home office, time zone, working hours, manager, delegates and coming absences."""
    with calendars(now) as book:
        return book.profile(person_id)


@tool(reads=True)
def list_meetings(
    on_behalf_of: Viewer,
    person_id: Annotated[str, Field(description="whose calendar to look at.")],
    title: Annotated[
        str,
        Field(
            description="only meetings with this title, or with this text in it when none has it."
        ),
    ] = "",
    first_day: Annotated[
        str,
        Field(
            description="YYYY-MM-DD in the person's time zone; when left out, what is not over yet."
        ),
    ] = "",
    last_day: Annotated[
        str,
        Field(description="YYYY-MM-DD, included; 60 days after the first when left out."),
    ] = "",
    at: Annotated[
        str,
        Field(
            description="only what is under way at this instant, e.g. 2026-03-24T09:00:00+00:00."
        ),
    ] = "",
    now: Now = "",
) -> dict[str, Any]:
    """List the scheduled meetings of a person, earliest first; cancelled ones are left out.

    `count` and `minutes` add up those that the person has not declined. Private meetings that you may not
    see are shown as busy time only.
    """
    with calendars(now) as book:
        viewer, person = book.person(on_behalf_of), book.person(person_id)
        window = times.Window.of(book.now, person.tz, first_day, last_day, at)
        shown = [
            {**book.view(m, viewer, person.tz), "response": m.response(person_id)}
            for m in book.calendar(person_id)
            if window.holds(m.start, m.end)
        ]
        chosen = titled(shown, title)
        going = [m for m in chosen if m["response"] != Response.DECLINED]
        return {
            "person": person.brief(),
            "tz": person.tz,
            "count": len(going),
            "minutes": sum(m["minutes"] for m in going),
            "meetings": chosen,
        }


@tool(reads=True)
def get_meeting(
    on_behalf_of: Viewer,
    meeting_id: Annotated[str, Field(description="the meeting, from list_meetings.")],
    tz: Annotated[
        str,
        Field(
            description="IANA time zone for the local times; that of on_behalf_of when left out."
        ),
    ] = "",
    now: Now = "",
) -> dict[str, Any]:
    """Show a meeting: room, attendees with their answers, who has not answered, clashes in your own calendar."""
    with calendars(now) as book:
        viewer, meeting = book.person(on_behalf_of), book.meeting(meeting_id)
        if not book.may_see(viewer, meeting):
            raise ToolError(
                f"Meeting {meeting_id} is private and {viewer.name} is not invited to it."
            )
        return {
            **book.details(meeting, viewer, book.zone(tz) if tz else ""),
            "awaiting": [
                book.person(a.person_id).name
                for a in meeting.attendees
                if a.response == Response.NEEDS_ACTION
            ],
            "clashes": book.clashes(meeting, viewer),
        }


@tool(reads=True)
def find_time(
    person_ids: Annotated[
        list[str],
        Field(
            description="the people, from find_people; "
            "the day and the local times are those of the first."
        ),
    ],
    day: Day,
    minutes: Annotated[int, Field(description="how long they need.")],
    now: Now = "",
) -> list[dict[str, str]]:
    """List the starts, on the half hour, at which everybody is at work and free; earliest first."""
    with calendars(now) as book:
        named = list(dict.fromkeys(person_ids))
        if len(named) > MOST_PEOPLE:
            raise ToolError(f"Name at most {MOST_PEOPLE} people, not {len(named)}.")
        people = [book.person(key) for key in named]
        if not people:
            raise ToolError("Name at least one person.")
        refuse_length(minutes)
        return book.starts(people, day, minutes)


@tool(reads=True)
def find_rooms(
    office_id: Annotated[str, Field(description="the office.")],
    name: Annotated[
        str,
        Field(
            description="only rooms with this name, "
            "or with this text in their name when none has it."
        ),
    ] = "",
    start: Annotated[
        str,
        Field(
            description="YYYY-MM-DDTHH:MM in the office's own time zone; "
            "then `available` tells about that time too."
        ),
    ] = "",
    minutes: Annotated[int, Field(description="how long the room is needed.")] = 60,
    people: Annotated[int, Field(description="how many it must seat.")] = 1,
    team: Annotated[
        str,
        Field(description="the organizer's team, for rooms that are reserved for certain teams."),
    ] = "",
    equipment: Annotated[
        list[str] | None,
        Field(description="what must be in it, such as screen, video or whiteboard."),
    ] = None,
    only_available: Annotated[
        bool, Field(description="leave out the rooms that cannot be had.")
    ] = False,
    largest_first: Annotated[bool, Field(description="begin with the largest instead.")] = False,
    now: Now = "",
) -> list[dict[str, Any]]:
    """List the rooms of an office, smallest first, with what they offer and whether they can be had."""
    with calendars(now) as book:
        office = book.office(office_id)
        refuse_length(minutes)
        moment = times.moment(start, office.tz) if start else None
        offers = []
        for room in book.rooms(office_id, name, equipment or []):
            reasons = book.why_not(room, people, team)
            reasons += (
                book.why_not_then(room, moment, minutes) if moment else book.why_not_now(room)
            )
            if not (only_available and reasons):
                offers.append(book.offer(room, reasons))
        turn = -1 if largest_first else 1
        return sorted(offers, key=lambda r: (turn * r["capacity"], r["room_id"]))


@tool(reads=True)
def list_requests(
    on_behalf_of: Viewer,
    room_id: Annotated[str, Field(description="the room, from find_rooms.")],
    only_open: Annotated[
        bool, Field(description="leave out those that have been answered.")
    ] = True,
    now: Now = "",
) -> list[dict[str, Any]]:
    """List the requests for a room that has a custodian, in the order in which they were asked.

    Each says what its meeting is, how many seats it needs, and which other open requests overlap with it.
    """
    with calendars(now) as book:
        viewer = book.person(on_behalf_of)
        return book.requests(book.room(room_id), viewer, only_open=only_open)
