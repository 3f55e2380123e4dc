"""The service desk of the library: what its tools refuse and do on both servers, and what its rules forbid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.reference import Reference
from tests.library.workplace import Workplace
from worlds.cel_functions import work_after, work_minutes
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.episode import play
from worlds.hosts import Host
from worlds.records import Records, Row
from worlds.step import Call
from worlds.toolsession import ToolSession
from worlds.world import World

PLACE = Workplace("helpdesk")
SMALL = PLACE.base("desk-small")
CLAUSES = PLACE.clauses
NOW = "2026-04-02T13:20:00+00:00"


@pytest.fixture(scope="module")
def session() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


# What the tools refuse, on both servers


@dataclass(frozen=True)
class Refusal:
    """A wish as each of the two ticket systems takes it, and what each says to it."""

    name: str
    desk: tuple[str, dict[str, Any]]
    portal: tuple[str, dict[str, Any]]
    words: tuple[str, str]


def by(actor: str, **args: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments with the actor, as the desk and as the portal name it."""
    return {"acting_person_id": actor, **args}, {"session_sys_id": actor, **args}


def refusal(
    name: str,
    actor: str,
    desk: tuple[str, dict[str, Any], str],
    portal: tuple[str, dict[str, Any], str],
) -> Refusal:
    mine, theirs = by(actor)
    return Refusal(
        name,
        (desk[0], {**mine, **desk[1]}),
        (portal[0], {**theirs, **portal[1]}),
        (desk[2], portal[2]),
    )


NEW = {"requester_id": "P03", "queue_id": "Q1", "subject": "x", "kind": "incident"}
RECORD = {"caller_id": "P03", "assignment_group": "Q1", "short_description": "x", "description": ""}
REFUSALS = [
    refusal(
        "closed-stays-closed",
        "P05",
        ("set_status", {"ticket_id": "T1007", "status": "open"}, "never opened again"),
        ("update_record", {"number": "T1007", "state": "In Progress"}, "read-only for good"),
    ),
    refusal(
        "no-word-on-closed",
        "P11",
        ("add_comment", {"ticket_id": "T1007", "body": "Hello", "public": True}, "is closed"),
        ("update_record", {"number": "T1007", "comments": "Hello"}, "read-only for good"),
    ),
    refusal(
        "solved-too-long-ago",
        "P16",
        ("set_status", {"ticket_id": "T1099", "status": "open"}, "more than 7 days ago"),
        ("update_record", {"number": "T1099", "state": "In Progress"}, "more than 7 days ago"),
    ),
    refusal(
        "pending-to-on-hold",
        "P12",
        ("set_status", {"ticket_id": "T1016", "status": "on_hold"}, "cannot go from pending"),
        ("update_record", {"number": "T1016", "state": "On Hold"}, "invalid transition"),
    ),
    refusal(
        "solved-and-nobody-has-it",
        "P11",
        ("set_status", {"ticket_id": "T1015", "status": "solved"}, "has no assignee"),
        ("resolve_record", {"number": "T1015", "close_notes": "Done"}, "has no assignee"),
    ),
    refusal(
        "solved-and-nobody-was-told",
        "P11",
        ("set_status", {"ticket_id": "T1022", "status": "solved"}, "Nobody has told"),
        ("resolve_record", {"number": "T1022"}, "Nobody has told"),
    ),
    refusal(
        "problem-before-its-incidents",
        "P19",
        ("set_status", {"ticket_id": "T1020", "status": "solved"}, "T1024, T1025"),
        ("resolve_record", {"number": "T1020", "close_notes": "Fixed"}, "T1024, T1025"),
    ),
    refusal(
        "older-into-younger",
        "P11",
        ("merge_tickets", {"ticket_id": "T1001", "into_id": "T1002"}, "is younger"),
        ("mark_duplicate", {"number": "T1001", "duplicate_of": "T1002"}, "is younger"),
    ),
    refusal(
        "merged-into-closed",
        "P11",
        ("merge_tickets", {"ticket_id": "T1010", "into_id": "T1007"}, "never merged"),
        ("mark_duplicate", {"number": "T1010", "duplicate_of": "T1007"}, "never merged"),
    ),
    refusal(
        "linked-to-solved",
        "P12",
        ("link_incident", {"ticket_id": "T1010", "problem_id": "T1021"}, "is over"),
        ("update_record", {"number": "T1010", "problem": "T1021"}, "is over"),
    ),
    refusal(
        "above-the-last-level",
        "P19",
        ("escalate_ticket", {"ticket_id": "T1020", "reason": "Help"}, "last level"),
        ("escalate_record", {"number": "T1020", "work_notes": "Help"}, "last level"),
    ),
    refusal(
        "escalated-while-pending",
        "P12",
        ("escalate_ticket", {"ticket_id": "T1016", "reason": "Help"}, "only new and open"),
        ("escalate_record", {"number": "T1016", "work_notes": "Help"}, "only new and open"),
    ),
    refusal(
        "to-a-stranger",
        "P10",
        ("assign_ticket", {"ticket_id": "T1015", "assignee_id": "P16"}, "not a member"),
        ("update_record", {"number": "T1015", "assigned_to": "P16"}, "not a member"),
    ),
    refusal(
        "to-somebody-away",
        "P10",
        ("assign_ticket", {"ticket_id": "T1015", "assignee_id": "P14"}, "is away"),
        ("update_record", {"number": "T1015", "assigned_to": "P14"}, "is away"),
    ),
    refusal(
        "requester-looks-at-another's",
        "P05",
        ("get_ticket", {"ticket_id": "T1001"}, "is not a ticket of"),
        ("open_record", {"number": "T1001"}, "another caller"),
    ),
    refusal(
        "requester-sets-priority",
        "P02",
        ("set_priority", {"ticket_id": "T1001", "priority": "high"}, "does not work at the desk"),
        ("update_record", {"number": "T1001", "priority": "2 - High"}, "access denied"),
    ),
    refusal(
        "requester-opens-for-another",
        "P02",
        ("create_ticket", {**NEW, "category": "software", "priority": "low"}, "for yourself only"),
        (
            "create_record",
            {**RECORD, "task_type": "Incident", "category": "software", "priority": "4 - Low"},
            "for yourself only",
        ),
    ),
    refusal(
        "follows-what-is-open",
        "P03",
        (
            "create_follow_up",
            {"ticket_id": "T1006", "subject": "x", "priority": "low"},
            "not a closed ticket",
        ),
        (
            "create_record",
            {
                **RECORD,
                "task_type": "Incident",
                "category": "software",
                "priority": "4 - Low",
                "follow_up_of": "T1006",
            },
            "not a closed ticket",
        ),
    ),
    refusal(
        "approves-for-oneself",
        "P11",
        ("request_approval", {"ticket_id": "T1018", "approver_id": "P02"}, "for themselves"),
        ("ask_approval", {"number": "T1018", "approver": "P02"}, "for themselves"),
    ),
]


