"""Calls that the tools of the library's calendars refuse in the small office, and words of the refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.library.workplace import Workplace

PLACE = Workplace("meetings")


@dataclass(frozen=True)
class Refusal:
    tool: str
    args: dict[str, Any]
    words: str
    name: str


def meeting(title: str, day: str = "") -> str:
    return next(
        key
        for key, row in PLACE.base("office").tables["meetings"].items()
        if row["title"] == title and row["start"].startswith(day)
    )


def create(start: str, *others: str, by: str = "P03", **more: Any) -> dict[str, Any]:
    args = {"title": "Talk", "start": start, "minutes": 30, "attendee_ids": list(others), **more}
    return {"on_behalf_of": by, **args}


def of(by: str, title: str, **more: Any) -> dict[str, Any]:
    return {"on_behalf_of": by, "meeting_id": meeting(title), **more}


def away(by: str, who: str, first: str = "2026-04-20", last: str = "2026-04-20") -> dict[str, Any]:
    days = {"first_day": first, "last_day": last, "kind": "travel"}
    return {"on_behalf_of": by, "person_id": who, **days}


def answering(by: str, request: str, answer: str = "approved") -> dict[str, Any]:
    return {"on_behalf_of": by, "request_id": request, "answer": answer}


def of_series(by: str, key: str, day: str = "2026-03-30", **more: Any) -> dict[str, Any]:
    return {"on_behalf_of": by, "series_id": key, "from_day": day, **more}


def mail(name: str) -> str:
    return f"{name}@lanterns.example"


def mine(name: str, title: str, **more: Any) -> dict[str, Any]:
    return {"user": mail(name), "meeting_id": meeting(title), **more}


def saved(begins: dict[str, str], **more: Any) -> dict[str, Any]:
    talk = {"subject": "Talk", "begins": begins, "minutes": 30, "guests": [], **more}
    return {"user": mail("alex.kim"), "meeting": talk}


def verdict(name: str, verdict: str) -> dict[str, Any]:
    return {"user": mail(name), "request_id": "Q03", "verdict": verdict}


def stop(name: str, series: str, **more: Any) -> dict[str, Any]:
    stop = {"series_id": series, "since": "2026-03-30", "stop_reason": "x"}
    return {"user": mail(name), **stop, **more}


def visitors(name: str, title: str, names: str = "Ana Berg") -> dict[str, Any]:
    return {"host": mail(name), "meeting": meeting(title), "names": names}


WHEN = {"day": "2026-03-24", "time": "15:00"}
SPRING = "2026-03-24T15:00"
LENGTHS = (-30, 0, 481, 10**13)
CALENDAR = [
    *(
        Refusal(
            "find_rooms",
            {"office_id": "LDN", "start": "2026-03-24T10:00", "minutes": minutes},
            f"A meeting lasts 1 to 480 minutes, not {minutes}.",
            f"room-for-{minutes}",
        )
        for minutes in LENGTHS
    ),
    Refusal("move_meeting", of("P05", "Desk move", start=SPRING), "Only the organizer", "guest-moves"),
    Refusal("cancel_meeting", of("P09", "Sprint plan", reason="x"), "Only the organizer", "stranger-cancels"),
    Refusal("cancel_meeting", of("P06", "Old roadmap", reason="x"), "begun already", "begun"),
    Refusal("cancel_meeting", of("P06", "Sprint plan", reason=" "), "Say why", "no-reason"),
    Refusal(
        "move_meeting",
        {"on_behalf_of": "P06", "meeting_id": meeting("Munich stand-up", "2026-03-23"), "start": SPRING},
        "was cancelled",
        "cancelled",
    ),
    Refusal("create_meeting", create("2026-03-17T10:00"), "is past", "past"),
    Refusal("create_meeting", create("2026-04-03T10:00"), "Good Friday", "holiday"),
    Refusal("create_meeting", create("2026-03-28T10:00"), "outside the working hours", "weekend"),
    Refusal("create_meeting", create("2026-03-24T17:15"), "outside the working hours", "runs-over"),
    Refusal("create_meeting", create("2026-03-24T11:30", "P10"), "working hours of Sam", "night-there"),
    Refusal("create_meeting", create("2026-03-31T12:00", "P09"), "out of office", "on-leave"),
    Refusal("create_meeting", create("2026-03-24T10:30"), "another meeting", "double-booked"),
    Refusal("create_meeting", create("2026-03-29T01:30"), "does not exist", "no-such-hour"),
    Refusal("create_meeting", create(SPRING, room_id="R05"), "closed until", "closed-room"),
    Refusal("create_meeting", create("2026-03-24T10:00", by="P02", room_id="R02"), "is taken", "taken-room"),
    Refusal("book_room", of("P06", "Sprint plan", room_id="R04"), "reserved for Finance", "reserved-room"),
    Refusal("add_attendee", of("P06", "Sprint plan", person_id="P13"), "larger room", "full-room"),
    Refusal("remove_attendee", of("P06", "Sprint plan", person_id="P06"), "organizer", "organizer-leaves"),
    Refusal("respond", of("P06", "Sprint plan", response="declined"), "organizer takes part", "organizer-declines"),
    Refusal("respond", of("P09", "Sprint plan", response="declined"), "not invited", "answers-for-none"),
    Refusal("get_meeting", of("P05", "Project Lantern"), "private", "private"),
    Refusal("set_out_of_office", away("P04", "P05"), "their manager", "peer-enters"),
    Refusal("set_out_of_office", away("P05", "P05"), "already", "twice-away"),
    Refusal("cancel_meeting", of("P13", "Renewal plan", reason="x"), "right to manage", "reader-cancels"),
    Refusal("set_out_of_office", away("P08", "P09"), "managing delegate", "reader-enters"),
    Refusal("book_room", of("P04", "Supplier call", room_id="R11"), "approval of Tom Hale", "around-custodian"),
    Refusal("request_room", of("P05", "Supplier call", room_id="R11"), "Only the organizer", "guest-asks"),
    Refusal("request_room", of("P04", "Supplier call", room_id="R01"), "book_room books it", "needs-no-approval"),
    Refusal("request_room", of("P05", "Expense clinic", room_id="R11"), "asked for already", "asked-twice"),
    Refusal("answer_request", answering("P05", "Q03"), "Only Tom Hale", "asker-approves"),
    Refusal("answer_request", answering("P02", "Q01"), "approved already", "answered-twice"),
    Refusal("answer_request", answering("P02", "Q03", "declined"), "Say in a note", "declined-without-a-word"),
    Refusal("move_meeting", of("P01", "Board preview", start="2026-03-30T14:00"), "approval", "moves-with-room"),
    Refusal("end_series", of_series("P01", "S1", reason="x"), "Only the organizer", "guest-ends-series"),
    Refusal("end_series", of_series("P10", "S1", "2026-03-17", reason="x"), "is past", "ended-in-the-past"),
    Refusal("shift_series", of_series("P06", "S2", time="16:00"), "working hours of Jan", "series-after-hours"),
]  # fmt: skip
AGENDA = [
    *(
        Refusal(
            "rooms",
            {"site": "LDN", "wish": {"day": "2026-03-24", "time": "10:00", "minutes": minutes}},
            "last 1 to 480",
            f"room-for-{minutes}",
        )
        for minutes in LENGTHS
    ),
    Refusal("patch_meeting", mine("joan.pike", "Desk move", begins=WHEN), "forbidden", "guest-moves"),
    Refusal("cancel", mine("iris.lund", "Renewal plan", reason="x"), "may not manage", "reader-cancels"),
    Refusal("cancel", mine("lena.vogt", "Old roadmap", reason="x"), "has begun", "begun"),
    Refusal("cancel", mine("lena.vogt", "Sprint plan", reason=" "), "told a reason", "no-reason"),
    Refusal("save_meeting", saved(WHEN | {"day": "2026-03-17"}), "is past", "past"),
    Refusal("save_meeting", saved(WHEN | {"day": "2026-04-03"}), "public holiday", "holiday"),
    Refusal("save_meeting", saved(WHEN | {"day": "2026-03-28"}), "does not work", "weekend"),
    Refusal("save_meeting", saved({"day": "2026-03-24", "time": "10:30"}), "is busy", "double-booked"),
    Refusal("save_meeting", saved({"day": "2026-03-29", "time": "01:30"}), "skip", "no-such-hour"),
    Refusal("save_meeting", saved(WHEN, room_id="R05"), "closed until", "closed-room"),
    Refusal("patch_meeting", mine("lena.vogt", "Sprint plan", room_id="R04"), "for Finance", "reserved-room"),
    Refusal("patch_meeting", mine("lena.vogt", "Sprint plan", invite=[mail("iris.lund")]), "seats", "full-room"),
    Refusal("patch_meeting", mine("lena.vogt", "Sprint plan", answer="declined"), "takes part", "host-declines"),
    Refusal("patch_meeting", mine("mia.brandt", "Sprint plan", answer="declined"), "no guest", "answers-for-none"),
    Refusal("meeting", mine("joan.pike", "Project Lantern"), "private", "private"),
    Refusal("decide_request", verdict("joan.pike", "approve"), "decides about", "asker-approves"),
    Refusal("decide_request", verdict("tom.hale", "decline"), "says why", "declined-without-a-word"),
    Refusal("patch_series", stop("grace.obi", "S1"), "forbidden", "guest-ends-series"),
    Refusal("patch_series", stop("sam.ortiz", "S1", time="11:00"), "either", "ends-and-moves"),
    Refusal(
        "out_of_office",
        {"user": mail("noor.aziz"), "who": mail("joan.pike"), "first": "2026-03-19", "last": "", "kind": "sick"},
        "neither boss",
        "peer-enters",
    ),
]  # fmt: skip
RECEPTION = [
    Refusal(
        "register_guests",
        visitors("alex.kim", "Budget review", "Ana Berg, Ana Berg"),
        "once",
        "named-twice",
    ),
    Refusal(
        "register_guests",
        visitors("grace.obi", "Lift inspection"),
        "business of tom.hale",
        "not-the-host",
    ),
    Refusal("register_guests", visitors("tom.hale", "Warden briefing"), "48 hours", "too-late"),
    Refusal("register_guests", visitors("noor.aziz", "Supplier call"), "no room", "nowhere"),
    Refusal(
        "register_guests",
        visitors("grace.obi", "Press briefing", "A, B, C"),
        "fire limit",
        "too-many",
    ),
    Refusal(
        "withdraw_visit", {"host": mail("alex.kim"), "visit": "V02"}, "already", "withdrawn-twice"
    ),
]
REFUSALS = [
    *(("calendar", case) for case in CALENDAR),
    *(("agenda", case) for case in AGENDA),
    *(("reception", case) for case in RECEPTION),
]
