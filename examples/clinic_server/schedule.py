"""When and where an appointment can be: hours, absences, rooms, and who is taken."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from examples.clinic_server.app import MINUTE
from examples.clinic_server.database import get

STEP = timedelta(minutes=15)


@dataclass(frozen=True)
class Wish:
    """An appointment that somebody would like to have."""

    practitioner_id: int
    service: sqlite3.Row
    start: datetime
    urgent: bool = False
    moves: int = 0
    """The appointment that it takes the place of; 0 for none."""

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.service["minutes"])

    @property
    def span(self) -> dict[str, str | int]:
        return {
            "start": self.start.strftime(MINUTE),
            "end": self.end.strftime(MINUTE),
            "moves": self.moves,
        }


def obstacle(db: sqlite3.Connection, wish: Wish, now: datetime) -> str | None:
    """Why the practitioner cannot take the appointment; None if they can."""
    practitioner = get(db, "practitioners", wish.practitioner_id)
    name, day = practitioner["name"], wish.start.date()
    offered = "SELECT 1 FROM practitioner_services WHERE practitioner_id = ? AND service_id = ?"
    if not practitioner["active"]:
        return f"{name} has left the clinic."
    if not db.execute(offered, (wish.practitioner_id, wish.service["id"])).fetchone():
        return f"{name} does not offer {wish.service['name']}; find_practitioners tells who does."
    if wish.start <= now:
        return f"{wish.start:{MINUTE}} is past."
    if reason := away(db, wish.practitioner_id, day):
        return f"{name} cannot be seen on {day}: {reason}."
    if reason := out_of_hours(db, wish, now):
        return f"{name} {reason}"
    if taken(db, "practitioner_id", wish.practitioner_id, wish):
        return (
            f"{name} has another appointment at {wish.start:{MINUTE}}; find_slots lists free times."
        )
    return None


def away(db: sqlite3.Connection, practitioner_id: int, day: date) -> str | None:
    """Why a practitioner cannot be seen on a day at all."""
    closed = db.execute("SELECT reason FROM closed_days WHERE day = ?", (str(day),)).fetchone()
    if closed:
        return f"the clinic is closed ({closed['reason']})"
    absent = db.execute(
        "SELECT last_day FROM practitioner_absences WHERE practitioner_id = ? AND ? BETWEEN first_day AND last_day",
        (practitioner_id, str(day)),
    ).fetchone()
    return f"absent until {absent['last_day']}" if absent else None


def hours(db: sqlite3.Connection, practitioner_id: int, day: date) -> sqlite3.Row | None:
    query = "SELECT * FROM practitioner_hours WHERE practitioner_id = ? AND weekday = ?"
    row: sqlite3.Row | None = db.execute(query, (practitioner_id, day.isoweekday())).fetchone()
    return row


def out_of_hours(db: sqlite3.Connection, wish: Wish, now: datetime) -> str | None:
    """What stands against the time of day. Urgent slots are released on the day itself."""
    row = hours(db, wish.practitioner_id, wish.start.date())
    if row is None:
        return f"does not work on {wish.start:%A}s."
    start, end = f"{wish.start:%H:%M}", f"{wish.end:%H:%M}"
    if start < row["opens"] or end > row["closes"] or wish.end.date() != wish.start.date():
        return f"works from {row['opens']} to {row['closes']} that day."
    urgent = bool(row["urgent_from"]) and start < row["urgent_until"] and end > row["urgent_from"]
    if wish.urgent and not urgent:
        return f"has no urgent slot at {start} that day; find_slots with urgent lists them."
    if urgent and not wish.urgent and wish.start.date() > now.date():
        return f"keeps {row['urgent_from']} to {row['urgent_until']} free for urgent appointments."
    return None


def taken(db: sqlite3.Connection, column: str, value: int, wish: Wish) -> sqlite3.Row | None:
    """A booked appointment of a practitioner, patient or room at the time of the wish."""
    query = f"""
        SELECT * FROM appointments WHERE {column} = :value AND status = 'booked'
        AND starts_at < :end AND ends_at > :start AND id <> :moves
    """  # noqa: S608 - the column is ours
    row: sqlite3.Row | None = db.execute(query, {"value": value, **wish.span}).fetchone()
    return row


def free_room(db: sqlite3.Connection, wish: Wish) -> sqlite3.Row | None:
    """The first room with the service's equipment that is usable and free; one without equipment for the others."""
    query = """
        SELECT rooms.*, (SELECT count(*) FROM room_equipment WHERE room_id = rooms.id) AS pieces FROM rooms
        WHERE (out_of_service_until IS NULL OR out_of_service_until < :day)
        AND (:equipment IS NULL OR EXISTS (
            SELECT 1 FROM room_equipment WHERE room_id = rooms.id AND equipment = :equipment))
        ORDER BY pieces, id
    """
    wanted = {"day": str(wish.start.date()), "equipment": wish.service["equipment"]}
    rooms = db.execute(query, wanted).fetchall()
    return next((room for room in rooms if not taken(db, "room_id", room["id"], wish)), None)


def free_starts(db: sqlite3.Connection, wish: Wish, now: datetime) -> list[str]:
    """The starts on the wish's day that the practitioner could take and that have a room."""
    found = []
    row = hours(db, wish.practitioner_id, wish.start.date())
    if row is None or away(db, wish.practitioner_id, wish.start.date()):
        return []
    start = datetime.fromisoformat(f"{wish.start:%Y-%m-%d} {row['opens']}")
    while f"{start:%H:%M}" < row["closes"]:
        at = Wish(wish.practitioner_id, wish.service, start, wish.urgent)
        if obstacle(db, at, now) is None and free_room(db, at):
            found.append(start.strftime(MINUTE))
        start += STEP
    return found