def rows_with_an_old_solution() -> Records:
    """The small desk, with one more ticket that was solved in February."""
    records = Records(SMALL)
    old = records.get("tickets", "T1021")
    assert old is not None
    records.put(
        "tickets", "T1099", {**old, "ticket_id": "T1099", "solved": "2026-02-11T10:00:00+00:00"}
    )
    return records


@pytest.mark.parametrize("server", ["desk", "portal"])
@pytest.mark.parametrize("case", REFUSALS, ids=[case.name for case in REFUSALS])
def test_both_ticket_systems_refuse_what_a_desk_does_not_do(
    case: Refusal, server: str, session: ToolSession
) -> None:
    records = rows_with_an_old_solution()
    before = records.diff()
    tool, args = case.desk if server == "desk" else case.portal
    outcome = session.call(PLACE.servers[server], tool, args, Host(records, SMALL.clock.now))
    assert outcome.status == "refused", outcome
    assert case.words[server == "portal"] in outcome.message
    assert records.diff() == before


DIRECTORY = [
    ("unlock_account", {"account_id": "A1", "ticket_id": "T1018"}, "UNLOCK-01"),
    ("unlock_account", {"account_id": "A2", "ticket_id": "T1018"}, "AUTH-04"),
    ("unlock_account", {"account_id": "A2", "ticket_id": "T9"}, "AUTH-03"),
    ("reset_second_factor", {"account_id": "A9", "ticket_id": "T1018"}, "AUTH-02"),
    (
        "add_to_group",
        {"account_id": "A1", "group_id": "G3", "ticket_id": "T1018"},
        "GROUP-02",
    ),
    (
        "add_to_group",
        {"account_id": "A1", "group_id": "G9", "ticket_id": "T1018"},
        "GROUP-01",
    ),
]


