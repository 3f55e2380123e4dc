"""The other tools that write: waiting list, insurers, absences, contact."""

from __future__ import annotations

from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from examples.clinic_server.app import (
    Day,
    Now,
    PatientId,
    PractitionerId,
    ServiceId,
    Start,
    clock,
    parse_day,
    parse_start,
    tool,
)
from examples.clinic_server.booking import book
from examples.clinic_server.coverage import terms
from examples.clinic_server.database import get, session
from examples.clinic_server.desk import appointments
from examples.clinic_server.schedule import Wish

EntryId = Annotated[int, Field(description="The id of the waiting list entry.")]


@tool()
def join_waiting_list(
    patient_id: PatientId,
    service_id: ServiceId,
    wanted_until: Annotated[str, Field(description="The last day that would do, YYYY-MM-DD.")],
    practitioner_id: Annotated[int | None, Field(description="Only with this one.")] = None,
    now: Now = "",
) -> dict[str, Any]:
    """Put a patient on the waiting list for a service."""
    with session() as db:
        get(db, "patients", patient_id)
        service = get(db, "services", service_id)
        if practitioner_id is not None:
            get(db, "practitioners", practitioner_id)
        today, until = clock(now).date(), parse_day(wanted_until)
        if until < today:
            raise ToolError(f"{until} is past.")
        if db.execute(
            "SELECT 1 FROM waiting_list WHERE patient_id = ? AND service_id = ? AND status = 'waiting'",
            (patient_id, service_id),
        ).fetchone():
            raise ToolError(f"The patient waits for {service['name']} already.")
        made = db.execute(
            "INSERT INTO waiting_list (patient_id, service_id, practitioner_id, wanted_until, added_on) "
            "VALUES (?, ?, ?, ?, ?)",
            (patient_id, service_id, practitioner_id, str(until), str(today)),
        )
        return dict(get(db, "waiting_list", int(made.lastrowid or 0)))


@tool()
def leave_waiting_list(entry_id: EntryId) -> dict[str, Any]:
    """Take a patient off the waiting list."""
    with session() as db:
        if get(db, "waiting_list", entry_id)["status"] != "waiting":
            raise ToolError(f"Entry {entry_id} waits no longer.")
        db.execute("UPDATE waiting_list SET status = 'withdrawn' WHERE id = ?", (entry_id,))
        return dict(get(db, "waiting_list", entry_id))


@tool()
def place_from_waiting_list(
    entry_id: EntryId, practitioner_id: PractitionerId, starts_at: Start, now: Now = ""
) -> dict[str, Any]:
    """Give a free slot to a patient who waits: books the appointment and closes the entry."""
    with session() as db:
        entry = get(db, "waiting_list", entry_id)
        start = parse_start(starts_at)
        if entry["status"] != "waiting":
            raise ToolError(f"Entry {entry_id} waits no longer.")
        if str(start.date()) > entry["wanted_until"]:
            raise ToolError(f"The patient wants to be seen by {entry['wanted_until']}.")
        if entry["practitioner_id"] not in (None, practitioner_id):
            raise ToolError("The patient waits for another practitioner.")
        wish = Wish(practitioner_id, get(db, "services", entry["service_id"]), start)
        made = book(db, entry["patient_id"], wish, clock(now))
        db.execute("UPDATE waiting_list SET status = 'placed' WHERE id = ?", (entry_id,))
        return made


@tool()
def request_preauthorisation(
    patient_id: PatientId, service_id: ServiceId, now: Now = ""
) -> dict[str, Any]:
    """Ask a patient's insurer to agree to a service; the answer takes days."""
    with session() as db:
        service = get(db, "services", service_id)
        if not terms(db, patient_id, service_id)["needs_preauthorisation"]:
            raise ToolError(f"The insurer need not be asked about {service['name']}.")
        if db.execute(
            "SELECT 1 FROM preauthorisations WHERE patient_id = ? AND service_id = ? AND status = 'requested'",
            (patient_id, service_id),
        ).fetchone():
            raise ToolError("The insurer has been asked already and has not answered yet.")
        made = db.execute(
            "INSERT INTO preauthorisations (patient_id, service_id, status, requested_on) "
            "VALUES (?, ?, 'requested', ?)",
            (patient_id, service_id, str(clock(now).date())),
        )
        return dict(get(db, "preauthorisations", int(made.lastrowid or 0)))


@tool()
def enter_absence(
    practitioner_id: PractitionerId,
    first_day: Day,
    last_day: Annotated[str, Field(description="YYYY-MM-DD, included.")],
    reason: Annotated[str, Field(description="Such as vacation or training.")],
    now: Now = "",
) -> dict[str, Any]:
    """Enter days on which a practitioner is away. Booked appointments stay; they are listed, to be moved."""
    with session() as db:
        get(db, "practitioners", practitioner_id)
        first, last = parse_day(first_day), parse_day(last_day)
        if not clock(now).date() <= first <= last:
            raise ToolError("An absence begins today or later and ends no earlier than it begins.")
        made = db.execute(
            "INSERT INTO practitioner_absences (practitioner_id, first_day, last_day, reason) VALUES (?, ?, ?, ?)",
            (practitioner_id, str(first), str(last), reason),
        )
        where = "a.practitioner_id = ? AND a.status = 'booked' AND substr(a.starts_at, 1, 10) BETWEEN ? AND ?"
        hit = appointments(db, where, practitioner_id, str(first), str(last))
        return {"id": made.lastrowid, "to_be_moved": hit}


@tool()
def update_contact(
    patient_id: PatientId,
    phone: Annotated[str, Field(description="The new number; unchanged if empty.")] = "",
    email: Annotated[str, Field(description="The new address; unchanged if empty.")] = "",
) -> dict[str, Any]:
    """Change how a patient is reached."""
    with session() as db:
        patient = get(db, "patients", patient_id)
        db.execute(
            "UPDATE patients SET phone = ?, email = ? WHERE id = ?",
            (phone or patient["phone"], email or patient["email"], patient_id),
        )
        return {"patient_id": patient_id, "phone": phone or patient["phone"]}
