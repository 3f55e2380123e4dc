# about:
#   title: A calendar server

"""Calendars: who meets whom, where and when; every call is made in one person's name."""

from datetime import date, datetime, timedelta
from typing import Any, Literal

LONGEST_RANGE = 92
LONGEST_MEETING = 480
MOST_PEOPLE = 50
STEP = 30


# Looking things up


def list_offices(city: str = "") -> list[dict[str, Any]]:
    """List the offices with their city, country, time zone and the guests that they may have in a day.

    Args:
        city: only the offices of this city; every office when left out.
    """
    return [o for o in db.find("offices", {}) if city.lower() in o["city"].lower()]


def list_holidays(office_id: str, first_day: str, last_day: str) -> list[dict[str, Any]]:
    """List the public holidays of an office, earliest first.

    Args:
        office_id: the office, e.g. from list_offices or find_people.
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD, included; at most 92 days after the first.
    """
    office = _office(office_id)
    first, last = _range(first_day, last_day)
    days = [h for h in _holidays(office) if first <= h["date"] <= last]
    return sorted(days, key=lambda h: h["date"])


def find_people(query: str) -> list[dict[str, Any]]:
    """Find people by name or e-mail address, or part of either. Names are not unique; addresses are.

    Args:
        query: a name or an e-mail address.
    """
    wanted = query.strip().lower()
    if len(wanted) < 2:
        raise ValueError("Give at least two letters of a name or an e-mail address.")
    found = [
        p
        for p in db.find("people", {})
        if wanted in p["name"].lower() or wanted in p["email"].lower()
    ]
    names = ["person_id", "name", "email", "role", "team", "office_id", "tz"]
    return [{name: p[name] for name in names} for p in found[:20]]


def get_person(person_id: str) -> dict[str, Any]:
    """Show a person: home office, time zone, working hours, manager, delegates and coming absences.

    Args:
        person_id: the person, from find_people.
    """
    person = _person(person_id)
    today = clock.today().isoformat()
    absences = [a for a in db.find("absences", {"person_id": person_id}) if a["last_day"] >= today]
    return {
        **person,
        "office": _office(person["office_id"])["name"],
        "manager": _brief(person["manager_id"]) if person["manager_id"] else None,
        "delegates": [_brief(key) for key in person["delegate_ids"]],
        "absences": [{k: a[k] for k in ["first_day", "last_day", "kind"]} for a in absences],
    }


def list_meetings(
    on_behalf_of: str,
    person_id: str,
    title: str = "",
    first_day: str = "",
    last_day: str = "",
    at: str = "",
) -> dict[str, Any]:
    """List the scheduled meetings of a person, earliest first; cancelled ones are left out.

    `count` and `minutes` add up those that the person has not declined. Private meetings that you may not
    see are shown as busy time only.

    Args:
        on_behalf_of: the person in whose name you look.
        person_id: whose calendar to look at.
        title: only meetings with this title, or with this text in it when none has it.
        first_day: YYYY-MM-DD in the person's time zone; when left out, what is not over yet.
        last_day: YYYY-MM-DD, included; 60 days after the first when left out.
        at: only what is under way at this instant, e.g. 2026-03-24T09:00:00+00:00.
    """
    viewer, person = _person(on_behalf_of), _person(person_id)
    now = clock.utc(clock.now()).isoformat()
    since = "" if first_day or at else now
    first_day = first_day or _local(now, person["tz"])[:10]
    last_day = last_day or (_day(first_day) + timedelta(days=60)).isoformat()
    first, last = _range(first_day, last_day)
    instant = _with_offset(at) if at else ""
    shown = []
    for meeting in _calendar(person_id):
        if meeting["end"] <= since or (
            instant and not meeting["start"] <= instant < meeting["end"]
        ):
            continue
        if first <= _local(meeting["start"], person["tz"])[:10] <= last:
            view = _view(meeting, viewer, person["tz"])
            shown.append({**view, "response": _response(meeting, person_id)})
    chosen = _titled(shown, title)
    going = [m for m in chosen if m["response"] != "declined"]
    return {
        "person": _brief(person_id),
        "tz": person["tz"],
        "count": len(going),
        "minutes": sum(m["minutes"] for m in going),
        "meetings": chosen,
    }


def get_meeting(on_behalf_of: str, meeting_id: str, tz: str = "") -> dict[str, Any]:
    """Show a meeting: room, attendees with their answers, who has not answered, clashes in your own calendar.

    Args:
        on_behalf_of: the person in whose name you look.
        meeting_id: the meeting, from list_meetings.
        tz: IANA time zone for the local times; that of on_behalf_of when left out.
    """
    viewer, meeting = _person(on_behalf_of), _meeting(meeting_id)
    if not _may_see(viewer, meeting):
        raise ValueError(
            f"Meeting {meeting_id} is private and {viewer['name']} is not invited to it."
        )
    view = _details(meeting, viewer, _zone(tz) if tz else viewer["tz"])
    clashes = [
        m for m in _clashes(viewer["person_id"], meeting["start"], meeting["end"]) if m != meeting
    ]
    return {
        **view,
        "awaiting": [
            _person(a["person_id"])["name"]
            for a in meeting["attendees"]
            if a["response"] == "needs_action"
        ],
        "clashes": [_view(m, viewer, viewer["tz"]) for m in clashes]
        if meeting["status"] == "scheduled"
        else [],
    }