@pytest.mark.parametrize(("tool", "args", "words"), DIRECTORY)
def test_the_directory_refuses_with_its_own_codes(
    tool: str, args: dict[str, Any], words: str, session: ToolSession
) -> None:
    given_args = {"operator_person_id": "P11", **args}
    outcome, records = PLACE.call("directory", tool, given_args, "desk-small", session)
    assert (outcome.status, outcome.message.split(":")[0]) == ("refused", words)
    assert records.diff() == []


def test_a_group_without_a_free_seat_takes_nobody(session: ToolSession) -> None:
    records = Records(SMALL)
    group = records.get("groups", "G3")
    assert group is not None
    records.put("groups", "G3", {**group, "seats": 1})
    args = {
        "operator_person_id": "P12",
        "account_id": "A3",
        "group_id": "G3",
        "ticket_id": "T1030",
    }
    outcome = session.call(
        PLACE.servers["directory"], "add_to_group", args, Host(records, SMALL.clock.now)
    )
    assert "all 1 seats" in outcome.message


# What the tools do


def did(session: ToolSession, server: str, tool: str, args: dict[str, Any]) -> tuple[Any, Records]:
    outcome, records = PLACE.call(server, tool, args, "desk-small", session)
    assert outcome.status == "ok", outcome
    return outcome.value, records


def field(records: Records, key: str, name: str) -> Any:
    row = records.get("tickets", key)
    assert row is not None
    return row[name]


GRANTED = [
    slug.split(".")[0]
    for slug in PLACE.specs
    if ".desk-small.desk" in slug and slug.split(".")[0] not in PLACE.turned_down
]


@pytest.mark.parametrize("intent", GRANTED)
def test_both_ticket_systems_reach_the_same_state_for_the_same_wish(
    intent: str, session: ToolSession
) -> None:
    slugs = [slug for slug in PLACE.specs if slug.startswith(f"{intent}.desk-small.")]
    assert len(slugs) == 2
    bundles = [PLACE.bundle(slug) for slug in slugs]
    assert bundles[0].manifest.pin == bundles[1].manifest.pin
    worlds = [World(bundle) for bundle in bundles]
    states = {play(world, Reference.of(world), session).state for world in worlds}
    assert len(states) == 1


def test_requesters_are_shown_no_internal_note(session: ToolSession) -> None:
    mine = {"acting_person_id": "P02", "ticket_id": "T1005"}
    shown = did(session, "desk", "list_comments", mine)[0]
    inside = did(session, "desk", "list_comments", {**mine, "acting_person_id": "P12"})[0]
    assert [c["public"] for c in shown] == [True]
    assert len(inside) == 2
    opened = did(session, "portal", "open_record", {"session_sys_id": "P02", "number": "T1005"})[0]
    assert all("comments" in entry for entry in opened["journal"])
    assert "activity" not in opened


def test_requesters_find_their_own_tickets_only(session: ToolSession) -> None:
    found = did(session, "desk", "search_tickets", {"acting_person_id": "P02"})[0]
    assert found["count"] == 6
    assert {t["requester_id"] for t in found["tickets"]} == {"P02"}


def test_a_priority_counts_from_the_creation_and_over_easter(session: ToolSession) -> None:
    args = {"acting_person_id": "P12", "ticket_id": "T1010"}
    _, low = did(session, "desk", "set_priority", {**args, "priority": "low"})
    assert field(low, "T1010", "resolve_due") == "2026-04-10T14:20:00+00:00"
    _, urgent = did(session, "desk", "set_priority", {**args, "priority": "urgent"})
    assert field(urgent, "T1010", "resolve_due") == "2026-04-02T12:20:00+00:00"


def test_the_answer_of_the_requester_wakes_a_pending_ticket_and_adds_the_minutes(
    session: ToolSession,
) -> None:
    args = {"session_sys_id": "P03", "number": "T1016", "comments": "The left one."}
    _, records = did(session, "portal", "update_record", args)
    calendar = SMALL.tables["calendars"]["C1"]
    paused = work_minutes("2026-03-31T10:25:00+00:00", NOW, calendar)
    assert field(records, "T1016", "status") == "open"
    assert field(records, "T1016", "paused_minutes") == paused == 1195
    assert field(records, "T1016", "stopped") is None


