"""The tools that book, move and cancel."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from examples.clinic_server.app import (
    MINUTE,
    AppointmentId,
    Now,
    PatientId,
    PractitionerId,
    ServiceId,
    Start,
    clock,
    parse_start,
    tool,
)
from examples.clinic_server.coverage import preauthorisation_for, referral_for
from examples.clinic_server.database import get, session
from examples.clinic_server.desk import appointments, is_late
from examples.clinic_server.schedule import Wish, free_room, obstacle, taken


def fields_of(db: sqlite3.Connection, patient_id: int, wish: Wish, now: datetime) -> dict[str, Any]:
    """The columns of an appointment as wished; refused if it cannot be."""
    get(db, "patients", patient_id)
    if reason := obstacle(db, wish, now):
        raise ToolError(reason)
    if other := taken(db, "patient_id", patient_id, wish):
        raise ToolError(f"The patient has appointment {other['id']} at that time.")
    room = free_room(db, wish)
    if room is None:
        needed = f" with {wish.service['equipment']}" if wish.service["equipment"] else ""
        raise ToolError(f"No room{needed} is free at {wish.start:{MINUTE}}.")
    day = wish.start.date()
    return {
        "practitioner_id": wish.practitioner_id,
        "room_id": room["id"],
        "starts_at": wish.start.strftime(MINUTE),
        "ends_at": wish.end.strftime(MINUTE),
        "referral_id": referral_for(db, patient_id, wish.service, day, wish.moves),
        "preauthorisation_id": preauthorisation_for(db, patient_id, wish.service, day),
    }


def book(db: sqlite3.Connection, patient_id: int, wish: Wish, now: datetime) -> dict[str, Any]:
    """A new appointment, as the desk sees it."""
    row = {
        **fields_of(db, patient_id, wish, now),
        "patient_id": patient_id,
        "service_id": wish.service["id"],
        "urgent": int(wish.urgent),
    }
    names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
    made = db.execute(f"INSERT INTO appointments ({names}) VALUES ({marks})", row)  # noqa: S608 - names of ours
    return appointments(db, "a.id = ?", made.lastrowid)[0]


def booked(db: sqlite3.Connection, appointment_id: int, now: datetime) -> sqlite3.Row:
    """An appointment that is still to come."""
    row = get(db, "appointments", appointment_id)
    if row["status"] != "booked":
        raise ToolError(f"Appointment {appointment_id} is {row['status'].replace('_', ' ')}.")
    if row["starts_at"] <= now.strftime(MINUTE):
        raise ToolError(f"Appointment {appointment_id} has begun already.")
    return row


@tool()
def book_appointment(
    patient_id: PatientId,
    service_id: ServiceId,
    practitioner_id: PractitionerId,
    starts_at: Start,
    urgent: Annotated[
        bool, Field(description="Take an urgent slot; only for what cannot wait.")
    ] = False,
    now: Now = "",
) -> dict[str, Any]:
    """Book an appointment. The room, the referral and the insurer's consent are found by the system."""
    with session() as db:
        service = get(db, "services", service_id)
        wish = Wish(practitioner_id, service, parse_start(starts_at), urgent)
        return book(db, patient_id, wish, clock(now))


@tool()
def move_appointment(
    appointment_id: AppointmentId,
    starts_at: Start,
    practitioner_id: Annotated[
        int | None, Field(description="Another practitioner; the same if left out.")
    ] = None,
    now: Now = "",
) -> dict[str, Any]:
    """Move an appointment to another time. Within 24 hours of its start it can only be cancelled."""
    with session() as db:
        row = booked(db, appointment_id, clock(now))
        if is_late(row["starts_at"], clock(now)):
            raise ToolError("It starts within 24 hours and can no longer be moved, only cancelled.")
        wish = Wish(
            practitioner_id or row["practitioner_id"],
            get(db, "services", row["service_id"]),
            parse_start(starts_at),
            bool(row["urgent"]),
            appointment_id,
        )
        changed = fields_of(db, row["patient_id"], wish, clock(now))
        sets = ", ".join(f"{name} = :{name}" for name in changed)
        db.execute(f"UPDATE appointments SET {sets} WHERE id = :id", {**changed, "id": row["id"]})  # noqa: S608 - as above
        return appointments(db, "a.id = ?", appointment_id)[0]


@tool()
def cancel_appointment(
    appointment_id: AppointmentId,
    cancelled_by: Annotated[
        Literal["patient", "clinic"],
        Field(description="At whose wish; the clinic charges nothing."),
    ] = "patient",
    accept_fee: Annotated[
        bool, Field(description="The patient agrees to pay the fee for a late cancellation.")
    ] = False,
    now: Now = "",
) -> dict[str, Any]:
    """Cancel an appointment. Less than 24 hours before its start it costs the patient the service's late fee and a
    visit of the referral."""
    with session() as db:
        row = booked(db, appointment_id, clock(now))
        late = cancelled_by == "patient" and is_late(row["starts_at"], clock(now))
        fee = get(db, "services", row["service_id"])["late_fee"] if late else 0.0
        if fee and not accept_fee:
            raise ToolError(
                f"It starts within 24 hours: cancelling costs {fee:.2f}. "
                "Ask the patient, and call again with accept_fee if they agree."
            )
        db.execute(
            "UPDATE appointments SET status = ?, fee = ? WHERE id = ?",
            ("late_cancelled" if late else "cancelled", fee, appointment_id),
        )
        return appointments(db, "a.id = ?", appointment_id)[0]
