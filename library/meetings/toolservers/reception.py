# about:
#   title: The reception
#   notes: A small neighbouring system. It reads the meetings; the calendar does not know of it.

"""Visitors: who is expected at which site, and at most how many; a host is named by mail address."""

from datetime import date, datetime, timedelta
from typing import Any

NOTICE = timedelta(hours=48)


def site_day(site: str, day: str) -> dict[str, Any]:
    """How many guests are expected at a site on a day, and how many its fire limit allows.

    Args:
        site: the id of the office.
        day: YYYY-MM-DD.
    """
    office = _office(site)
    expected = _expected(site, _day(day))
    limit = office["visitor_limit"]
    return {
        "site": site,
        "day": day,
        "limit": limit,
        "expected": expected,
        "left": limit - expected,
    }


def visits(meeting: str = "", site: str = "", day: str = "") -> dict[str, Any]:
    """The visits that are expected, by meeting, or by site and day.

    Args:
        meeting: the id of a meeting.
        site: the id of an office.
        day: YYYY-MM-DD.
    """
    match = {"status": "expected"}
    if not meeting and not site:
        raise ValueError("Name a meeting, or a site and a day.")
    if meeting:
        match["meeting_id"] = meeting
    if site:
        match["office_id"] = _office(site)["office_id"]
    if day:
        match["day"] = _day(day)
    rows = db.find("visits", match, 50)
    return {"guests": sum(len(v["guests"]) for v in rows), "visits": [_shown(v) for v in rows]}


def register_guests(host: str, meeting: str, names: str) -> dict[str, Any]:
    """Register guests for a meeting of yours, so that they are let in.

    For the organizer of the meeting, or a delegate who manages the organizer's calendar; at least 48 hours before it.

    Args:
        host: your mail address.
        meeting: the id of a meeting that takes place in a room.
        names: the guests, with commas between them.
    """
    found = _hosted(_acting(host), meeting)
    guests = [name.strip() for name in names.split(",") if name.strip()]
    if not guests or len(set(guests)) < len(guests):
        raise ValueError("Give the name of each guest once, with commas between them.")
    if found["status"] != "scheduled" or not found["room_id"]:
        raise ValueError(f"Meeting {meeting} takes place in no room: nobody can be let in for it.")
    if datetime.fromisoformat(found["start"]) - clock.now() < NOTICE:
        raise ValueError(
            f"Meeting {meeting} is less than 48 hours away: it is too late for guests."
        )
    site = db.get("rooms", found["room_id"])["office_id"]
    office = _office(site)
    day = clock.local(found["start"], office["tz"]).date().isoformat()
    left = office["visitor_limit"] - _expected(site, day)
    if len(guests) > left:
        raise ValueError(
            f"The fire limit leaves room for {left} more at {site} on {day}; Facilities decides."
        )
    row = {
        "visit_id": db.next_id("visits", "V"),
        "meeting_id": meeting,
        "host_id": found["organizer_id"],
        "office_id": site,
        "day": day,
        "guests": guests,
        "status": "expected",
    }
    return _shown(db.insert("visits", row))


def withdraw_visit(host: str, visit: str) -> dict[str, Any]:
    """Withdraw a visit: its guests are no longer expected. For the host or a delegate who manages their calendar.

    Args:
        host: your mail address.
        visit: the visit, from visits.
    """
    row = db.get("visits", visit)
    if row is None:
        raise ValueError(f"There is no visit {visit!r}; visits lists those of a meeting.")
    _hosted(_acting(host), row["meeting_id"])
    if row["status"] == "withdrawn":
        raise ValueError(f"Visit {visit} was withdrawn already.")
    return _shown(db.update("visits", visit, {"status": "withdrawn"}))


def _acting(host: str) -> dict[str, Any]:
    found = db.find("people", {"email": host.strip().lower()})
    if not found:
        raise ValueError(f"Nobody here has the address {host!r}.")
    return found[0]


def _hosted(me: dict[str, Any], meeting: str) -> dict[str, Any]:
    found = db.get("meetings", meeting)
    if found is None:
        raise ValueError(f"The reception knows no meeting {meeting!r}; the calendar has the ids.")
    organizer = db.get("people", found["organizer_id"])
    manages = organizer["delegate_rights"] == "manage"
    if me["person_id"] not in [
        organizer["person_id"],
        *(organizer["delegate_ids"] if manages else []),
    ]:
        raise ValueError(f"Guests of meeting {meeting} are the business of {organizer['email']}.")
    return found


def _office(site: str) -> dict[str, Any]:
    office = db.get("offices", site)
    if office is None:
        raise ValueError(f"There is no site {site!r}.")
    return office


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text!r} is not a day such as 2026-03-25.") from None


def _expected(site: str, day: str) -> int:
    rows = db.find("visits", {"office_id": site, "day": day, "status": "expected"})
    return sum(len(v["guests"]) for v in rows)


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "visit": row["visit_id"],
        "meeting": row["meeting_id"],
        "site": row["office_id"],
        "day": row["day"],
        "guests": row["guests"],
        "status": row["status"],
    }