def test_a_colleague_s_comment_wakes_nothing(session: ToolSession) -> None:
    args = {"acting_person_id": "P11", "ticket_id": "T1016", "body": "Any news?", "public": True}
    _, records = did(session, "desk", "add_comment", args)
    assert field(records, "T1016", "status") == "pending"


def test_the_first_public_answer_is_the_response_and_the_second_is_not(
    session: ToolSession,
) -> None:
    args = {"acting_person_id": "P11", "body": "We are on it.", "public": True}
    _, first = did(session, "desk", "add_comment", {**args, "ticket_id": "T1006"})
    assert field(first, "T1006", "responded") == NOW
    _, note = did(session, "desk", "add_comment", {**args, "ticket_id": "T1006", "public": False})
    assert field(note, "T1006", "responded") is None
    _, second = did(session, "desk", "add_comment", {**args, "ticket_id": "T1001"})
    assert field(second, "T1001", "responded") == "2026-03-31T09:02:00+00:00"


def test_the_workload_puts_those_on_shift_first_and_counts_open_ones_alone(
    session: ToolSession,
) -> None:
    load = did(session, "desk", "queue_workload", {"queue_id": "Q1"})[0]["members"]
    assert [row["on_shift"] for row in load] == [True, True, False, False]
    assert [row["name"] for row in load[2:]] == ["Femi Ade", "Gus Hale"]
    assert load[0]["open_tickets"] <= load[1]["open_tickets"]
    open_ones = [t for t in SMALL.tables["tickets"].values() if t["status"] == "open"]
    for row in load:
        assert row["open_tickets"] == sum(t["assignee_id"] == row["person_id"] for t in open_ones)


def test_what_is_pending_is_never_overdue(session: ToolSession) -> None:
    args = {"acting_person_id": "P10", "queue_id": "Q1", "only_overdue": True}
    found = did(session, "desk", "search_tickets", args)[0]["tickets"]
    assert "T1016" not in [t["ticket_id"] for t in found]
    assert all(t["resolve_due"] < NOW for t in found)
    assert found != []


def test_every_change_is_noted_in_the_history(session: ToolSession) -> None:
    args = {
        "session_sys_id": "P10",
        "number": "T1015",
        "assigned_to": "P11",
        "priority": "2 - High",
    }
    _, records = did(session, "portal", "update_record", args)
    rows = [h for h in records.find("history", {"ticket_id": "T1015"}) if h["at"] == NOW]
    assert {(h["field"], h["old"], h["new"]) for h in rows} == {
        ("status", "new", "open"),
        ("priority", "low", "high"),
        ("assignee_id", "", "P11"),
    }


@given(
    st.integers(0, 60 * 24 * 40),
    st.integers(0, 3000),
    st.sampled_from(["C1", "C2", "C3", "C4"]),
)
def test_working_minutes_are_counted_on_and_counted_up_alike(
    offset: int, minutes: int, calendar: str
) -> None:
    hours = SMALL.tables["calendars"][calendar]
    start = (datetime(2026, 3, 10, tzinfo=UTC) + timedelta(minutes=offset)).isoformat()
    assert work_minutes(start, work_after(start, minutes, hours), hours) == minutes


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(0, 60 * 24 * 30),
    st.sampled_from(["Q1", "Q2", "Q4", "Q5"]),
    st.sampled_from(["low", "normal", "high", "urgent"]),
    st.integers(0, 900),
)
def test_tools_count_business_hours_as_the_invariants_do(
    offset: int, queue: str, priority: str, paused: int
) -> None:
    records = Records(SMALL)
    created = (datetime(2026, 3, 3, tzinfo=UTC) + timedelta(minutes=offset)).isoformat()
    old = records.get("tickets", "T1001")
    assert old is not None
    moved = {"queue_id": queue, "created": created, "paused_minutes": paused}
    records.put("tickets", "T1001", {**old, **moved})
    args = {"acting_person_id": "P01", "ticket_id": "T1001", "priority": priority}
    with ToolSession() as session:
        host = Host(records, SMALL.clock.now)
        seen = session.call(PLACE.servers["desk"], "preview_due", args, host).value
    promise = SMALL.tables["sla"][priority]
    own = SMALL.tables["queues"][queue]["calendar_id"]
    hours = SMALL.tables["calendars"][promise["calendar_id"] or own]
    assert seen["respond_due"] == work_after(created, promise["respond_minutes"], hours)
    assert seen["resolve_due"] == work_after(created, promise["resolve_minutes"] + paused, hours)