def find_time(person_ids: list[str], day: str, minutes: int) -> list[dict[str, str]]:
    """List the starts, on the half hour, at which everybody is at work and free; earliest first.

    Args:
        person_ids: the people, from find_people; the day and the local times are those of the first.
        day: YYYY-MM-DD.
        minutes: how long they need.
    """
    named = list(dict.fromkeys(person_ids, True))
    if len(named) > MOST_PEOPLE:
        raise ValueError(f"Name at most {MOST_PEOPLE} people, not {len(named)}.")
    people = [_person(key) for key in named]
    if not people:
        raise ValueError("Name at least one person.")
    if not 1 <= minutes <= LONGEST_MEETING:
        raise ValueError(f"A meeting lasts 1 to {LONGEST_MEETING} minutes, not {minutes}.")
    first, tz = people[0], people[0]["tz"]
    diaries = [_diary(person) for person in people]
    starts = []
    for minute in range(
        _minute(first["work_start"]), _minute(first["work_end"]) - minutes + 1, STEP
    ):
        wall = f"{_day(day).isoformat()}T{minute // 60:02}:{minute % 60:02}"
        start = clock.utc(wall, tz)
        end = start + timedelta(minutes=minutes)
        if start > clock.now() and not _hindrances(diaries, start, end, ""):
            starts.append({"start": start.isoformat(), "local": wall, "tz": tz})
    return starts


def find_rooms(
    office_id: str,
    name: str = "",
    start: str = "",
    minutes: int = 60,
    people: int = 1,
    team: str = "",
    equipment: list[str] | None = None,
    only_available: bool = False,
    largest_first: bool = False,
) -> list[dict[str, Any]]:
    """List the rooms of an office, smallest first, with what they offer and whether they can be had.

    Args:
        office_id: the office.
        name: only rooms with this name, or with this text in their name when none has it.
        start: YYYY-MM-DDTHH:MM in the office's own time zone; then `available` tells about that time too.
        minutes: how long the room is needed.
        people: how many it must seat.
        team: the organizer's team, for rooms that are reserved for certain teams.
        equipment: what must be in it, such as screen, video or whiteboard.
        only_available: leave out the rooms that cannot be had.
        largest_first: begin with the largest instead.
    """
    office = _office(office_id)
    if not 1 <= minutes <= LONGEST_MEETING:
        raise ValueError(f"A meeting lasts 1 to {LONGEST_MEETING} minutes, not {minutes}.")
    moment = _moment(start, office["tz"]) if start else None
    rooms = [r for r in db.find("rooms", {"office_id": office_id}) if _equipped(r, equipment or [])]
    listed = []
    for room in _named(rooms, name):
        reasons = _room_reasons(room, moment, minutes, people, team)
        if not (only_available and reasons):
            custodian = _brief(room["custodian_id"]) if room["custodian_id"] else None
            offer = {"custodian": custodian, "available": not reasons, "why_not": reasons}
            listed.append({**room, **offer})
    turn = -1 if largest_first else 1
    return sorted(listed, key=lambda r: (turn * r["capacity"], r["room_id"]))


def list_requests(on_behalf_of: str, room_id: str, only_open: bool = True) -> list[dict[str, Any]]:
    """List the requests for a room that has a custodian, in the order in which they were asked.

    Each says what its meeting is, how many seats it needs, and which other open requests overlap with it.

    Args:
        on_behalf_of: the person in whose name you look.
        room_id: the room, from find_rooms.
        only_open: leave out those that have been answered.
    """
    viewer, room = _person(on_behalf_of), _room(room_id)
    rows = db.find("requests", {"room_id": room["room_id"]})
    rows = [r for r in rows if r["status"] == "asked" or not only_open]
    meetings = {r["request_id"]: _meeting(r["meeting_id"]) for r in rows}
    return [
        _request_view(r, meetings, rows, viewer)
        for r in sorted(rows, key=lambda r: (r["asked_at"], r["request_id"]))
    ]


# Changing things


