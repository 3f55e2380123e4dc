"""The calendars of the library: what their tools refuse and do, and what their rules forbid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.reference import Reference
from tests.library.meetings_refusals import (
    PLACE,
    REFUSALS,
    Refusal,
    answering,
    mail,
    meeting,
    mine,
    of_series,
    visitors,
)
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.hosts import Host
from worlds.records import Records
from worlds.toolsession import ToolSession
from worlds.world import World

OFFICE = PLACE.base("office")
CLAUSES = PLACE.clauses


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


# What the tools refuse, in the small office


@pytest.mark.parametrize(
    ("server", "case"), REFUSALS, ids=[f"{on}-{each.name}" for on, each in REFUSALS]
)
def test_a_tool_refuses_what_the_policy_forbids(
    server: str, case: Refusal, session: ToolSession
) -> None:
    outcome, records = PLACE.call(server, case.tool, case.args, "office", session)
    assert outcome.status == "refused", outcome
    assert case.words in outcome.message
    assert records.diff() == []


def _free(server: str, people: list[str]) -> tuple[str, dict[str, Any]]:
    when = {"day": "2026-03-24", "minutes": 30}
    if server == "calendar":
        return "find_time", {"person_ids": people, **when}
    return "freebusy", {"user": mail("noor.aziz"), "people": people, **when}


@pytest.mark.parametrize(("server", "person"), [("calendar", "P03"), ("agenda", mail("alex.kim"))])
def test_who_is_named_again_and_again_is_looked_at_once_and_crowds_are_refused(
    server: str, person: str, session: ToolSession
) -> None:
    once = did(session, *_free(server, [person]), server)[0]
    assert did(session, *_free(server, [person] * 60), server)[0] == once
    crowd = [f"{number}{person}" for number in range(51)]
    outcome, _ = PLACE.call(server, *_free(server, crowd), "office", session)
    assert outcome.status == "refused", outcome
    assert "at most 50" in outcome.message


def did(
    session: ToolSession, tool: str, args: dict[str, Any], server: str = "calendar"
) -> tuple[Any, Records]:
    outcome, records = PLACE.call(server, tool, args, "office", session)
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


def test_who_follows_a_series_goes_on_at_the_new_time_and_what_was_moved_by_hand_stays(
    session: ToolSession,
) -> None:
    args = of_series("P03", "S3", "2026-03-23", time="12:30")
    value, records = did(session, "shift_series", args)
    assert value["moved"] == ["M31", "M32", "M34"]
    assert value["kept"] == ["M33"]
    moved = [records.get("meetings", key) for key in value["moved"]]
    # British clocks go forward between the first and the second.
    assert [row["start"][:16] for row in moved if row] == [
        "2026-03-26T12:30", "2026-04-02T11:30", "2026-04-16T11:30",
    ]  # fmt: skip
    ended = records.get("series", "S3")
    assert ended is not None
    assert (ended["until"], ended["time"]) == ("2026-03-22", "11:00")


def test_an_ended_series_keeps_what_lies_before_and_what_was_moved_by_hand(
    session: ToolSession,
) -> None:
    value, _ = did(session, "end_series", of_series("P10", "S1", reason="Nobody came"))
    assert (value["cancelled"], value["kept"]) == (["M04", "M06"], ["M03"])


def test_a_room_with_a_custodian_is_asked_for_and_given_only_on_approval(
    session: ToolSession,
) -> None:
    args = mine("noor.aziz", "Supplier call", room_id="R11")
    value, records = did(session, "patch_meeting", args, "agenda")
    assert (value["request"]["status"], value["room"]) == ("asked", None)
    assert [each["table"] for each in records.diff()] == ["requests"]
    value, records = did(session, "answer_request", answering("P02", "Q03"))
    held = records.get("meetings", meeting("Expense clinic"))
    assert held is not None
    assert (value["status"], held["room_id"]) == ("approved", "R11")


def test_visits_that_were_withdrawn_leave_room_for_others(session: ToolSession) -> None:
    day = {"site": "LDN", "day": "2026-03-24"}
    assert did(session, "site_day", day, "reception")[0]["left"] == 8
    value, records = did(
        session, "register_guests", visitors("alex.kim", "Budget review"), "reception"
    )
    assert value["site"] == "LDN"
    assert [each["table"] for each in records.diff()] == ["visits"]


# The same wish by other tools

SAME = [
    spec
    for spec in PLACE.specs.values()
    if spec.records == "office" and spec.toolservers[0] == "calendar"
]


@pytest.mark.parametrize("spec", SAME, ids=[spec.slug for spec in SAME])
def test_the_agenda_leaves_what_the_calendar_leaves(
    spec: EnvironmentSpec, session: ToolSession
) -> None:
    here = PLACE.bundle(spec.slug)
    other = replace(spec, toolservers=("agenda", *spec.toolservers[1:]))
    there = PLACE.folder.bundle(other, pin=here.manifest.pin)
    episodes = [play(world, Reference.of(world), session) for world in map(World, (here, there))]
    assert [e.verdict.reward for e in episodes if e.verdict] == [1, 1]
    assert episodes[0].diff == episodes[1].diff


# Laws


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["S1", "S2", "S3"]), st.sampled_from(["10:30", "12:30", "13:30"]))
def test_a_series_that_is_shifted_keeps_to_its_new_time_on_both_sides_of_a_change_of_clocks(
    key: str, time: str
) -> None:
    pattern = OFFICE.tables["series"][key]
    args = of_series(pattern["organizer_id"], key, "2026-03-19", time=time)
    with ToolSession() as opened:
        outcome, records = PLACE.call("calendar", "shift_series", args, "office", opened)
    if outcome.status == "refused":
        assert records.diff() == []
        return
    for moved in outcome.value["moved"]:
        row = records.get("meetings", moved)
        assert row is not None
        wall = datetime.fromisoformat(row["start"]).astimezone(ZoneInfo(pattern["tz"]))
        assert f"{wall:%H:%M}" == time


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["M37", "M12", "M41"]), st.integers(1, 4)), max_size=6))
def test_however_many_guests_are_registered_no_site_takes_in_more_than_its_limit(
    wishes: list[tuple[str, int]],
) -> None:
    records = Records(OFFICE)
    host = Host(records, OFFICE.clock.now)
    with ToolSession() as opened:
        for number, (key, count) in enumerate(wishes):
            row = OFFICE.tables["meetings"][key]
            mail = OFFICE.tables["people"][row["organizer_id"]]["email"]
            names = ", ".join(f"Guest {number}-{each}" for each in range(count))
            args = {"host": mail, "meeting": key, "names": names}
            opened.call(PLACE.servers["reception"], "register_guests", args, host)
    for day in ("2026-03-24", "2026-03-25", "2026-03-31"):
        come = records.find("visits", {"office_id": "LDN", "day": day, "status": "expected"})
        assert sum(len(visit["guests"]) for visit in come) <= 8


# What the rules forbid, whatever a tool lets pass


def violated(key: str, actor: str, table: str = "meetings", **fields: Any) -> set[str]:
    """The clauses that a change of a row of the small office breaks; of a new row, where there is none."""
    records = Records(OFFICE)
    before = records.get(table, key)
    after = {**(before or {}), **fields}
    records.put(table, key, after)
    change = row_change(table, key, before, after)
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
    late: dict[str, Any] = {
        "start": "2026-04-03T20:00:00+00:00",
        "end": "2026-04-03T21:00:00+00:00",
        "attendees": asked,
    }
    key = meeting("Sprint plan")
    assert violated(key, "P06", **late) == {"times/no-holiday", "times/working-hours"}
    assert violated(key, "P06", title="Incident 7", **late) == set()


ASKED = {
    "request_id": "Q9",
    "meeting_id": "M15",
    "room_id": "R11",
    "asked_by": "P04",
    "asked_at": "2026-03-18T08:00:00+00:00",
    "status": "asked",
    "answered_by": None,
    "note": "",
}
VISIT = {
    "visit_id": "V9",
    "meeting_id": "M12",
    "host_id": "P03",
    "office_id": "LDN",
    "day": "2026-03-24",
    "guests": ["Ana Berg"],
    "status": "expected",
}
APPROVED = {"status": "approved", "answered_by": "P08"}


@pytest.mark.parametrize(
    ("table", "key", "actor", "fields", "clauses"),
    [
        ("meetings", "M15", "P04", {"room_id": "R11"}, {"rooms/custodian-approves"}),
        ("meetings", "M24", "P13", {"status": "cancelled", "cancel_reason": "x"}, {"changing/organizer-only"}),
        ("requests", "Q9", "P04", ASKED, set()),
        ("requests", "Q9", "P05", ASKED, {"rooms/asked-by-organizer"}),
        ("requests", "Q05", "P08", APPROVED, set()),
        ("requests", "Q04", "P08", APPROVED, {"rooms/first-asked"}),
        ("requests", "Q05", "P07", APPROVED, {"rooms/custodian-answers"}),
        ("requests", "Q04", "P08", {"status": "declined", "answered_by": "P08"}, {"rooms/told-why"}),
        ("series", "S1", "P11", {"until": "2026-03-29"}, set()),
        ("series", "S1", "P01", {"until": "2026-03-29"}, {"changing/series-by-whom"}),
        ("series", "S1", "P10", {"until": "2026-03-01"}, {"changing/series-not-past"}),
        ("series", "S1", "P10", {"time": "11:00"}, {"changing/series-untouched"}),
        ("visits", "V9", "P03", VISIT, set()),
        ("visits", "V9", "P04", VISIT, set()),
        ("visits", "V9", "P05", VISIT, {"visitors/host-registers"}),
        ("visits", "V9", "P03", VISIT | {"office_id": "MUC"}, {"visitors/at-the-site"}),
        ("visits", "V9", "P02", VISIT | {"meeting_id": "M43", "host_id": "P02"}, {"visitors/two-days"}),
        ("visits", "V9", "P03", VISIT | {"guests": [str(n) for n in range(9)]}, {"visitors/fire-limit"}),
    ],
)  # fmt: skip
def test_a_clause_catches_what_is_written_to_other_tables(
    table: str, key: str, actor: str, fields: dict[str, Any], clauses: set[str]
) -> None:
    assert violated(key, actor, table, **fields) == clauses
