"""Who pays for what: referrals, pre-authorisations and recall intervals."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from examples.clinic_server.database import get

REFERRALS = """
    SELECT referrals.*, visits_allowed - (
        SELECT count(*) FROM appointments
        WHERE referral_id = referrals.id AND status <> 'cancelled' AND appointments.id <> :moves
    ) AS visits_left
    FROM referrals WHERE patient_id = :patient AND service_id = :service ORDER BY valid_until
"""


def referrals(
    db: sqlite3.Connection, patient_id: int, service_id: int, moves: int = 0
) -> list[dict[str, Any]]:
    """A patient's referrals for a service, with the visits that are left; late cancellations use one up."""
    asked = {"patient": patient_id, "service": service_id, "moves": moves}
    return [dict(row) for row in db.execute(REFERRALS, asked)]


def referral_for(
    db: sqlite3.Connection, patient_id: int, service: sqlite3.Row, day: date, moves: int = 0
) -> int | None:
    """The referral to use on a day: of those that are good, the one that ends first."""
    if not service["needs_referral"]:
        return None
    held = referrals(db, patient_id, service["id"], moves)
    good = [each for each in held if each["valid_until"] >= str(day) and each["visits_left"] > 0]
    if good:
        return int(good[0]["id"])
    if not held:
        raise ToolError(f"{service['name']} needs a referral and the patient has none.")
    last = held[-1]
    raise ToolError(
        f"No referral for {service['name']} is good on {day}: the last one is valid until "
        f"{last['valid_until']} and has {last['visits_left']} visits left."
    )


def terms(db: sqlite3.Connection, patient_id: int, service_id: int) -> dict[str, Any]:
    """What the patient's insurer says of a service; without terms it is covered in full."""
    query = "SELECT * FROM insurer_terms WHERE insurer_id = ? AND service_id = ?"
    insurer = get(db, "patients", patient_id)["insurer_id"]
    row = db.execute(query, (insurer, service_id)).fetchone()
    return dict(row) if row else {"needs_preauthorisation": 0, "copay": 0.0}


def preauthorisation_for(
    db: sqlite3.Connection, patient_id: int, service: sqlite3.Row, day: date
) -> int | None:
    """The insurer's consent to use on a day."""
    if not terms(db, patient_id, service["id"])["needs_preauthorisation"]:
        return None
    row = db.execute(
        "SELECT id FROM preauthorisations WHERE patient_id = ? AND service_id = ? AND status = 'granted' "
        "AND valid_until >= ? ORDER BY valid_until",
        (patient_id, service["id"], str(day)),
    ).fetchone()
    if row is None:
        raise ToolError(
            f"The insurer must agree to {service['name']} first and has not for {day}; "
            "check_coverage shows what was asked, request_preauthorisation asks."
        )
    return int(row["id"])


def recall(db: sqlite3.Connection, patient_id: int, service: sqlite3.Row) -> dict[str, str] | None:
    """When a check-up was last done, and from when on it is due again."""
    query = "SELECT max(starts_at) FROM appointments WHERE patient_id = ? AND service_id = ? AND status = 'done'"
    (last,) = db.execute(query, (patient_id, service["id"])).fetchone()
    if not service["recall_days"] or last is None:
        return None
    due = date.fromisoformat(last[:10]) + timedelta(days=service["recall_days"])
    return {"last_done_on": last[:10], "due_from": str(due)}