# What the rules forbid, whatever a tool lets pass


def violated(
    table: str, key: str, actor: str, fields: dict[str, Any], but: dict[str, Any] | None = None
) -> set[str]:
    """The clauses that a change of a row breaks; `but` is laid over the row beforehand."""
    records = Records(SMALL)
    found = records.get(table, key)
    assert found is not None
    before: Row = {**found, **(but or {})}
    records.put(table, key, before)
    after = {**before, **fields}
    return _broken(records, table, key, before, after, actor)


def inserted(table: str, key: str, actor: str, row: Row) -> set[str]:
    """The clauses that a new row breaks."""
    return _broken(Records(SMALL), table, key, None, row, actor)


def _broken(
    records: Records, table: str, key: str, before: Row | None, after: Row, actor: str
) -> set[str]:
    records.put(table, key, after)
    change = row_change(table, key, before, after)
    assert change is not None
    view = View(records, SMALL.clock.now)
    moment = Moment(view, records.get("people", actor), [], [], [])
    return {violation.name for violation in CLAUSES.on_write(moment, [change])}


def due(key: str, **fields: Any) -> dict[str, Any]:
    """Fields of a ticket with the resolution that goes with them."""
    row = {**SMALL.tables["tickets"][key], **fields}
    promise = SMALL.tables["sla"][row["priority"]]
    own = SMALL.tables["queues"][row["queue_id"]]["calendar_id"]
    hours = SMALL.tables["calendars"][promise["calendar_id"] or own]
    minutes = promise["resolve_minutes"] + row["paused_minutes"]
    return {**fields, "resolve_due": work_after(row["created"], minutes, hours)}


UP = {"level": 2, "queue_id": "Q2", "assignee_id": None}
SOLVED = {"status": "solved", "solved": NOW}
BREACHES: list[tuple[str, str, str, dict[str, Any], set[str]]] = [
    ("tickets", "T1001", "P16", {"tags": ["x"]}, {"acting/own-queue"}),
    ("tickets", "T1001", "P11", {"tags": ["x"]}, set()),
    ("tickets", "T1001", "P05", {"tags": ["x"]}, {"acting/own-ticket"}),
    ("tickets", "T1025", "P19", SOLVED, set()),
    ("tickets", "T1009", "P19", SOLVED, {"acting/own-queue"}),
    ("tickets", "T1022", "P11", SOLVED, {"states/told"}),
    ("tickets", "T1016", "P12", {"status": "on_hold"}, {"states/moves"}),
    ("tickets", "T1007", "P11", {"tags": ["x"]}, {"states/closed-for-good"}),
    ("tickets", "T1001", "P11", {"status": "closed"}, {"states/never-by-hand"}),
    ("tickets", "T1003", "P12", {"status": "open", "solved": None}, {"states/seven-days"}),
    ("tickets", "T1003", "P12", {"status": "open", "solved": None, "reopens": 1}, set()),
    ("tickets", "T1001", "P11", {"priority": "high"}, {"priorities/counted-anew"}),
    ("tickets", "T1001", "P11", due("T1001", priority="high"), set()),
    ("tickets", "T1001", "P11", due("T1001", priority="urgent"), {"priorities/urgent-by-whom"}),
    ("tickets", "T1001", "P10", due("T1001", priority="urgent"), set()),
    ("tickets", "T1012", "P11", due("T1012", priority="urgent"), set()),
    ("tickets", "T1012", "P10", due("T1012", priority="low"), {"priorities/vip-at-least-high"}),
    ("tickets", "T1016", "P12", {"status": "open", "stopped": None}, {"priorities/stands-still"}),
    ("tickets", "T1010", "P12", {"problem_id": "T1021"}, {"merging/live-problem"}),
    ("tickets", "T1020", "P19", SOLVED, {"merging/incidents-first"}),
    (
        "tickets",
        "T1006",
        "P12",
        {"status": "closed", "merged_into": "T1005"},
        {"merging/one-requester", "merging/note-of-merging"},
    ),
    (
        "tickets",
        "T1001",
        "P12",
        {"status": "closed", "merged_into": "T1002"},
        {"merging/into-the-older", "merging/note-of-merging"},
    ),
    ("tickets", "T1001", "P11", due("T1001", **UP), {"escalation/says-why"}),
    (
        "tickets",
        "T1010",
        "P12",
        due("T1010", **UP),
        {"escalation/overdue-or-high", "escalation/says-why"},
    ),
    ("tickets", "T1012", "P11", due("T1012", **UP), {"escalation/says-why"}),
    ("tickets", "T1012", "P11", {"level": 3}, {"escalation/one-level", "escalation/says-why"}),
    ("tickets", "T1014", "P11", {"tags": ["x"]}, {"escalation/security-alone"}),
    ("tickets", "T1015", "P11", {"assignee_id": "P12"}, {"assigning/who-assigns"}),
    ("tickets", "T1015", "P10", {"assignee_id": "P14"}, {"assigning/nobody-away"}),
    ("tickets", "T1009", "P11", {"assignee_id": "P12"}, set()),
    ("accounts", "A1", "P11", {"groups": ["G3", "G1"]}, set()),
    (
        "accounts",
        "A1",
        "P11",
        {"groups": ["G3", "G2"]},
        {"access/manager-approves", "access/owner-approves"},
    ),
    (
        "accounts",
        "A4",
        "P12",
        {"groups": ["G1", "G2"]},
        {"access/manager-approves", "access/owner-approves"},
    ),
    ("accounts", "A1", "P12", {"second_factor": "none"}, set()),
    ("accounts", "A4", "P12", {"second_factor": "none"}, {"access/factor-approved"}),
    (
        "accounts",
        "A3",
        "P11",
        {"status": "active", "lock_reason": None, "locked_at": None},
        {"escalation/security-unlocks"},
    ),
    ("accounts", "A3", "P21", {"status": "active", "lock_reason": None, "locked_at": None}, set()),
    ("comments", "C101", "P11", {"body": "Something else."}, {"merging/comments-stay"}),
    ("approvals", "V3", "P12", {"approver_id": "P08"}, {"access/not-for-oneself"}),
]