def create_meeting(
    on_behalf_of: str,
    title: str,
    start: str,
    minutes: int,
    attendee_ids: list[str],
    tz: str = "",
    room_id: str = "",
    visibility: Literal["normal", "private"] = "normal",
) -> dict[str, Any]:
    """Create a meeting that on_behalf_of organizes; the others are asked to answer.

    Args:
        on_behalf_of: the organizer, in whose name you act.
        title: what the meeting is called.
        start: YYYY-MM-DDTHH:MM, wall-clock time in tz.
        minutes: how long it lasts.
        attendee_ids: whom to invite, the organizer apart.
        tz: IANA time zone of the start; that of on_behalf_of when left out.
        room_id: a room to book with it; none when left out.
        visibility: private hides everything but the time from people who are not invited.
    """
    organizer = _person(on_behalf_of)
    if not title.strip():
        raise ValueError("A meeting needs a title.")
    if not 1 <= minutes <= LONGEST_MEETING:
        raise ValueError(f"A meeting lasts 1 to {LONGEST_MEETING} minutes, not {minutes}.")
    moment = _moment(start, _zone(tz) if tz else organizer["tz"])
    others = [_person(key) for key in attendee_ids if key != on_behalf_of]
    if len({p["person_id"] for p in others}) < len(others):
        raise ValueError("Somebody is named twice in attendee_ids.")
    end = moment + timedelta(minutes=minutes)
    _refuse_time(title, [organizer, *others], moment, end, "")
    if room_id:
        _refuse_room(_room(room_id), organizer, moment, end, len(others) + 1, "")
    asked = [{"person_id": p["person_id"], "response": "needs_action"} for p in others]
    meeting = {
        "meeting_id": db.next_id("meetings", "M"),
        "title": title.strip(),
        "organizer_id": on_behalf_of,
        "attendees": [{"person_id": on_behalf_of, "response": "accepted"}, *asked],
        "room_id": room_id or None,
        "start": moment.isoformat(),
        "end": end.isoformat(),
        "status": "scheduled",
        "series_id": None,
        "exception": False,
        "visibility": visibility,
        "cancel_reason": "",
    }
    return _details(db.insert("meetings", meeting), organizer, organizer["tz"])


def move_meeting(on_behalf_of: str, meeting_id: str, start: str, tz: str = "") -> dict[str, Any]:
    """Move one meeting to another time, keeping its length and room; everybody is asked to answer again.

    Only its organizer or one of the organizer's delegates may do this. A meeting of a series moves alone and
    becomes an exception.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting.
        start: the new start, YYYY-MM-DDTHH:MM, wall-clock time in tz.
        tz: IANA time zone of the start; that of on_behalf_of when left out.
    """
    actor, meeting = _changeable(on_behalf_of, meeting_id)
    moment = _moment(start, _zone(tz) if tz else actor["tz"])
    end = moment + _length(meeting)
    organizer = _person(meeting["organizer_id"])
    everybody = [_person(a["person_id"]) for a in meeting["attendees"]]
    _refuse_time(meeting["title"], everybody, moment, end, meeting_id)
    if meeting["room_id"]:
        _refuse_room(_room(meeting["room_id"]), organizer, moment, end, len(everybody), meeting_id)
    asked = _asked_again(meeting)
    fields = {"start": moment.isoformat(), "end": end.isoformat(), "attendees": asked}
    if meeting["series_id"]:
        fields["exception"] = True
    return _details(db.update("meetings", meeting_id, fields), actor, actor["tz"])


def cancel_meeting(on_behalf_of: str, meeting_id: str, reason: str) -> dict[str, Any]:
    """Cancel one meeting for good; its room becomes free. Only its organizer or a delegate may do this.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting; the other meetings of its series stay.
        reason: what the attendees are told.
    """
    actor, meeting = _changeable(on_behalf_of, meeting_id)
    if not reason.strip():
        raise ValueError("Say why the meeting is cancelled: the attendees are told.")
    fields = {"status": "cancelled", "cancel_reason": reason.strip()}
    return _details(db.update("meetings", meeting["meeting_id"], fields), actor, actor["tz"])


def book_room(on_behalf_of: str, meeting_id: str, room_id: str) -> dict[str, Any]:
    """Give a meeting a room, or another one; the old room becomes free. For its organizer or a delegate.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting.
        room_id: the room, from find_rooms.
    """
    actor, meeting = _changeable(on_behalf_of, meeting_id)
    organizer = _person(meeting["organizer_id"])
    start, end = _instant(meeting["start"]), _instant(meeting["end"])
    _refuse_room(_room(room_id), organizer, start, end, _seats(meeting), meeting_id)
    return _details(db.update("meetings", meeting_id, {"room_id": room_id}), actor, actor["tz"])


