"""The clinic's front desk as an ordinary MCP server over SQLite: what its tools refuse and do."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.server.mcpserver.exceptions import ToolError

from examples.clinic_server import booking, database, desk, waiting

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "clinic_server"
RECORDS = json.loads((ROOT / "library/clinic/records/small.json").read_text(encoding="utf-8"))
NOW = RECORDS["clock"]["now"]
ADA, MEI = 1, 10
OSEI, LINDQVIST, RIVERA, RIVIERA, HADDAD, BRANDT, HOLT = range(1, 8)
CONSULTATION, PHYSIO, MRI, EYES, SKIN, ULTRASOUND, SPEECH = range(1, 8)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    monkeypatch.setenv("CLINIC_DB", str(tmp_path / "clinic.db"))
    with filled() as connection:
        yield connection


def filled() -> Any:
    """A connection to the database that CLINIC_DB names, with the small clinic in it."""
    database.create_tables()
    connection = database.connect()
    connection.execute("PRAGMA foreign_keys = OFF")  # tables come in any order
    for table, rows in RECORDS["tables"].items():
        known = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a table of ours
        for row in rows:
            names = [name for name in row if name in known]
            marks = ", ".join("?" * len(names))
            query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - as above
            connection.execute(query, [row[name] for name in names])
    connection.commit()
    return closing(connection)


def book(patient: int, service: int, who: int, start: str, **more: Any) -> dict[str, Any]:
    return booking.book_appointment(patient, service, who, start, now=NOW, **more)


def place(entry: int, start: str) -> dict[str, Any]:
    return waiting.place_from_waiting_list(entry, OSEI, start, now=NOW)


def appointments(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.execute("SELECT * FROM appointments ORDER BY id")]


# What is refused


Refusal = tuple[str, Callable[[], Any], str]
REFUSALS: list[Refusal] = [
    ("past", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-10 09:30"), "is past"),
    ("off-the-quarter", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-12 09:10"), "quarter of an hour"),
    ("no-time", lambda: book(MEI, CONSULTATION, OSEI, "tomorrow"), "not a time in the form"),
    ("nobody", lambda: book(99, CONSULTATION, OSEI, "2026-11-12 09:00"), "no patient 99"),
    ("no-such-service", lambda: book(MEI, 99, OSEI, "2026-11-12 09:00"), "no service 99"),
    ("weekend", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-14 09:00"), "does not work on Saturdays"),
    ("runs-over", lambda: book(MEI, SKIN, OSEI, "2026-11-12 15:45"), "from 08:00 to 16:00"),
    ("closed", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-30 09:00"), "closed (inventory)"),
    ("absent", lambda: book(ADA, PHYSIO, RIVERA, "2026-11-26 09:00"), "absent until 2026-11-26"),
    ("not-offered", lambda: book(MEI, EYES, OSEI, "2026-11-12 09:00"), "does not offer Eye check"),
    ("has-left", lambda: book(MEI, EYES, HOLT, "2026-11-12 09:00"), "has left"),
    ("double-booked", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-12 14:15"), "another appointment"),
    ("patient-busy", lambda: book(2, CONSULTATION, OSEI, "2026-11-16 09:30"), "has appointment 10"),
    ("kept-free", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-12 11:00"), "free for urgent"),
    ("not-urgent-then", lambda: book(MEI, CONSULTATION, OSEI, "2026-11-10 10:00", urgent=True), "no urgent slot"),
    ("no-referral", lambda: book(14, PHYSIO, RIVERA, "2026-11-12 09:00"), "the patient has none"),
    ("referral-ends", lambda: book(MEI, PHYSIO, RIVERA, "2026-11-24 14:00"), "valid until 2026-11-20"),
    ("visits-used", lambda: book(13, SPEECH, RIVIERA, "2026-11-24 14:00"), "has 0 visits left"),
    ("not-authorised", lambda: book(MEI, ULTRASOUND, HADDAD, "2026-12-02 10:00"), "must agree"),
    ("authorised-too-short", lambda: book(13, ULTRASOUND, HADDAD, "2026-12-02 10:00"), "must agree"),
    ("late-fee", lambda: booking.cancel_appointment(25, now=NOW), "cancelling costs 18.50"),
    ("late-move", lambda: booking.move_appointment(25, "2026-11-20 10:00", now=NOW), "only cancelled"),
    ("over", lambda: booking.cancel_appointment(2, now=NOW), "is done"),
    ("cancelled", lambda: booking.cancel_appointment(7, now=NOW), "is cancelled"),
    ("absence-past", lambda: waiting.enter_absence(OSEI, "2026-11-01", "2026-11-12", "x", now=NOW), "today or later"),
    ("waits-twice", lambda: waiting.join_waiting_list(12, CONSULTATION, "2026-12-01", now=NOW), "waits for"),
    ("waits-in-vain", lambda: waiting.join_waiting_list(12, EYES, "2026-11-09", now=NOW), "is past"),
    ("waits-for-nobody", lambda: waiting.join_waiting_list(12, EYES, "2026-12-01", 99, now=NOW), "99"),
    ("waits-for-another", lambda: place(2, "2026-11-12 14:00"), "another practitioner"),
    ("waits-no-longer", lambda: place(3, "2026-11-12 14:00"), "waits no longer"),
    ("waited-until", lambda: place(4, "2026-12-03 14:00"), "by 2026-11-30"),
    ("left-already", lambda: waiting.leave_waiting_list(3), "waits no longer"),
    ("asked-already", lambda: waiting.request_preauthorisation(9, MRI, now=NOW), "has been asked"),
    ("need-not-be-asked", lambda: waiting.request_preauthorisation(9, EYES, now=NOW), "need not be asked"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("act", "words"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_a_tool_refuses_in_words_and_writes_nothing(
    act: Callable[[], Any], words: str, db: sqlite3.Connection
) -> None:
    before = list(db.iterdump())
    with pytest.raises(ToolError) as refusal:
        act()
    assert words in str(refusal.value)
    assert list(db.iterdump()) == before


# What is done


def test_a_booking_takes_a_room_with_what_is_needed_and_the_referral_that_ends_first(
    db: sqlite3.Connection,
) -> None:
    db.execute("INSERT INTO referrals VALUES (20, 1, 2, 'Dr Lund', '2026-11-30', 1)")
    db.commit()
    made = book(ADA, PHYSIO, RIVIERA, "2026-11-24 14:00")
    assert made["room"] == "Physio 1"
    assert (made["referral_id"], made["ends_at"], made["fee"]) == (20, "2026-11-24 14:30", 0)


def test_an_urgent_slot_is_open_to_all_on_its_own_day(db: sqlite3.Connection) -> None:
    assert book(MEI, CONSULTATION, OSEI, "2026-11-10 11:15")["urgent"] is False
    assert book(13, CONSULTATION, OSEI, "2026-11-12 11:30", urgent=True)["urgent"] is True


def test_a_late_cancellation_costs_a_fee_and_a_visit_and_one_in_time_nothing(
    db: sqlite3.Connection,
) -> None:
    def left(patient: int) -> int:
        (held,) = desk.check_coverage(patient, PHYSIO)["referrals"]
        return int(held["visits_left"])

    late, early = left(7), left(3)
    assert booking.cancel_appointment(27, accept_fee=True, now=NOW)["fee"] == 32.5
    assert booking.cancel_appointment(23, now=NOW)["status"] == "cancelled"
    assert (left(7), left(3)) == (late, early + 1)
    free = booking.cancel_appointment(25, cancelled_by="clinic", now=NOW)
    assert (free["status"], free["fee"]) == ("cancelled", 0)


def test_a_moved_appointment_stays_one_visit_of_its_referral(db: sqlite3.Connection) -> None:
    before = desk.check_coverage(ADA, PHYSIO)["referrals"]
    moved = booking.move_appointment(8, "2026-11-27 10:00", now=NOW)
    assert (moved["starts_at"], moved["referral_id"]) == ("2026-11-27 10:00", 1)
    assert desk.check_coverage(ADA, PHYSIO)["referrals"] == before


def test_a_slot_that_is_given_to_somebody_who_waits_closes_the_entry(
    db: sqlite3.Connection,
) -> None:
    listed = [entry["id"] for entry in desk.list_waiting(CONSULTATION, now=NOW)]
    made = waiting.place_from_waiting_list(listed[1], OSEI, "2026-11-12 14:00", now=NOW)
    assert made["patient_id"] == 7
    assert [e["id"] for e in desk.list_waiting(CONSULTATION, now=NOW)] == [listed[0], *listed[2:]]


def test_an_absence_lists_what_is_to_be_moved_and_moves_nothing(db: sqlite3.Connection) -> None:
    before = appointments(db)
    entered = waiting.enter_absence(OSEI, "2026-11-12", "2026-11-20", "training", now=NOW)
    assert [each["id"] for each in entered["to_be_moved"]] == [40, 31]
    assert appointments(db) == before


def test_opening_a_file_is_logged_and_a_contact_that_is_left_out_stays(
    db: sqlite3.Connection,
) -> None:
    email = desk.get_patient(ADA)["email"]
    waiting.update_contact(ADA, phone="1")
    after = desk.get_patient(ADA)
    assert (after["phone"], after["email"]) == ("1", email)
    assert [row["patient_id"] for row in db.execute("SELECT * FROM access_log")] == [ADA, ADA]


def test_a_check_up_is_due_again_from_the_last_one_that_was_done(db: sqlite3.Connection) -> None:
    recall = desk.check_coverage(6, EYES)["recall"]
    assert recall == {"last_done_on": "2025-11-20", "due_from": "2026-11-20"}
    assert desk.check_coverage(MEI, EYES)["recall"] is None


@hypothesis_settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    who=st.sampled_from([OSEI, LINDQVIST]),
    day=st.dates(date(2026, 11, 9), date(2026, 12, 4)),
    urgent=st.booleans(),
    quarter=st.integers(28, 72),
)
def test_a_time_can_be_booked_if_and_only_if_find_slots_lists_it(
    db: sqlite3.Connection, who: int, day: date, urgent: bool, quarter: int
) -> None:
    start = datetime.combine(day, datetime.min.time()) + timedelta(minutes=15 * quarter)
    wanted = start.strftime("%Y-%m-%d %H:%M")
    found = desk.find_slots(CONSULTATION, who, str(day), days=1, urgent=urgent, now=NOW)
    if found["total"] > len(found["starts"]):
        wanted = found["starts"][quarter % len(found["starts"])]
    told = outcome(lambda: book(MEI, CONSULTATION, who, wanted, urgent=urgent))
    db.execute("DELETE FROM appointments WHERE id > 42")
    db.commit()
    if "The patient has" not in told:
        assert (told == "") == (wanted in found["starts"]), told


def outcome(act: Callable[[], Any]) -> str:
    """Why it was refused; empty when it was not."""
    try:
        act()
    except ToolError as refusal:
        return str(refusal)
    return ""


# What a client sees


@pytest.fixture
def client(db: sqlite3.Connection, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Calls methods of a session with the server as a process of its own."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "examples.clinic_server"],
        env={"CLINIC_DB": str(tmp_path / "clinic.db")},
        cwd=ROOT,
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio_client(parameters)) as streams,
        portal.wrap_async_context_manager(ClientSession(*streams)) as session,
    ):
        portal.call(session.initialize)

        def call(method: str, *args: Any) -> Any:
            return portal.call(getattr(session, method), *args)

        yield call


def test_tools_that_only_read_say_so_and_all_describe_themselves(
    client: Callable[..., Any],
) -> None:
    tools = client("list_tools").tools
    writing = {tool.name for tool in tools if not tool.annotations.read_only_hint}
    assert writing == {
        "book_appointment",
        "move_appointment",
        "cancel_appointment",
        "join_waiting_list",
        "leave_waiting_list",
        "place_from_waiting_list",
        "request_preauthorisation",
        "enter_absence",
        "update_contact",
    }
    assert all(tool.description for tool in tools)


def test_over_the_wire_a_refusal_speaks_and_the_real_time_counts_where_none_is_given(
    client: Callable[..., Any], db: sqlite3.Connection
) -> None:
    args = {
        "patient_id": MEI,
        "service_id": 1,
        "practitioner_id": 1,
        "starts_at": "2020-01-06 09:00",
    }
    refused = client("call_tool", "book_appointment", args)
    assert refused.is_error
    assert "2020-01-06 09:00 is past." in refused.content[0].text
    args |= {"starts_at": "2026-11-12 09:00", "now": NOW}
    assert not client("call_tool", "book_appointment", args).is_error
    assert db.execute("SELECT max(id) FROM appointments").fetchone()[0] == 43


def test_its_source_knows_nothing_of_who_uses_it() -> None:
    texts = [path.read_text(encoding="utf-8").lower() for path in FOLDER.glob("*.[ps]*")]
    assert len(texts) > 5
    assert not any(word in text for text in texts for word in ("envcurate", "worlds", "episode"))
