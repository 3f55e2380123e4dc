"""The calendars of the library: what their tools refuse and do, and what their rules forbid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.library.workplace import Workplace
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.hosts import Host
from worlds.records import Records
from worlds.toolsession import ToolSession

PLACE = Workplace("meetings")
OFFICE = PLACE.base("office")
SERVER = PLACE.servers["calendar"]
CLAUSES = PLACE.clauses


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


# What the tools refuse, in the small office


@dataclass(frozen=True)
class Refusal:
    tool: str
    args: dict[str, Any]
    words: str
    name: str


def meeting(title: str, day: str = "") -> str:
    return next(
        key
        for key, row in OFFICE.tables["meetings"].items()
        if row["title"] == title and row["start"].startswith(day)
    )


def _create(start: str, *others: str, by: str = "P03", **more: Any) -> dict[str, Any]:
    args = {"title": "Talk", "start": start, "minutes": 30, "attendee_ids": list(others), **more}
    return {"on_behalf_of": by, **args}


def _of(by: str, title: str, **more: Any) -> dict[str, Any]:
    return {"on_behalf_of": by, "meeting_id": meeting(title), **more}


def _away(by: str, who: str, first: str = "2026-04-20", last: str = "2026-04-20") -> dict[str, Any]:
    days = {"first_day": first, "last_day": last, "kind": "travel"}
    return {"on_behalf_of": by, "person_id": who, **days}


SPRING = "2026-03-24T15:00"
REFUSALS = [
    Refusal("move_meeting", _of("P05", "Desk move", start=SPRING), "Only the organizer", "guest-moves"),
    Refusal("cancel_meeting", _of("P09", "Sprint plan", reason="x"), "Only the organizer", "stranger-cancels"),
    Refusal("cancel_meeting", _of("P06", "Old roadmap", reason="x"), "begun already", "begun"),
    Refusal("cancel_meeting", _of("P06", "Sprint plan", reason=" "), "Say why", "no-reason"),
    Refusal(
        "move_meeting",
        {"on_behalf_of": "P06", "meeting_id": meeting("Munich stand-up", "2026-03-23"), "start": SPRING},
        "was cancelled",
        "cancelled",
    ),
    Refusal("create_meeting", _create("2026-03-17T10:00"), "is past", "past"),
    Refusal("create_meeting", _create("2026-04-03T10:00"), "Good Friday", "holiday"),
    Refusal("create_meeting", _create("2026-03-28T10:00"), "outside the working hours", "weekend"),
    Refusal("create_meeting", _create("2026-03-24T17:15"), "outside the working hours", "runs-over"),
    Refusal("create_meeting", _create("2026-03-24T11:30", "P10"), "working hours of Sam", "night-there"),
    Refusal("create_meeting", _create("2026-03-31T12:00", "P09"), "out of office", "on-leave"),
    Refusal("create_meeting", _create("2026-03-24T10:30"), "another meeting", "double-booked"),
    Refusal("create_meeting", _create("2026-03-29T01:30"), "does not exist", "no-such-hour"),
    Refusal("create_meeting", _create(SPRING, room_id="R05"), "closed until", "closed-room"),
    Refusal("create_meeting", _create("2026-03-24T10:00", by="P02", room_id="R02"), "is taken", "taken-room"),
    Refusal("book_room", _of("P06", "Sprint plan", room_id="R04"), "reserved for Finance", "reserved-room"),
    Refusal("add_attendee", _of("P06", "Sprint plan", person_id="P13"), "larger room", "full-room"),
    Refusal("remove_attendee", _of("P06", "Sprint plan", person_id="P06"), "organizer", "organizer-leaves"),
    Refusal("respond", _of("P06", "Sprint plan", response="declined"), "organizer takes part", "organizer-declines"),
    Refusal("respond", _of("P09", "Sprint plan", response="declined"), "not invited", "answers-for-none"),
    Refusal("get_meeting", _of("P05", "Project Lantern"), "private", "private"),
    Refusal("set_out_of_office", _away("P04", "P05"), "their manager", "peer-enters"),
    Refusal("set_out_of_office", _away("P05", "P05"), "already", "twice-away"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSALS, ids=[case.name for case in REFUSALS])
def test_a_tool_refuses_what_the_policy_forbids(case: Refusal, session: ToolSession) -> None:
    records = Records(OFFICE)
    outcome = session.call(SERVER, case.tool, case.args, Host(records, OFFICE.clock.now))
    assert outcome.status == "refused", outcome
    assert case.words in outcome.message
    assert records.diff() == []


def did(session: ToolSession, tool: str, args: dict[str, Any]) -> tuple[Any, Records]:
    records = Records(OFFICE)
    outcome = session.call(SERVER, tool, args, Host(records, OFFICE.clock.now))
    assert outcome.status == "ok", outcome
    return outcome.value, records


@pytest.mark.parametrize(("day", "there"), [("2026-03-24", "14:00"), ("2026-04-07", "15:00")])
def test_local_times_follow_each_side_s_change_to_summer_time(
    day: str, there: str, session: ToolSession
) -> None:
    args = {"on_behalf_of": "P10", "meeting_id": meeting("Transatlantic sync", day)}
    assert did(session, "get_meeting", args)[0]["local_time"] == "10:00"
    london = did(session, "get_meeting", {**args, "tz": "Europe/London"})[0]
    assert london["local_time"] == there


def test_a_moved_meeting_of_a_series_is_an_exception_and_asks_everybody_again(
    session: ToolSession,
) -> None:
    key = meeting("Munich stand-up", "2026-03-30")
    args = {"on_behalf_of": "P07", "meeting_id": key, "start": "2026-04-08T10:00"}
    _, records = did(session, "move_meeting", args)
    row = records.get("meetings", key)
    assert row is not None
    assert (row["start"], row["exception"]) == ("2026-04-08T08:00:00+00:00", True)
    assert {a["person_id"]: a["response"] for a in row["attendees"]} == {
        "P06": "accepted",
        "P07": "needs_action",
        "P08": "needs_action",
        "P09": "needs_action",
    }
    assert len(records.diff()) == 1


def test_others_see_of_a_private_meeting_that_its_time_is_taken_and_no_more(
    session: ToolSession,
) -> None:
    args = {"on_behalf_of": "P05", "person_id": "P01", "at": "2026-03-27T11:00:00+00:00"}
    seen = did(session, "list_meetings", args)[0]["meetings"]
    assert [m["title"] for m in seen] == ["Private"]
    assert "organizer_id" not in seen[0]
    as_delegate = did(session, "list_meetings", {**args, "on_behalf_of": "P02"})[0]["meetings"]
    assert [m["title"] for m in as_delegate] == ["Project Lantern"]


# What the rules forbid, whatever a tool lets pass


def violated(key: str, actor: str, **fields: Any) -> set[str]:
    """The clauses that a change of a meeting of the small office breaks."""
    records = Records(OFFICE)
    before = records.get("meetings", key)
    assert before is not None
    after = {**before, **fields}
    records.put("meetings", key, after)
    change = row_change("meetings", key, before, after)
    assert change is not None
    view = View(records, OFFICE.clock.now)
    moment = Moment(view, records.get("people", actor), [], [], [])
    return {violation.name for violation in CLAUSES.on_write(moment, [change])}


def test_the_rules_know_who_may_cancel() -> None:
    key = meeting("Board dinner plan")
    gone = {"status": "cancelled", "cancel_reason": "Too busy"}
    assert violated(key, "P03", **gone) == {"changing/organizer-only"}
    assert violated(key, "P01", **gone) == violated(key, "P02", **gone) == set()
    assert violated(key, "P01", status="cancelled") == {"changing/says-why"}


@pytest.mark.parametrize(
    ("title", "actor", "fields", "clauses"),
    [
        ("Old roadmap", "P06", {"end": "2026-03-16T15:00:00+00:00"}, {"changing/not-begun"}),
        ("Sprint plan", "P06", {"room_id": "R04"}, {"rooms/reserved"}),
        ("Forecast talk", "P03", {"room_id": "R05"}, set()),
        ("Supplier call", "P04", {"room_id": "R05"}, {"rooms/closed"}),
        ("Desk move", "P02", {"room_id": "R02"}, {"rooms/not-taken"}),
        ("Trade fair", "P10", {"organizer_id": "P11"}, {"changing/keeps-organizer"}),
        ("Project Lantern", "P01", {"visibility": "normal"}, {"privacy/stays-private"}),
    ],
)
def test_a_clause_catches_a_write_that_breaks_it(
    title: str, actor: str, fields: dict[str, Any], clauses: set[str]
) -> None:
    assert violated(meeting(title), actor, **fields) == clauses


def test_incident_calls_are_exempt_from_hours_and_holidays() -> None:
    asked = [
        {"person_id": "P06", "response": "accepted"},
        {"person_id": "P07", "response": "needs_action"},
        {"person_id": "P08", "response": "needs_action"},
    ]
    late = {
        "start": "2026-04-03T20:00:00+00:00",
        "end": "2026-04-03T21:00:00+00:00",
        "attendees": asked,
    }
    key = meeting("Sprint plan")
    assert violated(key, "P06", **late) == {"times/no-holiday", "times/working-hours"}
    assert violated(key, "P06", title="Incident 7", **late) == set()