def request_room(on_behalf_of: str, meeting_id: str, room_id: str) -> dict[str, Any]:
    """Ask the custodian of a room for it; the meeting has it once they approve. For its organizer or a delegate.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting.
        room_id: a room with a custodian, from find_rooms.
    """
    _, meeting = _changeable(on_behalf_of, meeting_id)
    room, organizer = _room(room_id), _person(meeting["organizer_id"])
    if not room["custodian_id"]:
        raise ValueError(f"{room['name']} needs nobody's approval: book_room books it.")
    if meeting["room_id"] == room_id:
        raise ValueError(f"Meeting {meeting_id} is in {room['name']} already.")
    known = db.find("requests", {"meeting_id": meeting_id, "room_id": room_id})
    if any(r["status"] == "asked" for r in known):
        raise ValueError(f"{room['name']} has been asked for already; its custodian will answer.")
    start, end = _instant(meeting["start"]), _instant(meeting["end"])
    _refuse_room(room, organizer, start, end, _seats(meeting), meeting_id, approved=True)
    row = {
        "request_id": db.next_id("requests", "Q"),
        "meeting_id": meeting_id,
        "room_id": room_id,
        "asked_by": on_behalf_of,
        "asked_at": clock.utc(clock.now()).isoformat(),
        "status": "asked",
        "answered_by": None,
        "note": "",
    }
    return {**db.insert("requests", row), "custodian": _brief(room["custodian_id"])}


def answer_request(
    on_behalf_of: str, request_id: str, answer: Literal["approved", "declined"], note: str = ""
) -> dict[str, Any]:
    """Answer a request for a room. Only its custodian may; an approved meeting has the room at once.

    Args:
        on_behalf_of: the custodian, in whose name you act.
        request_id: the request, from list_requests.
        answer: whether the meeting gets the room.
        note: why it is declined; whoever asked is told.
    """
    actor, request = _person(on_behalf_of), db.get("requests", request_id)
    if request is None:
        raise ValueError(f"There is no request {request_id!r}; list_requests gives the ids.")
    room = _room(request["room_id"])
    if on_behalf_of != room["custodian_id"]:
        name = _person(room["custodian_id"])["name"]
        raise ValueError(f"Only {name} answers requests for {room['name']}, not {actor['name']}.")
    if request["status"] != "asked":
        raise ValueError(f"Request {request_id} was {request['status']} already.")
    if answer == "declined" and not note.strip():
        raise ValueError("Say in a note why it is declined: whoever asked is told.")
    if answer == "approved":
        meeting = _upcoming(request["meeting_id"])
        organizer = _person(meeting["organizer_id"])
        start, end = _instant(meeting["start"]), _instant(meeting["end"])
        key = meeting["meeting_id"]
        _refuse_room(room, organizer, start, end, _seats(meeting), key, approved=True)
        db.update("meetings", key, {"room_id": room["room_id"]})
    fields = {"status": answer, "answered_by": on_behalf_of, "note": note.strip()}
    return db.update("requests", request_id, fields)


def add_attendee(on_behalf_of: str, meeting_id: str, person_id: str) -> dict[str, Any]:
    """Invite one more person to a meeting. For its organizer or a delegate; the room must seat everybody.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting.
        person_id: whom to invite.
    """
    actor, meeting = _changeable(on_behalf_of, meeting_id)
    guest = _person(person_id)
    if _response(meeting, person_id):
        raise ValueError(f"{guest['name']} is invited to {meeting_id} already.")
    if meeting["room_id"]:
        room = _room(meeting["room_id"])
        if room["capacity"] < _seats(meeting) + 1:
            raise ValueError(
                f"{room['name']} seats {room['capacity']} and {_seats(meeting)} are coming: book a larger room first."
            )
    asked = [*meeting["attendees"], {"person_id": person_id, "response": "needs_action"}]
    return _details(db.update("meetings", meeting_id, {"attendees": asked}), actor, actor["tz"])


def remove_attendee(on_behalf_of: str, meeting_id: str, person_id: str) -> dict[str, Any]:
    """Take a person off a meeting. For its organizer or a delegate; the organizer stays.

    Args:
        on_behalf_of: the person in whose name you act.
        meeting_id: the meeting.
        person_id: whom to take off.
    """
    actor, meeting = _changeable(on_behalf_of, meeting_id)
    if person_id == meeting["organizer_id"]:
        raise ValueError("The organizer cannot be taken off; cancel the meeting instead.")
    if not _response(meeting, person_id):
        raise ValueError(f"{_person(person_id)['name']} is not invited to {meeting_id}.")
    rest = [a for a in meeting["attendees"] if a["person_id"] != person_id]
    return _details(db.update("meetings", meeting_id, {"attendees": rest}), actor, actor["tz"])


def end_series(on_behalf_of: str, series_id: str, from_day: str, reason: str) -> dict[str, Any]:
    """End a series: its meetings from a day on are cancelled. For its organizer or a delegate.

    Meetings that were moved by hand (exceptions) stay; cancel_meeting cancels them one by one.

    Args:
        on_behalf_of: the person in whose name you act.
        series_id: the series, from get_meeting.
        from_day: YYYY-MM-DD in the time zone of the series: the first day without it.
        reason: what the attendees are told.
    """
    _, series, day = _series_to_change(on_behalf_of, series_id, from_day)
    if not reason.strip():
        raise ValueError("Say why the series ends: the attendees are told.")
    going, kept = _following(series, day)
    for meeting in going:
        fields = {"status": "cancelled", "cancel_reason": reason.strip()}
        db.update("meetings", meeting["meeting_id"], fields)
    ended = db.update("series", series_id, {"until": _day_before(day)})
    return {
        "series": ended,
        "cancelled": [m["meeting_id"] for m in going],
        "kept": [m["meeting_id"] for m in kept],
    }