@pytest.mark.parametrize(("table", "key", "actor", "fields", "clauses"), BREACHES)
def test_a_clause_catches_a_write_that_breaks_it(
    table: str, key: str, actor: str, fields: dict[str, Any], clauses: set[str]
) -> None:
    assert violated(table, key, actor, fields) == clauses


def test_a_ticket_that_waits_is_not_escalated() -> None:
    paused = {"status": "pending", "stopped": "2026-04-02T09:00:00+00:00"}
    found = violated("tickets", "T1001", "P11", due("T1001", **UP), but=paused)
    assert "escalation/not-while-waiting" in found


def test_an_account_is_touched_for_an_open_ticket_only() -> None:
    row = {**SMALL.tables["accounts"]["A1"], "person_id": "P23"}
    assert "access/for-an-open-ticket" in violated("accounts", "A1", "P11", {"groups": []}, but=row)


def test_an_internal_note_is_passed_on_in_no_public_comment() -> None:
    note = SMALL.tables["comments"]["C107"]
    said = {**note, "comment_id": "C900", "author_id": "P12", "public": True}
    assert inserted("comments", "C900", "P12", said) == {"acting/note-stays-inside"}
    wrapped = {**said, "body": f"Between us: {note['body']}"}
    assert inserted("comments", "C900", "P12", wrapped) == {"acting/note-stays-inside"}
    assert inserted("comments", "C900", "P12", {**said, "public": False}) == set()


def test_nothing_is_said_on_a_closed_ticket() -> None:
    said = {**SMALL.tables["comments"]["C108"], "comment_id": "C900"}
    assert inserted("comments", "C900", "P11", said) == {"states/no-word-on-closed"}


def test_a_follow_up_belongs_to_the_requester_of_the_closed_ticket() -> None:
    row = {**SMALL.tables["tickets"]["T1006"], "ticket_id": "T1900", "follows": "T1007"}
    assert inserted("tickets", "T1900", "P03", row) == {"states/follow-up"}
    assert inserted("tickets", "T1900", "P05", {**row, "requester_id": "P05"}) == set()


