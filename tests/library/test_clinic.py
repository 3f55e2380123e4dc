"""The clinic of the library, whose only tool server is from outside: its form, and what its rules forbid."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.library.workplace import LIBRARY, Workplace
from worlds.clauses import Moment
from worlds.conditions import View
from worlds.diff import row_change
from worlds.librarywriter import texts
from worlds.outside import OutsideServer
from worlds.recordcheck import all_record_findings, domain_findings
from worlds.records import Records
from worlds.step import Call
from worlds.toolserver_body import OutsideBody
from worlds.world import World

PLACE = Workplace("clinic")
SMALL = PLACE.base("small")
Row = dict[str, Any]


# Its form: what holds of workplaces with two tool servers holds here too, but for the servers


def test_the_files_are_in_canonical_form() -> None:
    written = {name: text for name, text in texts(PLACE.folder) if name != "pins.json"}
    assert {name: (PLACE.path / name).read_text(encoding="utf-8") for name in written} == written


def test_every_environment_is_pinned_and_no_two_are_one() -> None:
    pins = PLACE.folder.pins
    assert set(pins) == set(PLACE.specs)
    bound = {
        (spec.intent, spec.records, json.dumps(pins[slug].binding, sort_keys=True))
        for slug, spec in PLACE.specs.items()
    }
    assert len(bound) == len(PLACE.specs) >= 20


def test_sixteen_intents_of_which_a_quarter_is_turned_down_and_a_fifth_are_dialogues() -> None:
    assert {spec.intent for spec in PLACE.specs.values()} == set(PLACE.intents)
    assert len(PLACE.intents) == 16
    assert len(PLACE.turned_down) >= 16 / 4
    assert len(PLACE.dialogues) >= 16 / 5


def test_a_request_that_is_turned_down_reads_as_one_that_is_granted() -> None:
    granted = {i.instruction: i for i in PLACE.intents.values() if i.goal.outcome == "done"}
    for slug, intent in PLACE.turned_down.items():
        assert intent.goal.answer == granted[intent.instruction].goal.answer != {}, slug


def test_every_clause_compiles_and_every_quote_stands_in_its_rule() -> None:
    assert PLACE.clauses.problems == []
    for slug, file in PLACE.folder.rules.items():
        sentences = [*(clause.quote for clause in file.body.clauses), *file.body.judgement]
        assert [words for words in sentences if words not in file.body.text] == [], slug


@pytest.mark.parametrize("records", PLACE.folder.records)
def test_the_records_are_sound_to_the_last_row(records: str) -> None:
    slug = next(slug for slug, spec in PLACE.specs.items() if spec.records == records)
    world = World(PLACE.bundle(slug))
    assert [*domain_findings(world), *all_record_findings(world)] == []


def test_the_plans_call_every_writing_tool_but_one() -> None:
    body = PLACE.folder.toolservers["frontdesk"].body
    assert isinstance(body, OutsideBody)
    tools = OutsideServer.of(body).tools
    plans = [intent.plan(("frontdesk",)) or () for intent in PLACE.intents.values()]
    called = {step.call for plan in plans for step in plan}
    writing = {name for name, tool in tools.items() if tool.writes}
    assert writing - called == {"leave_waiting_list"}


def test_a_fresh_clone_checks_it_without_any_settings(tmp_path: Path) -> None:
    shutil.copytree(LIBRARY / "clinic", tmp_path / "clinic")
    one = {"intent": "fees-since", "rules": ["privacy"], "records": "small"}
    whole = {"environments": {"one": {**one, "toolservers": ["frontdesk"]}}}
    (tmp_path / "clinic" / "environments.yaml").write_text(json.dumps(whole))
    (tmp_path / "clinic" / "pins.json").unlink()
    env = {name: text for name, text in os.environ.items() if name != "ENVCURATE_TOOL_SERVERS"}
    command = [sys.executable, "-m", "worlds", "check", str(tmp_path / "clinic")]
    done = subprocess.run(
        command, cwd=LIBRARY.parent, env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("1 environment: 1 solvable, 0 broken, 0 unproven\n"), done
    assert done.returncode == 0


# What the rules forbid, whatever a tool lets pass


def moment(records: Records, actor: tuple[str, str], said: Sequence[str] = ()) -> Moment:
    """Without a conversation; with one in which the desk has `said` this, and was answered each time."""
    view, heard = View(records, SMALL.clock.now), ["…"] * (len(said) + 1) if said else []
    return Moment(view, records.get(*actor), [], list(said), heard)


def violated(
    actor: tuple[str, str], table: str, key: str, said: Sequence[str] = (), **fields: Any
) -> set[str]:
    """The clauses that a new or changed row of the small clinic breaks."""
    records = Records(SMALL)
    before = records.get(table, key)
    after = {**(before or {"id": key}), **fields}
    records.put(table, key, after)
    change = row_change(table, key, before, after)
    assert change is not None
    return {each.name for each in PLACE.clauses.on_write(moment(records, actor, said), [change])}


def patient(key: int) -> tuple[str, str]:
    return "patients", str(key)


def practitioner(key: int) -> tuple[str, str]:
    return "practitioners", str(key)


def new(patient_id: int, service: int, starts_at: str, ends: str, **more: Any) -> Row:
    """A booking of a patient, as it should be but for what is given."""
    return {
        "patient_id": str(patient_id),
        "practitioner_id": "1",
        "service_id": str(service),
        "room_id": "1",
        "starts_at": starts_at,
        "ends_at": f"{starts_at[:10]} {ends}",
        "status": "booked",
        "urgent": False,
        "referral_id": None,
        "preauthorisation_id": None,
        "fee": 0,
        **more,
    }


GONE = {"status": "cancelled"}


@pytest.mark.parametrize(
    ("actor", "key", "clauses"),
    [
        (1, "8", set()),
        (3, "30", set()),
        (3, "31", {"privacy/own-or-represented"}),
        (2, "8", {"privacy/own-or-represented"}),
    ],
)
def test_only_patients_and_their_representatives_of_today_cancel(
    actor: int, key: str, clauses: set[str]
) -> None:
    assert violated(patient(actor), "appointments", key, **GONE) == clauses


@pytest.mark.parametrize(
    ("row", "clauses"),
    [
        (new(10, 2, "2026-11-24 14:00", "14:30", referral_id="2"), {"booking/referral-on-the-day"}),
        (new(10, 2, "2026-11-19 14:00", "14:30", referral_id="2"), set()),
        (new(10, 2, "2026-11-19 14:00", "14:30"), {"booking/referral-on-the-day"}),
        (new(13, 7, "2026-11-24 14:00", "14:45", referral_id="3"), {"booking/visits-left"}),
        (new(10, 6, "2026-11-24 14:00", "14:30"), {"booking/agreed-first"}),
        (new(13, 6, "2026-12-02 10:00", "10:30", preauthorisation_id="2"), {"booking/agreed-first"}),
        (new(3, 6, "2026-12-02 10:00", "10:30", preauthorisation_id="3"), set()),
        (new(13, 1, "2026-11-24 14:00", "14:15"), {"booking/one-open"}),
        (new(1, 2, "2026-11-24 14:00", "14:30", referral_id="1"), set()),
        (new(11, 4, "2026-12-03 09:30", "10:00"), {"booking/due-again"}),
        (new(6, 4, "2026-12-03 09:30", "10:00"), set()),
        (new(10, 4, "2026-12-03 09:30", "10:00"), set()),
        (new(3, 1, "2026-11-12 11:00", "11:15", urgent=True), {"booking/urgent-soon"}),
        (new(3, 1, "2026-11-11 11:00", "11:15", urgent=True), set()),
    ],
)  # fmt: skip
def test_a_booking_must_be_covered_due_and_the_only_one(row: Row, clauses: set[str]) -> None:
    actor = patient(int(row["patient_id"]))
    assert violated(actor, "appointments", "90", **row) == clauses


LATE = {"status": "late_cancelled", "fee": 32.5}
MOVED = {"starts_at": "2026-11-25 09:00", "ends_at": "2026-11-25 09:30"}


@pytest.mark.parametrize(
    ("actor", "key", "fields", "clauses"),
    [
        (patient(7), "27", GONE, {"cancelling/free-in-time"}),
        (practitioner(3), "27", GONE, set()),
        (patient(7), "27", LATE, set()),
        (patient(7), "27", {**LATE, "fee": 0}, {"cancelling/late-fee"}),
        (patient(7), "27", MOVED, {"cancelling/not-moved-late"}),
        (patient(3), "23", MOVED, set()),
        (patient(1), "7", {"status": "booked"}, set()),
        (patient(1), "6", GONE, {"cancelling/not-over"}),
    ],
)
def test_what_is_late_costs_a_fee_and_is_not_moved(
    actor: tuple[str, str], key: str, fields: Row, clauses: set[str]
) -> None:
    assert violated(actor, "appointments", key, **fields) == clauses


WAITS = {"service_id": "1", "practitioner_id": None, "wanted_until": "2026-12-20"}
PLACED = {"status": "placed"}
LATE_ONE = {"appointment_id": 27}
PAID_FOR = {**LATE_ONE, "accept_fee": True}
THE_CLINICS = {**LATE_ONE, "cancelled_by": "clinic"}
AWAY = {"first_day": "2026-12-21", "last_day": "2026-12-23", "reason": "training"}


@pytest.mark.parametrize(
    ("actor", "place", "fields", "clauses"),
    [
        (practitioner(1), ("waiting_list", "4"), PLACED, set()),
        (practitioner(2), ("waiting_list", "4"), PLACED, {"waiting/longest-first"}),
        (practitioner(1), ("waiting_list", "5"), PLACED, {"waiting/longest-first"}),
        (
            patient(12),
            ("waiting_list", "9"),
            {**WAITS, "patient_id": "12", "added_on": "2026-11-10", "status": "waiting"},
            {"waiting/once-on-the-list"},
        ),
        (
            patient(5),
            ("waiting_list", "9"),
            {**WAITS, "patient_id": "6", "added_on": "2026-11-10", "status": "waiting"},
            {"privacy/contact-of-the-represented"},
        ),
        (practitioner(1), ("practitioner_absences", "9"), {**AWAY, "practitioner_id": "1"}, set()),
        (practitioner(2), ("practitioner_absences", "9"), {**AWAY, "practitioner_id": "1"}, {"waiting/own-absence"}),
        (patient(1), ("practitioner_absences", "9"), {**AWAY, "practitioner_id": "1"}, {"waiting/own-absence"}),
        (patient(2), ("patients", "1"), {"phone": "1"}, {"privacy/files-unchanged"}),
        (patient(3), ("patients", "4"), {"phone": "1"}, set()),
    ],
)  # fmt: skip
def test_lists_absences_and_files_are_changed_by_whom_they_concern(
    actor: tuple[str, str], place: tuple[str, str], fields: Row, clauses: set[str]
) -> None:
    assert violated(actor, *place, **fields) == clauses


@pytest.mark.parametrize(
    ("actor", "said", "tool", "args", "clauses"),
    [
        (patient(1), [], "list_appointments", {"patient_id": 1}, set()),
        (patient(1), [], "list_appointments", {"patient_id": 2}, {"privacy/files-closed"}),
        (patient(3), [], "get_patient", {"patient_id": 4}, set()),
        (patient(3), [], "get_patient", {"patient_id": 5}, {"privacy/files-closed"}),
        (patient(7), [], "get_appointment", LATE_ONE, set()),
        (patient(1), [], "get_appointment", LATE_ONE, {"privacy/appointments-closed"}),
        (patient(1), [], "get_appointment", {"appointment_id": 9999}, set()),
        (practitioner(1), [], "get_appointment", LATE_ONE, set()),
        (practitioner(1), [], "get_patient", {"patient_id": 5}, set()),
        (practitioner(3), [], "get_patient", {"patient_id": 5}, {"privacy/own-patients"}),
        (patient(7), [], "cancel_appointment", PAID_FOR, {"cancelling/asked-before"}),
        (patient(7), ["One moment, please."], "cancel_appointment", PAID_FOR, {"cancelling/asked-before"}),
        (patient(7), ["That is 32.50 pounds. Shall I?"], "cancel_appointment", PAID_FOR, set()),
        (patient(7), [], "cancel_appointment", THE_CLINICS, {"cancelling/never-the-clinics"}),
        (practitioner(3), [], "cancel_appointment", THE_CLINICS, set()),
    ],
)  # fmt: skip
def test_a_call_is_stopped_that_looks_too_far_or_takes_a_fee_for_granted(
    actor: tuple[str, str], said: list[str], tool: str, args: Row, clauses: set[str]
) -> None:
    asked = PLACE.clauses.on_call(moment(Records(SMALL), actor, said), Call(tool=tool, args=args))
    assert {each.name for each in asked} == clauses
    assert all(each.enforce == "guard" for each in asked)


@pytest.mark.parametrize(
    ("said", "clauses"),
    [("One moment, please.", {"privacy/known-by-birth"}), ("When were you born?", set())],
)
def test_a_caller_who_gave_only_a_name_is_asked_for_the_date_of_birth(
    said: str, clauses: set[str]
) -> None:
    look = Call(tool="list_appointments", args={"patient_id": 1})
    asked = PLACE.clauses.on_call(moment(Records(SMALL), patient(1), [said]), look)
    assert {each.name for each in asked} == clauses


def test_nobody_is_booked_whom_the_patient_did_not_name() -> None:
    row = new(3, 1, "2026-11-12 11:00", "11:15")
    said = ["Your practitioner is away."]
    assert violated(patient(3), "appointments", "90", said, **row) == {"booking/whom-they-named"}