def shift_series(on_behalf_of: str, series_id: str, from_day: str, time: str) -> dict[str, Any]:
    """Give a series another time of day from a day on. For its organizer or a delegate.

    The old series ends the day before; a new one goes on with the meetings that follow, at the new time, and
    everybody is asked to answer again, also where they have something else then. Exceptions stay as they are.

    Args:
        on_behalf_of: the person in whose name you act.
        series_id: the series, from get_meeting.
        from_day: YYYY-MM-DD in the time zone of the series.
        time: HH:MM, wall-clock time in the time zone of the series.
    """
    _, series, day = _series_to_change(on_behalf_of, series_id, from_day)
    going, kept = _following(series, day)
    if not going:
        raise ValueError(f"Series {series_id} has no meeting to move from {day} on.")
    organizer = _person(series["organizer_id"])
    starts = []
    for meeting in going:
        start = _moment(f"{_local(meeting['start'], series['tz'])[:10]}T{time}", series["tz"])
        starts.append(start)
        _refuse_shift(meeting, organizer, start)
    fields = {"series_id": db.next_id("series", "S"), "time": time}
    successor = db.insert("series", {**series, **fields})
    for meeting, start in zip(going, starts, strict=True):
        db.update(
            "meetings",
            meeting["meeting_id"],
            {
                "series_id": successor["series_id"],
                "start": start.isoformat(),
                "end": (start + _length(meeting)).isoformat(),
                "attendees": _asked_again(meeting),
            },
        )
    db.update("series", series_id, {"until": _day_before(day)})
    return {
        "series": successor,
        "first": starts[0].isoformat(),
        "moved": [m["meeting_id"] for m in going],
        "kept": [m["meeting_id"] for m in kept],
    }


def respond(
    on_behalf_of: str, meeting_id: str, response: Literal["accepted", "tentative", "declined"]
) -> dict[str, Any]:
    """Answer an invitation in the name of on_behalf_of.

    Args:
        on_behalf_of: the invited person.
        meeting_id: the meeting.
        response: the answer.
    """
    actor, meeting = _person(on_behalf_of), _upcoming(meeting_id)
    if on_behalf_of == meeting["organizer_id"]:
        raise ValueError("The organizer takes part; cancel or move the meeting instead.")
    if not _response(meeting, on_behalf_of):
        raise ValueError(f"{actor['name']} is not invited to {meeting_id}.")
    answers = [
        {**a, "response": response} if a["person_id"] == on_behalf_of else a
        for a in meeting["attendees"]
    ]
    if meeting["room_id"] and _room(meeting["room_id"])["capacity"] < _seats(
        {"attendees": answers}
    ):
        raise ValueError("The room is full by now: ask the organizer for a larger one.")
    return _details(db.update("meetings", meeting_id, {"attendees": answers}), actor, actor["tz"])


def set_out_of_office(
    on_behalf_of: str,
    person_id: str,
    first_day: str,
    last_day: str,
    kind: Literal["vacation", "sick", "parental", "travel"],
) -> dict[str, Any]:
    """Enter days on which a person is out of office. For the person, their manager and their delegates.

    Args:
        on_behalf_of: the person in whose name you act.
        person_id: who is away.
        first_day: YYYY-MM-DD, not before today.
        last_day: YYYY-MM-DD, included.
        kind: why.
    """
    actor, person = _person(on_behalf_of), _person(person_id)
    first, last = _range(first_day, last_day)
    if first < clock.today().isoformat():
        raise ValueError(f"{first} is past; an absence begins today or later.")
    allowed = [person_id, person["manager_id"], *_managers(person)]
    if on_behalf_of not in allowed:
        raise ValueError(
            f"Only {person['name']}, their manager or a managing delegate may enter this, not {actor['name']}."
        )
    for other in db.find("absences", {"person_id": person_id}):
        if other["first_day"] <= last and first <= other["last_day"]:
            raise ValueError(
                f"{person['name']} is away from {other['first_day']} to {other['last_day']} already."
            )
    row = {
        "absence_id": db.next_id("absences", "A"),
        "person_id": person_id,
        "first_day": first,
        "last_day": last,
        "kind": kind,
        "entered_by": on_behalf_of,
    }
    return db.insert("absences", row)


# Rows, or a refusal that says where to look


def _office(office_id: str) -> dict[str, Any]:
    office = db.get("offices", office_id)
    if office is None:
        raise ValueError(f"There is no office {office_id!r}; list_offices names them.")
    return office


