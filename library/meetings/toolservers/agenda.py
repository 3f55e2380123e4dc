# about:
#   title: A groupware agenda
#   notes: >-
#     The same calendars as another product offers them - people by address, few calls, whole meetings
#     in and out.

"""Agenda: meetings, people and places of the organisation; `user` is the address of whoever you act for."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

HORIZON = 92
LONGEST = 480
MOST_PEOPLE = 50
PAGE = 20
FREE_HANDED = "Facilities"


@dataclass
class When:
    """A time on the clocks of a zone."""

    day: Annotated[str, "YYYY-MM-DD"]
    time: Annotated[str, "HH:MM"]
    zone: Annotated[str, "IANA time zone; that of the user when left out"] = ""


@dataclass
class NewMeeting:
    """An meeting to be saved."""

    subject: Annotated[str, "what the meeting is called"]
    begins: When
    minutes: Annotated[int, "how long it lasts"]
    guests: Annotated[list[str], "mail addresses of those to invite, the user apart"]
    room_id: Annotated[str, "id of a room, from rooms; none when left out"] = ""
    private: Annotated[bool, "hidden from everybody who is not invited"] = False


@dataclass
class Wish:
    """What a room is needed for."""

    name: Annotated[str, "its name, or part of it"] = ""
    day: Annotated[str, "YYYY-MM-DD at the site"] = ""
    time: Annotated[str, "HH:MM at the site"] = ""
    minutes: Annotated[int, "for how long"] = 60
    seats: Annotated[int, "how many it must seat"] = 1
    team: Annotated[str, "the team of the organizer"] = ""
    equipment: Annotated[list[str] | None, "such as screen, video or whiteboard"] = None
    bookable: Annotated[bool, "leave out rooms that cannot be booked"] = False


# Reading


def people(text: str) -> dict[str, Any]:
    """Look people up by a part of their name or mail address; names are not unique.

    Everything there is to know of each: site, zone, hours, boss, delegates and what these may do, days away.

    Args:
        text: at least two letters.
    """
    wanted = text.strip().lower()
    if len(wanted) < 2:
        raise ValueError("invalid: text needs two letters or more")
    rows = db.find("people", {})
    found = [p for p in rows if wanted in p["name"].lower() or wanted in p["email"].lower()]
    return {"count": len(found), "people": [_card(p) for p in found[:PAGE]]}


def offices(where: str = "", first: str = "", last: str = "") -> dict[str, Any]:
    """The offices with site code, city, country, zone, and the public holidays of each, earliest first.

    Args:
        where: only the one with this site code, or those in this city.
        first: YYYY-MM-DD, the first day of interest; today when left out.
        last: YYYY-MM-DD, the last; 92 days later when left out.
    """
    first, last = _span(first or clock.today().isoformat(), last)
    wanted, rows = where.strip().lower(), db.find("offices", {})
    rows = [o for o in rows if wanted == o["office_id"].lower() or wanted in o["city"].lower()]
    return {
        "offices": [
            {
                "site": o["office_id"],
                "name": o["name"],
                "city": o["city"],
                "country": o["country"],
                "zone": o["tz"],
                "days_off": [
                    {"day": h["date"], "name": h["name"]}
                    for h in _days_off(o)
                    if first <= h["date"] <= last
                ],
            }
            for o in rows
        ]
    }


def meetings(
    user: str, of_mail: str = "", subject: str = "", first: str = "", last: str = "", at: str = ""
) -> dict[str, Any]:
    """The meetings of somebody, earliest first, without those called off; private ones show as taken time.

    `count` and `minutes` leave out what that person has declined.

    Args:
        user: your mail address.
        of_mail: whose meetings, by mail address; your own when left out.
        subject: only meetings with this subject, or with this in the subject when none has it.
        first: YYYY-MM-DD on the clocks of that person; from now on when left out.
        last: YYYY-MM-DD, included; 60 days after the first when left out.
        at: only what is going on at this moment, e.g. 2026-03-24T09:00:00Z.
    """
    viewer = _user(user)
    owner = _user(of_mail) if of_mail else viewer
    now = _utc(clock.now())
    since = "" if first or at else now
    first = first or _wall(now, owner["tz"])[:10]
    first, last = _span(first, last or (_date(first) + timedelta(days=60)).isoformat())
    moment = _utc(_point(at)) if at else ""
    shown = []
    for row in _diary(owner["person_id"]):
        going_on = not moment or row["start"] <= moment < row["end"]
        if (
            row["end"] > since
            and going_on
            and first <= _wall(row["start"], owner["tz"])[:10] <= last
        ):
            answer = _answer(row, owner["person_id"])
            shown.append({**_brief(row, viewer, owner["tz"]), "answer": answer})
    shown = _matching(shown, "subject", subject)
    counted = [e for e in shown if e["answer"] != "declined"]
    return {
        "of_mail": owner["email"],
        "count": len(counted),
        "minutes": sum(e["minutes"] for e in counted),
        "meetings": shown,
    }


def meeting(user: str, meeting_id: str, zone: str = "") -> dict[str, Any]:
    """One meeting in full: guests by answer, place, series, and what of yours overlaps with it.

    Args:
        user: your mail address.
        meeting_id: the meeting, from meetings.
        zone: IANA time zone to show times in; yours when left out.
    """
    viewer, row = _user(user), _meeting(meeting_id)
    if not _sees(viewer, row):
        raise ValueError(f"forbidden: meeting {meeting_id} is private and {user} is not a guest")
    full = _full(row, viewer, _zone(zone) if zone else viewer["tz"])
    me = viewer["person_id"]
    going = [
        e for e in _diary(me) if _answer(e, me) != "declined" and e["meeting_id"] != meeting_id
    ]
    over = [e for e in going if e["start"] < row["end"] and row["start"] < e["end"]]
    if row["status"] != "scheduled":
        over = []
    return {**full, "overlaps": [_brief(e, viewer, viewer["tz"]) for e in over]}


def freebusy(user: str, people: list[str], day: str, minutes: int) -> dict[str, Any]:
    """When people are busy on a day, and at which full and half hours all of them are at work and free.

    Args:
        user: your mail address; day and times are on your clocks.
        people: mail addresses of the others.
        day: YYYY-MM-DD.
        minutes: how long they are needed.
    """
    me = _user(user)
    others = list({mail: True for mail in people if mail != user})
    if len(others) > MOST_PEOPLE:
        raise ValueError(f"invalid: {len(others)} people; at most {MOST_PEOPLE} are compared")
    everybody = [me, *[_user(mail) for mail in others]]
    _refuse_minutes(minutes)
    on, zone = _date(day).isoformat(), me["tz"]
    books = [_book(p) for p in everybody]
    free = []
    for at in range(_minute(me["work_start"]), _minute(me["work_end"]) - minutes + 1, 30):
        time = f"{at // 60:02}:{at % 60:02}"
        start = clock.utc(f"{on}T{time}", zone)
        end = start + timedelta(minutes=minutes)
        if start > clock.now() and not _obstacles(books, start, end, ""):
            free.append({"day": on, "time": time, "zone": zone, "utc": _stamp(_utc(start))})
    busy = [
        {"mail": book["person"]["email"], "from": _stamp(e["start"]), "until": _stamp(e["end"])}
        for book in books
        for e in book["meetings"]
        if _wall(e["start"], zone)[:10] == on
    ]
    return {"zone": zone, "free": free, "busy": busy}


def rooms(site: str, wish: Wish | None = None) -> dict[str, Any]:
    """The rooms of a site, smallest first: seats, equipment, custodian, and what speaks against booking each.

    Args:
        site: the site, e.g. from offices or people.
        wish: what a room is needed for; any room at no time in particular when left out.
    """
    wish, office = wish or Wish(), _site(site)
    _refuse_minutes(wish.minutes)
    rows = db.find("rooms", {"office_id": site})
    start = _at(When(wish.day, wish.time), office["tz"]) if wish.day or wish.time else None
    rooms = []
    for row in _matching(rows, "name", wish.name):
        if all(thing in row["equipment"] for thing in wish.equipment or []):
            because = _against(row, start, wish.minutes, wish.seats, wish.team, "")
            rooms.append({**_room_card(row), "bookable": not because, "because": because})
    listed = [r for r in rooms if r["bookable"] or not wish.bookable]
    return {
        "site": site,
        "zone": office["tz"],
        "most_seats": max([r["capacity"] for r in rows], default=0),
        "rooms": sorted(listed, key=lambda r: (r["seats"], r["room_id"])),
    }


def room_requests(user: str, room_id: str) -> dict[str, Any]:
    """What waits for the custodian of a room, first asked first, and how many of these overlap.

    Args:
        user: your mail address.
        room_id: the room, from rooms.
    """
    viewer, room = _user(user), _room(room_id)
    rows = db.find("requests", {"room_id": room["room_id"], "status": "asked"})
    rows = sorted(rows, key=lambda r: (r["asked_at"], r["request_id"]))
    wanted = [(r, _meeting(r["meeting_id"])) for r in rows]
    return {
        "room": _room_card(room),
        "waiting": [
            {
                "request_id": r["request_id"],
                "asked": _stamp(r["asked_at"]),
                "by": _mail(r["asked_by"]),
                "meeting": _brief(e, viewer, viewer["tz"]),
                "seats_taken": _seats(e["attendees"]),
                "conflicts": [
                    other["request_id"]
                    for other, them in wanted
                    if other["request_id"] != r["request_id"]
                    and them["start"] < e["end"]
                    and e["start"] < them["end"]
                ],
            }
            for r, e in wanted
        ],
    }


# Writing


def save_meeting(user: str, meeting: NewMeeting) -> dict[str, Any]:
    """Save a new meeting of yours; its guests are asked to answer. A room with a custodian is asked for.

    Args:
        user: your mail address: you are the organizer.
        meeting: the meeting.
    """
    me = _user(user)
    if not meeting.subject.strip():
        raise ValueError("invalid: an meeting needs a subject")
    _refuse_minutes(meeting.minutes)
    start = _at(meeting.begins, me["tz"])
    end = start + timedelta(minutes=meeting.minutes)
    guests = [_user(mail) for mail in meeting.guests if mail != user]
    if len({g["person_id"] for g in guests}) < len(guests):
        raise ValueError("invalid: a guest is named twice")
    _refuse_time(meeting.subject, [me, *guests], start, end, "")
    room = _room(meeting.room_id) if meeting.room_id else None
    if room:
        _refuse_room(room, me, start, end, len(guests) + 1, "")
    row = {
        "meeting_id": db.next_id("meetings", "M"),
        "title": meeting.subject.strip(),
        "organizer_id": me["person_id"],
        "attendees": [_asked(me, "accepted"), *[_asked(g, "needs_action") for g in guests]],
        "room_id": room["room_id"] if room and not room["custodian_id"] else None,
        "start": _utc(start),
        "end": _utc(end),
        "status": "scheduled",
        "series_id": None,
        "exception": False,
        "visibility": "private" if meeting.private else "normal",
        "cancel_reason": "",
    }
    saved = db.insert("meetings", row)
    asked = _ask(room, saved, me) if room and room["custodian_id"] else None
    return {**_full(saved, me, me["tz"]), "request": asked}


def patch_meeting(
    user: str,
    meeting_id: str,
    answer: Literal["", "accepted", "tentative", "declined"] = "",
    begins: When | None = None,
    room_id: str = "",
    invite: list[str] | None = None,
    uninvite: list[str] | None = None,
) -> dict[str, Any]:
    """Change one meeting, all at once or not at all; what is left out stays. An meeting of a series changes alone.

    Everything but `answer` is for the organizer and for delegates who may manage the organizer's calendar. A room
    that has a custodian is only asked for: `request` says so, and the meeting gets it once they agree.

    Args:
        user: your mail address.
        meeting_id: the meeting, from meetings.
        answer: your own answer as a guest.
        begins: another time; all guests are asked again.
        room_id: a room, from rooms.
        invite: mail addresses of more guests.
        uninvite: mail addresses of guests to take off.
    """
    me, row = _user(user), _coming(meeting_id)
    if answer and (begins or room_id or invite or uninvite):
        raise ValueError("invalid: answer, or change the meeting, one at a time")
    if answer:
        return _full(_answered(row, me, answer), me, me["tz"])
    host = _person(row["organizer_id"])
    _refuse_outsider(me, host, f"meeting {meeting_id}")
    guests = _guest_list(row, invite or [], uninvite or [])
    return _rearranged(row, host, me, begins, room_id, guests)


def cancel(user: str, meeting_id: str, reason: str) -> dict[str, Any]:
    """Call one meeting off for good; those that follow in its series stay. For the organizer, or who may manage.

    Args:
        user: your mail address.
        meeting_id: the meeting, from meetings.
        reason: what guests are told.
    """
    me, row = _user(user), _coming(meeting_id)
    _refuse_outsider(me, _person(row["organizer_id"]), f"meeting {meeting_id}")
    if not reason.strip():
        raise ValueError("invalid: guests must be told a reason")
    fields = {"status": "cancelled", "cancel_reason": reason.strip()}
    return _full(db.update("meetings", meeting_id, fields), me, me["tz"])


def patch_series(
    user: str, series_id: str, since: str, time: str = "", stop_reason: str = ""
) -> dict[str, Any]:
    """Change this and all following meetings of a series: give them another time, or stop the series.

    What was moved by hand stays as it is. With another time the old series ends and a new one goes on, and all
    guests are asked again, whatever else they have then.

    Args:
        user: your mail address.
        series_id: the series, as meeting names it.
        since: YYYY-MM-DD on the clocks of the series: the first day of the change.
        time: HH:MM, the new time of day.
        stop_reason: the reason that guests are told, to stop the series instead.
    """
    me, pattern = _user(user), db.get("series", series_id)
    if pattern is None:
        raise ValueError(f"not-found: series {series_id!r}; meeting names that of an meeting")
    _refuse_outsider(me, _person(pattern["organizer_id"]), f"series {series_id}")
    day = _date(since).isoformat()
    if day < clock.today().isoformat():
        raise ValueError(f"invalid: {day} is past")
    if pattern["until"] and pattern["until"] < day:
        raise ValueError(f"conflict: series {series_id} has ended on {pattern['until']}")
    if bool(time) == bool(stop_reason.strip()):
        raise ValueError("invalid: give either time or stop_reason")
    now = _utc(clock.now())
    rows = sorted(db.find("meetings", {"series_id": series_id}), key=lambda e: e["start"])
    coming = [e for e in rows if e["status"] == "scheduled" and e["start"] > now]
    coming = [e for e in coming if _wall(e["start"], pattern["tz"])[:10] >= day]
    regular = [e for e in coming if not e["exception"]]
    if time:
        pattern = _retimed(pattern, regular, time)
    for row in [] if time else regular:
        fields = {"status": "cancelled", "cancel_reason": stop_reason.strip()}
        db.update("meetings", row["meeting_id"], fields)
    before = (_date(day) - timedelta(days=1)).isoformat()
    db.update("series", series_id, {"until": before})
    after = [_meeting(e["meeting_id"]) for e in regular]
    return {
        "series_id": pattern["series_id"],
        "ended": {"series_id": series_id, "until": before},
        "changed": [_brief(e, me, pattern["tz"]) for e in after],
        "left": [e["meeting_id"] for e in coming if e["exception"]],
    }


def decide_request(
    user: str, request_id: str, verdict: Literal["approve", "decline"], note: str = ""
) -> dict[str, Any]:
    """Approve or decline a request for a room of which you are the custodian.

    Args:
        user: your mail address.
        request_id: the request, from room_requests.
        verdict: approve gives the room to the meeting.
        note: for declines: why.
    """
    me, row = _user(user), db.get("requests", request_id)
    if row is None:
        raise ValueError(f"not-found: request {request_id!r}; room_requests lists them")
    room = _room(row["room_id"])
    if room["custodian_id"] != me["person_id"]:
        raise ValueError(
            f"forbidden: {_mail(room['custodian_id'])} decides about {room['name']}, nobody else"
        )
    if row["status"] != "asked":
        raise ValueError(f"conflict: request {request_id} was {row['status']} before")
    if verdict == "decline" and not note.strip():
        raise ValueError("invalid: a decline needs a note that says why")
    if verdict == "approve":
        wanted = _coming(row["meeting_id"])
        start, end = _read(wanted["start"]), _read(wanted["end"])
        host, key = _person(wanted["organizer_id"]), wanted["meeting_id"]
        _refuse_room(room, host, start, end, _seats(wanted["attendees"]), key)
        db.update("meetings", key, {"room_id": room["room_id"]})
    status = "approved" if verdict == "approve" else "declined"
    fields = {"status": status, "answered_by": me["person_id"], "note": note.strip()}
    done = db.update("requests", request_id, fields)
    meeting = _brief(_meeting(row["meeting_id"]), me, me["tz"])
    return {
        "request_id": request_id,
        "status": done["status"],
        "note": done["note"],
        "meeting": meeting,
    }


def out_of_office(
    user: str,
    who: str,
    first: str,
    last: str,
    kind: Literal["vacation", "sick", "parental", "travel"],
) -> dict[str, Any]:
    """Note that somebody is away: yourself, whom you are the boss of, or whose calendar you may manage.

    Args:
        user: your mail address.
        who: mail address of whoever is away.
        first: YYYY-MM-DD, today or later.
        last: YYYY-MM-DD, included.
        kind: why.
    """
    me, person = _user(user), _user(who)
    first, last = _span(first, last or first)
    if first < clock.today().isoformat():
        raise ValueError(f"invalid: {first} is past")
    allowed = [person["person_id"], person["manager_id"], *_managing(person)]
    if me["person_id"] not in allowed:
        raise ValueError(f"forbidden: {user} is neither boss of {who} nor manages their calendar")
    for other in db.find("absences", {"person_id": person["person_id"]}):
        if other["first_day"] <= last and first <= other["last_day"]:
            raise ValueError(
                f"conflict: {who} is away from {other['first_day']} to {other['last_day']} anyway"
            )
    row = {
        "absence_id": db.next_id("absences", "A"),
        "person_id": person["person_id"],
        "first_day": first,
        "last_day": last,
        "kind": kind,
        "entered_by": me["person_id"],
    }
    db.insert("absences", row)
    return {"who": who, "first": first, "last": last, "kind": kind, "noted_by": user}


# Rows


def _user(mail: str) -> dict[str, Any]:
    found = db.find("people", {"email": mail.strip().lower()})
    if not found:
        raise ValueError(f"not-found: nobody has the address {mail!r}; people finds addresses")
    return found[0]


def _person(key: str) -> dict[str, Any]:
    return db.get("people", key)


def _mail(key: str) -> str:
    return _person(key)["email"]


def _named(key: str) -> dict[str, Any]:
    person = _person(key)
    return {"name": person["name"], "mail": person["email"]}


def _site(site: str) -> dict[str, Any]:
    office = db.get("offices", site)
    if office is None:
        raise ValueError(f"not-found: site {site!r}; offices lists them")
    return office


def _room(room_id: str) -> dict[str, Any]:
    room = db.get("rooms", room_id)
    if room is None:
        raise ValueError(f"not-found: room {room_id!r}; rooms lists rooms with their ids")
    return room


def _meeting(meeting_id: str) -> dict[str, Any]:
    row = db.get("meetings", meeting_id)
    if row is None:
        raise ValueError(f"not-found: meeting {meeting_id!r}; meetings lists ids")
    return row


def _coming(meeting_id: str) -> dict[str, Any]:
    row = _meeting(meeting_id)
    if row["status"] == "cancelled":
        raise ValueError(f"conflict: meeting {meeting_id} was called off: {row['cancel_reason']}")
    if _read(row["start"]) <= clock.now():
        raise ValueError(f"conflict: meeting {meeting_id} has begun")
    return row


def _managing(person: dict[str, Any]) -> list[str]:
    return person["delegate_ids"] if person["delegate_rights"] == "manage" else []


def _refuse_outsider(me: dict[str, Any], host: dict[str, Any], what: str) -> None:
    if me["person_id"] not in [host["person_id"], *_managing(host)]:
        raise ValueError(
            f"forbidden: {what} belongs to {host['email']}; {me['email']} may not manage that calendar"
        )


def _answer(row: dict[str, Any], key: str) -> str:
    for each in row["attendees"]:
        if each["person_id"] == key:
            return each["response"]
    return ""


def _asked(person: dict[str, Any], response: str) -> dict[str, str]:
    return {"person_id": person["person_id"], "response": response}


def _seats(attendees: list[dict[str, Any]]) -> int:
    return len([a for a in attendees if a["response"] != "declined"])


def _diary(key: str) -> list[dict[str, Any]]:
    rows = db.find("meetings", {"attendees[].person_id": key})
    rows = [e for e in rows if e["status"] == "scheduled"]
    return sorted(rows, key=lambda e: (e["start"], e["meeting_id"]))


def _days_off(office: dict[str, Any]) -> list[dict[str, Any]]:
    rows = db.find("holidays", {"country": office["country"]})
    rows = [h for h in rows if h["office_id"] in (None, office["office_id"])]
    return sorted(rows, key=lambda h: h["date"])


def _matching(rows: list[dict[str, Any]], field: str, words: str) -> list[dict[str, Any]]:
    wanted = words.strip().lower()
    exact = [r for r in rows if r[field].lower() == wanted]
    return exact or [r for r in rows if wanted in r[field].lower()]


# Shapes


def _card(person: dict[str, Any]) -> dict[str, Any]:
    today = clock.today().isoformat()
    away = db.find("absences", {"person_id": person["person_id"]})
    return {
        "name": person["name"],
        "mail": person["email"],
        "title": person["role"],
        "team": person["team"],
        "site": person["office_id"],
        "zone": person["tz"],
        "hours": {
            "from": person["work_start"],
            "to": person["work_end"],
            "weekdays": person["work_days"],
        },
        "boss": _named(person["manager_id"]) if person["manager_id"] else None,
        "delegates": [
            {**_named(key), "may": person["delegate_rights"]} for key in person["delegate_ids"]
        ],
        "away": [
            {"first": a["first_day"], "last": a["last_day"], "kind": a["kind"]}
            for a in away
            if a["last_day"] >= today
        ],
    }


def _room_card(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "room_id": row["room_id"],
        "name": row["name"],
        "site": row["office_id"],
        "seats": row["capacity"],
        "equipment": row["equipment"],
        "for_teams": row["teams"],
        "closed_until": row["closed_until"],
        "custodian": _named(row["custodian_id"]) if row["custodian_id"] else None,
    }


def _shown(instant: str, zone: str) -> dict[str, str]:
    wall = _wall(instant, zone)
    return {"day": wall[:10], "time": wall[11:16], "zone": zone, "utc": _stamp(instant)}


def _sees(viewer: dict[str, Any], row: dict[str, Any]) -> bool:
    if row["visibility"] != "private" or _answer(row, viewer["person_id"]):
        return True
    return viewer["person_id"] in _person(row["organizer_id"])["delegate_ids"]


def _brief(row: dict[str, Any], viewer: dict[str, Any], zone: str) -> dict[str, Any]:
    length = _read(row["end"]) - _read(row["start"])
    taken = {
        "meeting_id": row["meeting_id"],
        "begins": _shown(row["start"], zone),
        "ends": _shown(row["end"], zone),
        "minutes": int(length.total_seconds() // 60),
        "private": row["visibility"] == "private",
    }
    if not _sees(viewer, row):
        return {**taken, "subject": "(private)"}
    return {
        **taken,
        "subject": row["title"],
        "state": row["status"],
        "organizer": _mail(row["organizer_id"]),
        "room_id": row["room_id"],
        "series_id": row["series_id"],
        "moved_by_hand": row["exception"],
    }


def _full(row: dict[str, Any], viewer: dict[str, Any], zone: str) -> dict[str, Any]:
    guests = {"accepted": [], "tentative": [], "declined": [], "needs_action": []}
    for each in row["attendees"]:
        guests[each["response"]].append(_named(each["person_id"]))
    return {
        **_brief(row, viewer, zone),
        "called_off": row["cancel_reason"],
        "guests": guests,
        "silent": [g["name"] for g in guests["needs_action"]],
        "seats_taken": _seats(row["attendees"]),
        "room": _room_card(_room(row["room_id"])) if row["room_id"] else None,
    }


# Times


def _date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"invalid: {text!r} is no day like 2026-03-25") from None
    if len(text) != 10 or not 2000 <= day.year <= 2100:
        raise ValueError(f"invalid: {text!r} is no day like 2026-03-25 of this century")
    return day


def _span(first: str, last: str) -> tuple[str, str]:
    begin = _date(first)
    end = _date(last) if last else begin + timedelta(days=HORIZON)
    if end < begin or (end - begin).days > HORIZON:
        raise ValueError(f"invalid: from {first} to {last} must be 0 to {HORIZON} days")
    return begin.isoformat(), end.isoformat()


def _zone(zone: str) -> str:
    if not db.find("offices", {"tz": zone}) and not db.find("people", {"tz": zone}, 1):
        raise ValueError(f"invalid: nobody works in the zone {zone!r}; try Europe/Berlin")
    return zone


def _at(when: When, zone: str) -> datetime:
    zone = _zone(when.zone) if when.zone else zone
    text = f"{_date(when.day).isoformat()}T{when.time}"
    try:
        wall = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"invalid: {when.time!r} is no time like 15:00") from None
    if wall.tzinfo is not None or len(when.time) != 5:
        raise ValueError(f"invalid: {when.time!r} is no time like 15:00")
    start = clock.utc(text, zone)
    if _wall(_utc(start), zone)[:16] != text:
        raise ValueError(f"invalid: clocks in {zone} skip {text}")
    return start


def _point(text: str) -> datetime:
    try:
        point = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"invalid: {text!r} is no moment like 2026-03-24T09:00:00Z") from None
    if point.tzinfo is None:
        raise ValueError(f"invalid: {text!r} lacks Z or an offset")
    _date(text[:10])
    return point


def _read(instant: str) -> datetime:
    return datetime.fromisoformat(instant)


def _utc(moment: datetime) -> str:
    return clock.utc(moment).isoformat()


def _stamp(instant: str) -> str:
    return instant.replace("+00:00", "Z")


def _wall(instant: str, zone: str) -> str:
    return clock.local(instant, zone).isoformat()


def _minute(wall: str) -> int:
    return int(wall[:2]) * 60 + int(wall[3:5])


def _refuse_minutes(minutes: int) -> None:
    if not 1 <= minutes <= LONGEST:
        raise ValueError(f"invalid: {minutes} minutes; meetings last 1 to {LONGEST}")


# What stands in the way


def _book(person: dict[str, Any], busy: bool = True) -> dict[str, Any]:
    key = person["person_id"]
    return {
        "person": person,
        "days_off": [h["date"] for h in _days_off(_site(person["office_id"]))],
        "away": db.find("absences", {"person_id": key}),
        "meetings": [e for e in _diary(key) if _answer(e, key) != "declined"] if busy else [],
    }


def _off(book: dict[str, Any], start: datetime, end: datetime) -> str:
    person = book["person"]
    first, last = clock.local(start, person["tz"]), clock.local(end, person["tz"])
    day = first.date().isoformat()
    if day in book["days_off"]:
        return f"{day} is a public holiday for {person['email']}"
    if any(a["first_day"] <= day <= a["last_day"] for a in book["away"]):
        return f"{person['email']} is away on {day}"
    begins, ends = first.isoformat()[11:16], last.isoformat()[11:16]
    at_work = first.isoweekday() in person["work_days"] and first.date() == last.date()
    if not at_work or begins < person["work_start"] or person["work_end"] < ends:
        return f"{person['email']} does not work at {day} {begins} ({person['tz']})"
    return ""


def _obstacles(books: list[dict[str, Any]], start: datetime, end: datetime, but: str) -> list[str]:
    first, last = _utc(start), _utc(end)
    found = []
    for book in books:
        off = _off(book, start, end)
        if off:
            found.append(off)
        elif _is_busy(book, first, last, but):
            found.append(f"{book['person']['email']} is busy")
    return found


def _is_busy(book: dict[str, Any], first: str, last: str, but: str) -> bool:
    others = [e for e in book["meetings"] if e["meeting_id"] != but]
    return any(e["start"] < last and first < e["end"] for e in others)


def _refuse_time(
    subject: str, people: list[dict[str, Any]], start: datetime, end: datetime, but: str
) -> None:
    if start <= clock.now():
        raise ValueError(f"invalid: {_stamp(_utc(start))} is past")
    books = [_book(p) for p in people]
    if subject.strip().startswith("Incident"):
        busy = [b for b in books if _is_busy(b, _utc(start), _utc(end), but)]
        found = [f"{b['person']['email']} is busy" for b in busy]
    else:
        found = _obstacles(books, start, end, but)
    if found:
        raise ValueError("conflict: " + ", ".join(found) + "; freebusy tells better times")


def _against(
    room: dict[str, Any], start: datetime | None, minutes: int, seats: int, team: str, but: str
) -> list[str]:
    found = ["its custodian must approve"] if room["custodian_id"] else []
    if room["capacity"] < seats:
        found.append(f"{room['capacity']} seats for {seats}")
    if room["teams"] and team not in [*room["teams"], FREE_HANDED]:
        found.append("for " + ", ".join(room["teams"]))
    if room["closed_until"] and (
        start is None
        or clock.local(start, _site(room["office_id"])["tz"]).date().isoformat()
        <= room["closed_until"]
    ):
        found.append(f"closed until {room['closed_until']}")
    if start is not None:
        first, last = _utc(start), _utc(start + timedelta(minutes=minutes))
        for other in db.find("meetings", {"room_id": room["room_id"]}):
            held = other["status"] == "scheduled" and other["meeting_id"] != but
            if held and other["start"] < last and first < other["end"]:
                found.append(f"taken until {_stamp(other['end'])}")
    return found


def _refuse_room(
    room: dict[str, Any],
    host: dict[str, Any],
    start: datetime,
    end: datetime,
    seats: int,
    but: str,
) -> None:
    minutes = int((end - start).total_seconds() // 60)
    asked = {**room, "custodian_id": None}
    found = _against(asked, start, minutes, seats, host["team"], but)
    if found:
        raise ValueError(f"conflict: {room['name']}: " + ", ".join(found) + "; rooms lists others")


# Steps of a change


def _ask(room: dict[str, Any], row: dict[str, Any], me: dict[str, Any]) -> dict[str, Any]:
    known = db.find("requests", {"meeting_id": row["meeting_id"], "room_id": room["room_id"]})
    if any(r["status"] == "asked" for r in known):
        raise ValueError(
            f"conflict: {room['name']} was asked for before; its custodian will answer"
        )
    request = {
        "request_id": db.next_id("requests", "Q"),
        "meeting_id": row["meeting_id"],
        "room_id": room["room_id"],
        "asked_by": me["person_id"],
        "asked_at": _utc(clock.now()),
        "status": "asked",
        "answered_by": None,
        "note": "",
    }
    db.insert("requests", request)
    custodian = _named(room["custodian_id"])
    return {"request_id": request["request_id"], "status": "asked", "custodian": custodian}


def _answered(row: dict[str, Any], me: dict[str, Any], answer: str) -> dict[str, Any]:
    if me["person_id"] == row["organizer_id"]:
        raise ValueError("invalid: the organizer takes part; cancel or move the meeting instead")
    if not _answer(row, me["person_id"]):
        raise ValueError(f"forbidden: {me['email']} is no guest of meeting {row['meeting_id']}")
    guests = [
        {**a, "response": answer} if a["person_id"] == me["person_id"] else a
        for a in row["attendees"]
    ]
    if row["room_id"] and _room(row["room_id"])["capacity"] < _seats(guests):
        raise ValueError("conflict: the room is full; ask the organizer for a larger one")
    return db.update("meetings", row["meeting_id"], {"attendees": guests})


def _guest_list(
    row: dict[str, Any], invite: list[str], uninvite: list[str]
) -> list[dict[str, Any]]:
    guests = row["attendees"]
    for mail in uninvite:
        gone = _user(mail)["person_id"]
        if gone == row["organizer_id"]:
            raise ValueError("invalid: the organizer stays; cancel the meeting instead")
        if not any(a["person_id"] == gone for a in guests):
            raise ValueError(f"conflict: {mail} is no guest")
        guests = [a for a in guests if a["person_id"] != gone]
    for mail in invite:
        new = _user(mail)
        if any(a["person_id"] == new["person_id"] for a in guests):
            raise ValueError(f"conflict: {mail} is a guest already")
        guests = [*guests, _asked(new, "needs_action")]
    return guests


def _rearranged(
    row: dict[str, Any],
    host: dict[str, Any],
    me: dict[str, Any],
    begins: When | None,
    room_id: str,
    guests: list[dict[str, Any]],
) -> dict[str, Any]:
    key, fields = row["meeting_id"], {}
    start, end = _read(row["start"]), _read(row["end"])
    if begins:
        length, start = end - start, _at(begins, me["tz"])
        end = start + length
        guests = _all_asked(guests, host)
        people = [_person(a["person_id"]) for a in guests]
        _refuse_time(row["title"], people, start, end, key)
        fields = {"start": _utc(start), "end": _utc(end)}
        fields["exception"] = row["exception"] or row["series_id"] is not None
    if guests != row["attendees"]:
        fields["attendees"] = guests
    wanted = _room(room_id) if room_id else None
    asks = wanted is not None and wanted["custodian_id"] is not None
    if wanted is not None:
        if wanted["room_id"] == row["room_id"]:
            raise ValueError(f"conflict: the meeting is in {wanted['name']} already")
        _refuse_room(wanted, host, start, end, _seats(guests), key)
        fields.update({} if asks else {"room_id": wanted["room_id"]})
    kept = _room(row["room_id"]) if row["room_id"] and "room_id" not in fields else None
    if kept:
        _refuse_kept(kept, host, start, end, guests, row)
    if not fields and not asks:
        raise ValueError("invalid: this says nothing that is not so already")
    done = db.update("meetings", key, fields)
    asked = _ask(wanted, done, me) if asks else None
    return {**_full(done, me, me["tz"]), "request": asked}


def _refuse_kept(
    room: dict[str, Any],
    host: dict[str, Any],
    start: datetime,
    end: datetime,
    guests: list[dict[str, Any]],
    row: dict[str, Any],
) -> None:
    if row["start"] != _utc(start):
        if room["custodian_id"]:
            raise ValueError(
                f"conflict: {room['name']} was approved for the old time; patch room_id too, to ask for a room"
            )
        _refuse_room(room, host, start, end, _seats(guests), row["meeting_id"])
    elif room["capacity"] < _seats(guests):
        raise ValueError(
            f"conflict: {room['name']} has {room['capacity']} seats for {_seats(guests)}; patch room_id too"
        )


def _all_asked(guests: list[dict[str, Any]], host: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**a, "response": "accepted" if a["person_id"] == host["person_id"] else "needs_action"}
        for a in guests
    ]


def _retimed(pattern: dict[str, Any], regular: list[dict[str, Any]], time: str) -> dict[str, Any]:
    if not regular:
        raise ValueError("conflict: no meeting is left to change; meetings lists what comes")
    host, zone = _person(pattern["organizer_id"]), pattern["tz"]
    moved = []
    for row in regular:
        start = _at(When(_wall(row["start"], zone)[:10], time), zone)
        end = start + (_read(row["end"]) - _read(row["start"]))
        _refuse_retime(row, host, start, end)
        moved.append((row, start, end))
    fields = {"series_id": db.next_id("series", "S"), "time": time}
    fresh = db.insert("series", {**pattern, **fields})
    for row, start, end in moved:
        fields = {
            "series_id": fresh["series_id"],
            "start": _utc(start),
            "end": _utc(end),
            "attendees": _all_asked(row["attendees"], host),
        }
        db.update("meetings", row["meeting_id"], fields)
    return fresh


def _refuse_retime(
    row: dict[str, Any], host: dict[str, Any], start: datetime, end: datetime
) -> None:
    if start <= clock.now():
        raise ValueError(f"invalid: {_stamp(_utc(start))} is past")
    people = [_person(a["person_id"]) for a in row["attendees"]]
    off = [_off(_book(p, busy=False), start, end) for p in people]
    if any(off) and not row["title"].startswith("Incident"):
        raise ValueError("conflict: " + ", ".join([o for o in off if o]))
    if row["room_id"]:
        room, key = _room(row["room_id"]), row["meeting_id"]
        _refuse_room(room, host, start, end, len(people), key)
