"""The tools that only look."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from examples.clinic_server import coverage
from examples.clinic_server.app import (
    AppointmentId,
    Day,
    Now,
    PatientId,
    PractitionerId,
    ServiceId,
    clock,
    parse_day,
    tool,
)
from examples.clinic_server.database import get, session
from examples.clinic_server.schedule import Wish, free_starts

SHOWN = """
    SELECT a.id, a.patient_id, p.name AS patient, a.service_id, s.name AS service, a.practitioner_id,
        d.name AS practitioner, r.name AS room, a.starts_at, a.ends_at, a.status, a.urgent, a.referral_id, a.fee
    FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN services s ON s.id = a.service_id
    JOIN practitioners d ON d.id = a.practitioner_id JOIN rooms r ON r.id = a.room_id
"""
NOTICE = timedelta(hours=24)
MOST_SLOTS = 24


def appointments(db: sqlite3.Connection, where: str, *values: Any) -> list[dict[str, Any]]:
    """Appointments as the desk sees them, by time."""
    found = db.execute(f"{SHOWN} WHERE {where} ORDER BY a.starts_at, a.id", values)
    return [{**dict(row), "urgent": bool(row["urgent"])} for row in found]


@tool(reads=True)
def find_patients(
    name: Annotated[str, Field(description="All or part of the name.")],
    date_of_birth: Annotated[str, Field(description="YYYY-MM-DD; any if empty.")] = "",
) -> list[dict[str, Any]]:
    """Find patients by name, with those who may act for them and until which day. Names are not unique."""
    query = "SELECT id, name, date_of_birth FROM patients WHERE name LIKE ? AND date_of_birth LIKE ? ORDER BY name, id"
    proxies = """
        SELECT proxy_id, name, valid_until FROM patient_proxies JOIN patients ON patients.id = proxy_id
        WHERE patient_id = ? ORDER BY proxy_id
    """
    with session() as db:
        return [
            {
                **dict(row),
                "representatives": [dict(each) for each in db.execute(proxies, (row["id"],))],
            }
            for row in db.execute(query, (f"%{name}%", date_of_birth or "%")).fetchmany(20)
        ]


@tool(reads=True)
def get_patient(patient_id: PatientId) -> dict[str, Any]:
    """Open a patient's file: contact, insurer, waiting list entries. Opening it is logged."""
    with session() as db:
        patient = get(db, "patients", patient_id)
        db.execute("INSERT INTO access_log (patient_id) VALUES (?)", (patient_id,))
        waiting = db.execute(
            "SELECT * FROM waiting_list WHERE patient_id = ? AND status = 'waiting'", (patient_id,)
        )
        shown = ("id", "name", "date_of_birth", "phone", "email")
        return {
            **{name: patient[name] for name in shown},
            "insurer": get(db, "insurers", patient["insurer_id"])["name"],
            "waiting": [dict(row) for row in waiting],
        }


@tool(reads=True)
def list_services(
    name: Annotated[str, Field(description="Part of the name; all if empty.")] = "",
) -> list[dict[str, Any]]:
    """The services of the clinic: how long they take, what they need, the fee for cancelling late."""
    with session() as db:
        found = db.execute("SELECT * FROM services WHERE name LIKE ? ORDER BY name", (f"%{name}%",))
        return [{**dict(row), "needs_referral": bool(row["needs_referral"])} for row in found]


@tool(reads=True)
def find_practitioners(
    name: Annotated[str, Field(description="Part of the name; all if empty.")] = "",
    service_id: Annotated[int | None, Field(description="Only those who offer this.")] = None,
) -> list[dict[str, Any]]:
    """Find practitioners, with their weekly hours (weekday 1 is Monday) and coming absences."""
    query = """
        SELECT id, name, specialty FROM practitioners WHERE active AND name LIKE ? AND (? IS NULL OR EXISTS (
            SELECT 1 FROM practitioner_services WHERE practitioner_id = practitioners.id AND service_id = ?))
        ORDER BY name, id
    """
    hours = "SELECT weekday, opens, closes, urgent_from, urgent_until FROM practitioner_hours WHERE practitioner_id = ?"
    absences = (
        "SELECT first_day, last_day FROM practitioner_absences WHERE practitioner_id = ? ORDER BY 1"
    )
    with session() as db:
        return [
            {
                **dict(row),
                "hours": [dict(each) for each in db.execute(hours, (row["id"],))],
                "absences": [dict(each) for each in db.execute(absences, (row["id"],))],
            }
            for row in db.execute(query, (f"%{name}%", service_id, service_id)).fetchall()
        ]