def _person(person_id: str) -> dict[str, Any]:
    person = db.get("people", person_id)
    if person is None:
        raise ValueError(f"There is no person {person_id!r}; find_people gives the ids.")
    return person


def _room(room_id: str) -> dict[str, Any]:
    room = db.get("rooms", room_id)
    if room is None:
        raise ValueError(f"There is no room {room_id!r}; find_rooms gives the ids.")
    return room


def _meeting(meeting_id: str) -> dict[str, Any]:
    meeting = db.get("meetings", meeting_id)
    if meeting is None:
        raise ValueError(f"There is no meeting {meeting_id!r}; list_meetings gives the ids.")
    return meeting


def _upcoming(meeting_id: str) -> dict[str, Any]:
    meeting = _meeting(meeting_id)
    if meeting["status"] == "cancelled":
        raise ValueError(f"Meeting {meeting_id} was cancelled: {meeting['cancel_reason']}.")
    if _instant(meeting["start"]) <= clock.now():
        raise ValueError(f"Meeting {meeting_id} has begun already.")
    return meeting


def _changeable(on_behalf_of: str, meeting_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    actor, meeting = _person(on_behalf_of), _upcoming(meeting_id)
    _refuse_stranger(actor, _person(meeting["organizer_id"]), meeting_id)
    return actor, meeting


def _refuse_stranger(actor: dict[str, Any], organizer: dict[str, Any], what: str) -> None:
    if actor["person_id"] not in [organizer["person_id"], *_managers(organizer)]:
        raise ValueError(
            f"Only the organizer of {what} or a delegate with the right to manage may change it, not {actor['name']}."
        )


def _managers(person: dict[str, Any]) -> list[str]:
    return person["delegate_ids"] if person["delegate_rights"] == "manage" else []


def _series_to_change(
    on_behalf_of: str, series_id: str, from_day: str
) -> tuple[dict[str, Any], dict[str, Any], str]:
    actor, series = _person(on_behalf_of), db.get("series", series_id)
    if series is None:
        raise ValueError(f"There is no series {series_id!r}; get_meeting names that of a meeting.")
    _refuse_stranger(actor, _person(series["organizer_id"]), series_id)
    day = _day(from_day).isoformat()
    if day < clock.today().isoformat():
        raise ValueError(f"{day} is past; a series changes from today on or later.")
    if series["until"] and series["until"] < day:
        raise ValueError(f"Series {series_id} has ended on {series['until']}.")
    return actor, series, day


# Times


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day such as 2026-03-25.") from None
    if not 2000 <= day.year <= 2100:
        raise ValueError(f"{text} is too far away.")
    return day


def _range(first_day: str, last_day: str) -> tuple[str, str]:
    first, last = _day(first_day), _day(last_day)
    if last < first:
        raise ValueError(f"The last day, {last_day}, is before the first, {first_day}.")
    if (last - first).days > LONGEST_RANGE:
        raise ValueError(f"At most {LONGEST_RANGE} days at once.")
    return first.isoformat(), last.isoformat()


def _zone(tz: str) -> str:
    if not db.find("offices", {"tz": tz}) and not db.find("people", {"tz": tz}):
        raise ValueError(
            f"{tz!r} is not a time zone in which anybody here works, such as Europe/Berlin."
        )
    return tz


def _moment(text: str, tz: str) -> datetime:
    try:
        wall = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a local time such as 2026-03-25T15:00.") from None
    if wall.tzinfo is not None or len(text) != 16:
        raise ValueError(
            f"Give a local time such as 2026-03-25T15:00, without an offset, not {text!r}."
        )
    _day(text[:10])
    moment = clock.utc(text, tz)
    if _local(moment.isoformat(), tz)[:16] != text:
        raise ValueError(f"{text} does not exist in {tz}: the clocks go forward over it.")
    return moment


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _with_offset(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an instant such as 2026-03-24T09:00:00+00:00.") from None
    if moment.tzinfo is None:
        raise ValueError(f"Say the offset too, as in 2026-03-24T09:00:00+00:00, not {text!r}.")
    _day(text[:10])
    return clock.utc(moment).isoformat()


def _minute(wall: str) -> int:
    return int(wall[:2]) * 60 + int(wall[3:5])


def _local(instant: str, tz: str) -> str:
    return clock.local(instant, tz).isoformat()


def _holidays(office: dict[str, Any]) -> list[dict[str, Any]]:
    days = db.find("holidays", {"country": office["country"]})
    return [h for h in days if h["office_id"] in (None, office["office_id"])]


# Who is where


def _brief(person_id: str) -> dict[str, Any]:
    person = _person(person_id)
    return {name: person[name] for name in ["person_id", "name", "email"]}


def _response(meeting: dict[str, Any], person_id: str) -> str:
    for attendee in meeting["attendees"]:
        if attendee["person_id"] == person_id:
            return attendee["response"]
    return ""


def _seats(meeting: dict[str, Any]) -> int:
    return len([a for a in meeting["attendees"] if a["response"] != "declined"])


def _calendar(person_id: str) -> list[dict[str, Any]]:
    found = db.find("meetings", {"attendees[].person_id": person_id})
    scheduled = [m for m in found if m["status"] == "scheduled"]
    return sorted(scheduled, key=lambda m: (m["start"], m["meeting_id"]))


def _clashes(person_id: str, start: str, end: str) -> list[dict[str, Any]]:
    going = [m for m in _calendar(person_id) if _response(m, person_id) != "declined"]
    return [m for m in going if m["start"] < end and start < m["end"]]


def _may_see(viewer: dict[str, Any], meeting: dict[str, Any]) -> bool:
    if meeting["visibility"] != "private" or _response(meeting, viewer["person_id"]):
        return True
    return viewer["person_id"] in _person(meeting["organizer_id"])["delegate_ids"]


def _view(meeting: dict[str, Any], viewer: dict[str, Any], tz: str) -> dict[str, Any]:
    local = _local(meeting["start"], tz)
    times = {
        "meeting_id": meeting["meeting_id"],
        "start": meeting["start"],
        "end": meeting["end"],
        "minutes": int(
            (_instant(meeting["end"]) - _instant(meeting["start"])).total_seconds() // 60
        ),
        "tz": tz,
        "local_day": local[:10],
        "local_time": local[11:16],
        "visibility": meeting["visibility"],
    }
    if not _may_see(viewer, meeting):
        return {**times, "title": "Private"}
    names = ["title", "status", "organizer_id", "room_id", "series_id", "exception"]
    return {**times, **{name: meeting[name] for name in names}}


def _details(meeting: dict[str, Any], viewer: dict[str, Any], tz: str) -> dict[str, Any]:
    room = _room(meeting["room_id"]) if meeting["room_id"] else None
    return {
        **_view(meeting, viewer, tz),
        "cancel_reason": meeting["cancel_reason"],
        "organizer": _brief(meeting["organizer_id"]),
        "attendees": [
            {**_brief(a["person_id"]), "response": a["response"]} for a in meeting["attendees"]
        ],
        "room": {name: room[name] for name in ["room_id", "name", "office_id", "capacity"]}
        if room
        else None,
        "seats_needed": _seats(meeting),
    }


def _titled(meetings: list[dict[str, Any]], title: str) -> list[dict[str, Any]]:
    wanted = title.strip().lower()
    exact = [m for m in meetings if m["title"].lower() == wanted]
    return exact or [m for m in meetings if wanted in m["title"].lower()]


def _named(rooms: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    wanted = name.strip().lower()
    exact = [r for r in rooms if r["name"].lower() == wanted]
    return exact or [r for r in rooms if wanted in r["name"].lower()]


def _equipped(room: dict[str, Any], equipment: list[str]) -> bool:
    return all(thing in room["equipment"] for thing in equipment)


def _length(meeting: dict[str, Any]) -> timedelta:
    return _instant(meeting["end"]) - _instant(meeting["start"])


def _asked_again(meeting: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **a,
            "response": "accepted" if a["person_id"] == meeting["organizer_id"] else "needs_action",
        }
        for a in meeting["attendees"]
    ]


def _following(
    series: dict[str, Any], day: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    now = clock.utc(clock.now()).isoformat()
    rows = sorted(db.find("meetings", {"series_id": series["series_id"]}), key=lambda m: m["start"])
    coming = [
        m
        for m in rows
        if m["status"] == "scheduled"
        and m["start"] > now
        and _local(m["start"], series["tz"])[:10] >= day
    ]
    return [m for m in coming if not m["exception"]], [m for m in coming if m["exception"]]


def _day_before(day: str) -> str:
    return (_day(day) - timedelta(days=1)).isoformat()


def _request_view(
    request: dict[str, Any],
    meetings: dict[str, dict[str, Any]],
    rows: list[dict[str, Any]],
    viewer: dict[str, Any],
) -> dict[str, Any]:
    meeting = meetings[request["request_id"]]
    overlapping = [
        r["request_id"]
        for r in rows
        if r["status"] == "asked"
        and r["request_id"] != request["request_id"]
        and meetings[r["request_id"]]["start"] < meeting["end"]
        and meeting["start"] < meetings[r["request_id"]]["end"]
    ]
    names = ["request_id", "status", "asked_at", "answered_by", "note"]
    return {
        **{name: request[name] for name in names},
        "asked_by": _brief(request["asked_by"]),
        "meeting": _view(meeting, viewer, viewer["tz"]),
        "seats_needed": _seats(meeting),
        "overlaps": overlapping,
    }


# Whether it can be


def _diary(person: dict[str, Any]) -> dict[str, Any]:
    going = [
        m for m in _calendar(person["person_id"]) if _response(m, person["person_id"]) != "declined"
    ]
    return {**_days_off(person), "meetings": going}


def _days_off(person: dict[str, Any]) -> dict[str, Any]:
    return {
        "person": person,
        "holidays": _holidays(_office(person["office_id"])),
        "absences": db.find("absences", {"person_id": person["person_id"]}),
    }


def _off_work(diary: dict[str, Any], start: datetime, end: datetime) -> str:
    person = diary["person"]
    first, last = clock.local(start, person["tz"]), clock.local(end, person["tz"])
    day, name = first.date().isoformat(), person["name"]
    for holiday in diary["holidays"]:
        if holiday["date"] == day:
            return f"{day} is {holiday['name']}, a public holiday for {name}"
    for absence in diary["absences"]:
        if absence["first_day"] <= day <= absence["last_day"]:
            return f"{name} is out of office on {day}"
    hours = f"{person['work_start']} to {person['work_end']}"
    within = (
        person["work_start"] <= first.isoformat()[11:16]
        and last.isoformat()[11:16] <= person["work_end"]
    )
    if first.isoweekday() not in person["work_days"] or not within or last.date() != first.date():
        return f"{first.isoformat()[:16]} in {person['tz']} is outside the working hours of {name} ({hours})"
    return ""


def _hindrances(
    diaries: list[dict[str, Any]], start: datetime, end: datetime, but: str, any_hour: bool = False
) -> list[str]:
    reasons = []
    first, last = start.isoformat(), end.isoformat()
    for diary in diaries:
        off = "" if any_hour else _off_work(diary, start, end)
        busy = [
            m
            for m in diary["meetings"]
            if m["start"] < last and first < m["end"] and m["meeting_id"] != but
        ]
        if off:
            reasons.append(off)
        elif busy:
            reasons.append(f"{diary['person']['name']} has another meeting at that time")
    return reasons


def _refuse_time(
    title: str, people: list[dict[str, Any]], start: datetime, end: datetime, but: str
) -> None:
    if start <= clock.now():
        raise ValueError(f"{start.isoformat()} is past.")
    any_hour = title.strip().startswith("Incident")
    reasons = _hindrances([_diary(person) for person in people], start, end, but, any_hour)
    if reasons:
        raise ValueError("; ".join(reasons) + ". find_time lists times that suit everybody.")


def _refuse_shift(meeting: dict[str, Any], organizer: dict[str, Any], start: datetime) -> None:
    end = start + _length(meeting)
    if start <= clock.now():
        raise ValueError(f"{start.isoformat()} is past.")
    people = [_person(a["person_id"]) for a in meeting["attendees"]]
    any_hour = meeting["title"].startswith("Incident")
    reasons = [] if any_hour else [_off_work(_days_off(p), start, end) for p in people]
    if any(reasons):
        raise ValueError("; ".join([r for r in reasons if r]) + ". Take another time of day.")
    if meeting["room_id"]:
        room, key = _room(meeting["room_id"]), meeting["meeting_id"]
        _refuse_room(room, organizer, start, end, len(people), key)


def _room_reasons(
    room: dict[str, Any],
    start: datetime | None,
    minutes: int,
    people: int,
    team: str,
    but: str = "",
    approved: bool = False,
) -> list[str]:
    reasons = []
    if room["custodian_id"] and not approved:
        name = _person(room["custodian_id"])["name"]
        reasons.append(f"{room['name']} is had only with the approval of {name}: request_room asks")
    if room["capacity"] < people:
        reasons.append(f"{room['name']} seats {room['capacity']}, not {people}")
    if room["teams"] and team not in [*room["teams"], "Facilities"]:
        reasons.append(f"{room['name']} is reserved for {', '.join(room['teams'])}")
    if start is None:
        if room["closed_until"]:
            reasons.append(f"{room['name']} is closed until {room['closed_until']}")
        return reasons
    day = clock.local(start, _office(room["office_id"])["tz"]).date().isoformat()
    if room["closed_until"] and day <= room["closed_until"]:
        reasons.append(f"{room['name']} is closed until {room['closed_until']}")
    first, last = start.isoformat(), (start + timedelta(minutes=minutes)).isoformat()
    for meeting in db.find("meetings", {"room_id": room["room_id"]}):
        taken = meeting["status"] == "scheduled" and meeting["meeting_id"] != but
        if taken and meeting["start"] < last and first < meeting["end"]:
            reasons.append(f"{room['name']} is taken from {meeting['start']} to {meeting['end']}")
    return reasons


def _refuse_room(
    room: dict[str, Any],
    organizer: dict[str, Any],
    start: datetime,
    end: datetime,
    people: int,
    but: str,
    approved: bool = False,
) -> None:
    minutes = int((end - start).total_seconds() // 60)
    reasons = _room_reasons(room, start, minutes, people, organizer["team"], but, approved)
    if reasons:
        raise ValueError("; ".join(reasons) + ". find_rooms lists rooms that can be had.")