@pytest.mark.parametrize(
    ("tool", "args", "clauses"),
    [
        ("apply_macro", {"ticket_id": "T1001", "macro_id": "M2"}, {"assigning/own-macros"}),
        ("apply_macro", {"ticket_id": "T1001", "macro_id": "M1"}, set()),
        ("apply_macro", {"ticket_id": "T1001", "macro_id": "M3"}, set()),
        ("apply_template", {"number": "T1001", "template": "Ask for a serial number"}, {"assigning/own-templates"}),
        ("get_ticket", {"acting_person_id": "P12"}, {"acting/own-name"}),
        ("open_record", {"session_sys_id": "P12"}, {"acting/own-name-at-the-portal"}),
        ("unlock_account", {"operator_person_id": "P12"}, {"acting/own-name-in-the-directory"}),
    ],
)  # fmt: skip
def test_a_clause_catches_a_call_that_breaks_it(
    tool: str, args: dict[str, Any], clauses: set[str]
) -> None:
    records = Records(SMALL)
    view = View(records, SMALL.clock.now)
    moment = Moment(view, records.get("people", "P11"), [], [], [])
    assert {each.name for each in CLAUSES.on_call(moment, Call(tool=tool, args=args))} == clauses


@pytest.mark.parametrize(
    ("table", "key", "fields", "clause"),
    [
        ("tickets", "T1001", UP, "escalation/asks-why"),
        ("accounts", "A1", {"second_factor": "none"}, "acting/told-which-account"),
    ],
)
def test_what_the_opening_leaves_open_is_asked_before_the_write(
    table: str, key: str, fields: dict[str, Any], clause: str
) -> None:
    records = Records(SMALL)
    before = SMALL.tables[table][key]
    records.put(table, key, {**before, **fields})
    change = row_change(table, key, before, {**before, **fields})
    assert change is not None

    def found(said: list[str], heard: list[str]) -> set[str]:
        view = View(records, SMALL.clock.now)
        moment = Moment(view, records.get("people", "P11"), [], said, heard)
        return {each.name for each in CLAUSES.on_write(moment, [change])}

    email = SMALL.tables["people"][str(before.get("person_id", "P11"))]["email"]
    assert clause in found([], ["Please do."])
    assert clause in found(["One moment."], ["Please do.", "Good."])
    assert clause not in found([f"For what reason? And is it {email}?"], ["Please do.", "Yes."])
    assert clause not in found([], [])


@pytest.mark.parametrize(
    ("actor", "ticket", "words", "clause"),
    [
        ("P11", "T1014", "Security works on this.", "escalation/handed-off-with-what"),
        ("P05", "T1007", "A follow-up can be opened.", "states/told-of-a-follow-up"),
    ],
)
def test_what_must_be_told_is_told_before_the_end(
    actor: str, ticket: str, words: str, clause: str
) -> None:
    records = Records(SMALL)
    view, person = View(records, SMALL.clock.now), records.get("people", actor)
    for name, tool in (("ticket_id", "get_ticket"), ("number", "open_record")):
        opened = [{"tool": tool, "args": {name: ticket}, "result": {}, "status": "ok"}]
        silent = CLAUSES.on_end(Moment(view, person, opened, [], []))
        told = CLAUSES.on_end(Moment(view, person, opened, [words], []))
        assert ([each.name for each in silent], told) == ([clause], [])


def test_every_clause_is_broken_by_some_test_above() -> None:
    tested = {name for *_, names in BREACHES for name in names}
    apart = {
        "acting/note-stays-inside", "states/no-word-on-closed", "states/follow-up", "assigning/own-macros",
        "assigning/own-templates", "acting/own-name", "acting/own-name-at-the-portal",
        "acting/own-name-in-the-directory", "escalation/not-while-waiting", "access/for-an-open-ticket",
        "escalation/asks-why", "acting/told-which-account", "escalation/handed-off-with-what",
        "states/told-of-a-follow-up",
    }  # fmt: skip
    exceptions = {
        "acting/own-problem",
        "states/problems",
        "priorities/urgent-for-vip",
        "escalation/vip-any-time",
    }
    rules = PLACE.folder.rules.items()
    every = {f"{slug}/{clause.id}" for slug, file in rules for clause in file.body.clauses}
    assert every - tested - apart - exceptions == set()
