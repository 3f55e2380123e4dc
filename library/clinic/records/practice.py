"""Prints the records of a practice of some size: `python library/clinic/records/practice.py`."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from typing import Any

SEED = 20261110
NOW = "2026-11-10T09:40:00+00:00"
ABOUT = {
    "title": "A practice of some size, from a script",
    "notes": "Made by practice.py beside it: a year of appointments of 120 patients, among them namesakes, "
    "children who have come of age, and referrals that end soon.",
}
TODAY = date(2026, 11, 10)
CLOSED = {
    "2026-11-30": "inventory",
    "2026-12-25": "Christmas Day",
    "2026-12-28": "Boxing Day (observed)",
}
KEPT_FREE = "2026-11-24"
"""Nobody is booked on this day from 13:30 to 15:30: there the intents book."""

Row = dict[str, Any]
# name, minutes, needs a referral, equipment, recall in days, late fee
SERVICES: list[tuple[str, int, bool, str | None, int | None, float]] = [
    ("Consultation", 15, False, None, None, 18.5),
    ("Physiotherapy", 30, True, "treatment table", None, 32.5),
    ("MRI scan", 45, True, "MRI", None, 95.0),
    ("Eye check", 30, False, "slit lamp", 365, 24.0),
    ("Skin check", 30, False, None, 730, 24.0),
    ("Ultrasound", 30, False, "ultrasound", None, 45.75),
    ("Speech therapy", 45, True, None, None, 38.25),
]
# name, specialty, services, weekdays, opens, closes, urgent hour
PRACTITIONERS: list[tuple[str, str, list[int], list[int], str, str, tuple[str, str] | None]] = [
    (
        "Dr Elin Strand",
        "general practice",
        [1, 5],
        [1, 2, 3, 4, 5],
        "08:00",
        "16:00",
        ("11:00", "12:00"),
    ),
    (
        "Dr Luca Moretti",
        "general practice",
        [1, 6],
        [1, 2, 4, 5],
        "09:00",
        "17:00",
        ("10:00", "10:45"),
    ),
    ("Dr Luca Morelli", "general practice", [1], [1, 2, 3], "08:00", "15:00", None),
    ("Petra Novak", "physiotherapy", [2], [1, 2, 3, 4, 5], "08:00", "18:00", None),
    ("Anil Rao", "physiotherapy", [2], [1, 2, 4, 5], "10:00", "18:00", None),
    ("Maeve Byrne", "speech therapy", [7], [2, 3, 4], "09:00", "17:00", None),
    ("Dr Yusuf Demir", "radiology", [3, 6], [1, 2, 3, 4], "08:30", "16:30", None),
    ("Dr Clara Voss", "ophthalmology", [4], [2, 3, 5], "09:00", "16:00", None),
    ("Dr Clara Vos", "dermatology", [5], [1, 2, 4], "09:00", "15:00", None),
]
TERMS = [
    ("1", "3", True, 20.0),
    ("1", "6", True, 7.5),
    ("2", "3", True, 0.0),
    ("3", "6", False, 12.75),
]
ROOMS: list[tuple[str, list[str]]] = [
    *((f"Room {letter}", []) for letter in "ABCDE"),
    ("Physio 1", ["treatment table"]),
    ("Physio 2", ["treatment table"]),
    ("MRI suite", ["MRI"]),
    ("Eye lab", ["slit lamp"]),
    ("Imaging 1", ["ultrasound"]),
    ("Imaging 2", ["ultrasound"]),
]
GIVEN = [
    "Alma",
    "Bruno",
    "Celia",
    "Dario",
    "Edith",
    "Farid",
    "Gwen",
    "Hugo",
    "Irma",
    "Jalil",
    "Kaja",
    "Leon",
    "Mira",
    "Nils",
    "Oona",
    "Piet",
]
FAMILY = [
    "Abara",
    "Berg",
    "Castro",
    "Dahl",
    "Eriksen",
    "Fontana",
    "Garcia",
    "Holm",
    "Ivanov",
    "Jansen",
    "Kaya",
    "Lopes",
    "Meyer",
]


class Practice:
    """The rows made so far, and who and what is taken when."""

    def __init__(self) -> None:
        self.random = random.Random(SEED)  # noqa: S311 (made-up data, no secrets)
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.taken: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.visits: Counter[str] = Counter()

    def add(self, table: str, **fields: Any) -> Row:
        row = {"id": str(len(self.tables[table]) + 1), **fields}
        self.tables[table].append(row)
        return row

    def join(self, table: str, *names: str, **fields: Any) -> None:
        """A row that is known by the values of `names`."""
        self.tables[table].append({"id": "|".join(str(fields[name]) for name in names), **fields})

    def free(self, key: str, start: str, end: str) -> bool:
        return not any(first < end and start < last for first, last in self.taken[key])


def add_house(made: Practice) -> None:
    """What changes seldom: insurers, services, practitioners, rooms."""
    for name in ("Meridian Health", "Northwell Mutual", "Meridian Health Plus"):
        made.add("insurers", name=name)
    for name, minutes, referral, equipment, recall, fee in SERVICES:
        made.add(
            "services",
            name=name,
            minutes=minutes,
            needs_referral=referral,
            equipment=equipment,
            recall_days=recall,
            late_fee=fee,
        )
    for insurer, service, asks, copay in TERMS:
        made.join(
            "insurer_terms",
            "insurer_id",
            "service_id",
            insurer_id=insurer,
            service_id=service,
            needs_preauthorisation=asks,
            copay=copay,
        )
    for day, reason in CLOSED.items():
        made.tables["closed_days"].append({"day": day, "reason": reason})
    for name, pieces in ROOMS:
        room = made.add("rooms", name=name, out_of_service_until=None)
        for piece in pieces:
            made.join("room_equipment", "room_id", "equipment", room_id=room["id"], equipment=piece)
    add_practitioners(made)


def add_practitioners(made: Practice) -> None:
    for name, specialty, services, weekdays, opens, closes, urgent in PRACTITIONERS:
        key = made.add("practitioners", name=name, specialty=specialty, active=True)["id"]
        for service in services:
            made.join(
                "practitioner_services",
                "practitioner_id",
                "service_id",
                practitioner_id=key,
                service_id=str(service),
            )
        for weekday in weekdays:
            made.join(
                "practitioner_hours",
                "practitioner_id",
                "weekday",
                practitioner_id=key,
                weekday=weekday,
                opens=opens,
                closes=closes,
                urgent_from=urgent[0] if urgent else None,
                urgent_until=urgent[1] if urgent else None,
            )
    for key, first, last in (("4", "2026-12-07", "2026-12-11"), ("8", "2026-11-25", "2026-11-27")):
        days = {"first_day": first, "last_day": last}
        made.add("practitioner_absences", practitioner_id=key, **days, reason="vacation")


def add_patients(made: Practice) -> None:
    names = [f"{given} {family}" for given in GIVEN for family in FAMILY]
    made.random.shuffle(names)
    for number, name in enumerate([*names[:108], *names[:12]]):  # the last twelve are namesakes
        born = date(1940, 1, 1) + timedelta(days=made.random.randrange(24_000))
        made.add(
            "patients",
            name=name,
            date_of_birth=born.isoformat(),
            phone=f"020 7946 {number:04}",
            email=None if number % 3 == 0 else f"p{number}@mail.example",
            insurer_id=str(1 + number % 3),
        )
    for number in range(
        10
    ):  # children, whom a parent represents until the day before they come of age
        parent = made.tables["patients"][20 + number]
        born = date(2008, 6, 1) + timedelta(days=97 * number)
        child = made.add(
            "patients",
            name=f"{GIVEN[number]} {parent['name'].split()[1]}-Lind",
            date_of_birth=born.isoformat(),
            phone=parent["phone"],
            email=None,
            insurer_id=parent["insurer_id"],
        )
        until = date(born.year + 18, born.month, born.day) - timedelta(days=1)
        made.join(
            "patient_proxies",
            "patient_id",
            "proxy_id",
            patient_id=child["id"],
            proxy_id=parent["id"],
            valid_until=until.isoformat(),
        )


def add_referrals(made: Practice) -> None:
    for number in range(40):
        until = TODAY + timedelta(days=made.random.choice([4, 9, 13, 14, 20, 45, 90]))
        made.add(
            "referrals",
            patient_id=made.tables["patients"][2 * number]["id"],
            service_id="7" if number % 4 == 0 else "2",
            referred_by=made.random.choice(["Dr Lund", "Dr Patel", "Dr Strand"]),
            valid_until=until.isoformat(),
            visits_allowed=made.random.choice([2, 3, 6]),
        )


def drawn_slot(made: Practice, number: int, day: date) -> tuple[str, str, str] | None:
    """Practitioner, start and end of an appointment for a service; None where luck fails."""
    able = [
        (str(key), opens, closes, urgent)
        for key, (_, _, services, weekdays, opens, closes, urgent) in enumerate(PRACTITIONERS, 1)
        if number in services and day.isoweekday() in weekdays
    ]
    if not able or day.isoformat() in CLOSED or day == TODAY:
        return None
    who, opens, closes, urgent = made.random.choice(able)
    at = datetime.fromisoformat(f"{day.isoformat()} {opens}")
    at += timedelta(minutes=15 * made.random.randrange(32))
    ends = at + timedelta(minutes=SERVICES[number - 1][1])
    start, end = f"{at:%Y-%m-%d %H:%M}", f"{ends:%Y-%m-%d %H:%M}"
    shut = [urgent] if urgent else []
    shut += [("13:30", "15:30")] if day.isoformat() == KEPT_FREE else []
    if end[11:] > closes or any(start[11:] < last and end[11:] > first for first, last in shut):
        return None
    return who, start, end


def drawn_status(made: Practice, day: date) -> str:
    drawn = made.random.random()
    if day > TODAY:
        return "booked" if drawn < 0.7 else "cancelled"
    shares = (("done", 0.6), ("late_cancelled", 0.75), ("no_show", 0.85), ("cancelled", 1.0))
    return next(status for status, share in shares if drawn < share)


def add_appointment(
    made: Practice, patient: Row, number: int, day: date, referral: Row | None = None
) -> None:
    """One appointment on a day, if somebody, the patient and a room are free then."""
    slot, status = drawn_slot(made, number, day), drawn_status(made, day)
    if slot is None or (referral and not used(made, referral, slot[1], status)):
        return
    who, start, end = slot
    pieces = [SERVICES[number - 1][3]] if SERVICES[number - 1][3] else []
    rooms = [str(key) for key, (_, equipment) in enumerate(ROOMS, 1) if equipment == pieces]
    room = next((each for each in rooms if made.free(f"room {each}", start, end)), rooms[0])
    keys = [f"practitioner {who}", f"patient {patient['id']}", f"room {room}"]
    if status == "booked":
        if not all(made.free(key, start, end) for key in keys):
            return
        for key in keys:
            made.taken[key].append((start, end))
    made.add(
        "appointments",
        patient_id=patient["id"],
        practitioner_id=who,
        service_id=str(number),
        room_id=room,
        starts_at=start,
        ends_at=end,
        status=status,
        urgent=False,
        referral_id=referral["id"] if referral else None,
        preauthorisation_id=None,
        fee=SERVICES[number - 1][5] if status in ("late_cancelled", "no_show") else 0,
    )


def used(made: Practice, referral: Row, start: str, status: str) -> bool:
    """Whether the referral allows this appointment; counts the visit."""
    if status == "cancelled":
        return True
    key = referral["id"]
    if made.visits[key] == referral["visits_allowed"] or start[:10] > referral["valid_until"]:
        return False
    made.visits[key] += 1
    return True


def add_appointments(made: Practice) -> None:
    patients = {row["id"]: row for row in made.tables["patients"]}
    for referral in made.tables["referrals"]:
        for _ in range(6):
            day = TODAY + timedelta(days=made.random.randrange(-60, 30))
            add_appointment(
                made, patients[referral["patient_id"]], int(referral["service_id"]), day, referral
            )
    for patient in patients.values():  # every tenth comes, and stays away, more often
        for service in made.random.choices([1, 1, 4, 5], k=3 if int(patient["id"]) % 10 else 12):
            day = TODAY + timedelta(days=made.random.randrange(-330, 0))
            add_appointment(made, patient, service, day)
        for service in made.random.sample([1, 4, 5], k=2):
            day = TODAY + timedelta(days=made.random.randrange(3, 40))
            add_appointment(made, patient, service, day)


def add_waiting(made: Practice) -> None:
    for number in range(12):
        made.add(
            "waiting_list",
            patient_id=made.tables["patients"][5 * number]["id"],
            service_id=made.random.choice(["1", "4", "6"]),
            practitioner_id=None,
            wanted_until=(TODAY + timedelta(days=made.random.randrange(-5, 50))).isoformat(),
            added_on=(TODAY - timedelta(days=10 + number)).isoformat(),
            status="waiting",
        )


def build() -> Row:
    """The whole records set as plain JSON."""
    made = Practice()
    for step in (add_house, add_patients, add_referrals, add_appointments, add_waiting):
        step(made)
    return {"about": ABOUT, "clock": {"now": NOW}, "tables": dict(made.tables)}


if __name__ == "__main__":
    json.dump(build(), sys.stdout)