@tool(reads=True)
def find_slots(
    service_id: ServiceId,
    practitioner_id: PractitionerId,
    first_day: Day,
    days: Annotated[int, Field(ge=1, le=14, description="How many days to look at.")] = 7,
    urgent: Annotated[bool, Field(description="Look for urgent slots.")] = False,
    now: Now = "",
) -> dict[str, Any]:
    """Free times of a practitioner for a service that also have a room; at most 24."""
    with session() as db:
        service, day = get(db, "services", service_id), parse_day(first_day)
        get(db, "practitioners", practitioner_id)
        starts: list[str] = []
        for ahead in range(days):
            at = datetime.combine(day + timedelta(days=ahead), datetime.min.time())
            starts += free_starts(db, Wish(practitioner_id, service, at, urgent), clock(now))
        return {
            "starts": starts[:MOST_SLOTS],
            "total": len(starts),
            "minutes": service["minutes"],
        }


@tool(reads=True)
def list_appointments(
    patient_id: PatientId,
    first_day: Day = "",
    last_day: Day = "",
    status: Annotated[
        Literal["", "booked", "done", "cancelled", "late_cancelled", "no_show"],
        Field(description="All if empty."),
    ] = "",
) -> dict[str, Any]:
    """A patient's appointments by time, cancelled and past ones too, with the fees charged for them."""
    last = str(parse_day(last_day)) if last_day else "9999"
    with session() as db:
        get(db, "patients", patient_id)
        found = appointments(
            db,
            "a.patient_id = ? AND a.starts_at >= ? AND substr(a.starts_at, 1, 10) <= ? AND ? IN ('', a.status)",
            patient_id,
            str(parse_day(first_day)) if first_day else "",
            last,
            status,
        )
        return {"appointments": found, "fees": round(sum(each["fee"] for each in found), 2)}


@tool(reads=True)
def get_appointment(appointment_id: AppointmentId, now: Now = "") -> dict[str, Any]:
    """Open an appointment, with what cancelling it now would cost the patient."""
    with session() as db:
        get(db, "appointments", appointment_id)
        (found,) = appointments(db, "a.id = ?", appointment_id)
        late = is_late(found["starts_at"], clock(now))
        fee = get(db, "services", found["service_id"])["late_fee"] if late else 0.0
        return {**found, "late": late, "fee_if_cancelled_now": fee}


def is_late(starts_at: str, now: datetime) -> bool:
    """Whether it is too late to cancel for free."""
    return datetime.fromisoformat(starts_at) - now < NOTICE


@tool(reads=True)
def day_sheet(practitioner_id: PractitionerId, day: Day) -> dict[str, Any]:
    """The booked appointments of a practitioner on a day."""
    with session() as db:
        get(db, "practitioners", practitioner_id)
        where = "a.practitioner_id = ? AND substr(a.starts_at, 1, 10) = ? AND a.status = 'booked'"
        found = appointments(db, where, practitioner_id, str(parse_day(day)))
        urgent = sum(each["urgent"] for each in found)
        return {"booked": len(found), "urgent": urgent, "appointments": found}


@tool(reads=True)
def check_coverage(
    patient_id: PatientId,
    service_id: ServiceId,
) -> dict[str, Any]:
    """A patient's referrals for a service with the visits left, what the insurer asks for and has agreed to, and when
    a check-up is due again."""
    consents = "SELECT * FROM preauthorisations WHERE patient_id = ? AND service_id = ? ORDER BY id"
    with session() as db:
        service = get(db, "services", service_id)
        terms = coverage.terms(db, patient_id, service_id)
        return {
            "needs_referral": bool(service["needs_referral"]),
            "referrals": coverage.referrals(db, patient_id, service_id),
            "needs_preauthorisation": bool(terms["needs_preauthorisation"]),
            "preauthorisations": [
                dict(row) for row in db.execute(consents, (patient_id, service_id))
            ],
            "copay": terms["copay"],
            "recall": coverage.recall(db, patient_id, service),
        }


@tool(reads=True)
def list_waiting(service_id: ServiceId, now: Now = "") -> list[dict[str, Any]]:
    """Who waits for a service, longest first; entries that have run out are left out."""
    today: date = clock(now).date()
    query = """
        SELECT w.id, w.patient_id, p.name AS patient, w.practitioner_id, w.added_on, w.wanted_until
        FROM waiting_list w JOIN patients p ON p.id = w.patient_id
        WHERE w.service_id = ? AND w.status = 'waiting' AND w.wanted_until >= ? ORDER BY w.added_on, w.id
    """
    with session() as db:
        get(db, "services", service_id)
        return [dict(row) for row in db.execute(query, (service_id, str(today)))]
