"""Print the records set company.json beside this file: about a thousand rows, the same at every run.

python library/meetings/records/company.py > library/meetings/records/company.json
python manage.py library format library --domain meetings
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]

NOW = "2026-03-18T08:00:00Z"
FIRST_DAY, LAST_DAY = date(2026, 3, 19), date(2026, 4, 17)
SERIES_FROM, SERIES_UNTIL = date(2026, 3, 9), date(2026, 4, 24)

Office = tuple[str, str, str, str, list[str]]
"""Its id, city, country, time zone, and what its rooms are called after."""
OFFICES: list[Office] = [
    ("LON", "London", "GB", "Europe/London", ["Thames", "Severn", "Tyne", "Tamar", "Mersey"]),
    ("BER", "Berlin", "DE", "Europe/Berlin", ["Baltic", "Spree", "Havel", "Elbe", "Oder"]),
    (
        "NYC",
        "New York",
        "US",
        "America/New_York",
        ["Hudson", "Harlem", "Bronx", "Raritan", "Mohawk"],
    ),
    ("BLR", "Bengaluru", "IN", "Asia/Kolkata", ["Kaveri", "Tunga", "Hemavati", "Kabini", "Bhima"]),
    ("SYD", "Sydney", "AU", "Australia/Sydney", ["Murray", "Darling", "Hunter", "Yarra", "Nepean"]),
    (
        "SAO",
        "São Paulo",
        "BR",
        "America/Sao_Paulo",
        ["Tietê", "Jordão", "Pardo", "Iguape", "Paraná"],
    ),
]
SMALL = {"SYD", "SAO"}
"""Offices without a large room."""
TEAMS = ["Engineering", "Product", "Sales", "Finance", "Facilities"]
ROLES = ["Lead", "Assistant", "Specialist", "Specialist", "Analyst"]
HOURS = {"BER": ("09:00", "17:30"), "NYC": ("09:00", "17:00"), "BLR": ("09:30", "18:30")}
HOLIDAYS = [
    ("2026-04-03", "Good Friday", "GB DE IN AU BR", None),
    ("2026-04-06", "Easter Monday", "GB DE AU", None),
    ("2026-05-04", "Early May Bank Holiday", "GB", None),
    ("2026-05-25", "Spring Bank Holiday", "GB", None),
    ("2026-05-01", "Labour Day", "DE BR", None),
    ("2026-05-14", "Ascension Day", "DE", None),
    ("2026-05-25", "Whit Monday", "DE", None),
    ("2026-05-25", "Memorial Day", "US", None),
    ("2026-07-03", "Independence Day (observed)", "US", None),
    ("2026-03-20", "Founders' Day", "US", "NYC"),
    ("2026-03-19", "Ugadi", "IN", "BLR"),
    ("2026-04-14", "Ambedkar Jayanti", "IN", None),
    ("2026-04-27", "Anzac Day (observed)", "AU", "SYD"),
    ("2026-06-08", "King's Birthday", "AU", None),
    ("2026-04-21", "Tiradentes", "BR", None),
]
GIVEN = [
    "Ada",
    "Ben",
    "Carla",
    "Dev",
    "Elif",
    "Femi",
    "Gita",
    "Hugo",
    "Ines",
    "Jonas",
    "Keiko",
    "Liam",
    "Mona",
    "Nils",
    "Olga",
    "Pavel",
    "Rosa",
    "Sana",
    "Tariq",
    "Uma",
    "Vera",
    "Wen",
    "Yara",
    "Zoe",
]
FAMILY = [
    "Abreu",
    "Bauer",
    "Costa",
    "Dutta",
    "Ekwueme",
    "Fischer",
    "Ghosh",
    "Hansen",
    "Ito",
    "Jensen",
    "Kovacs",
    "Lopez",
    "Mbeki",
    "Novak",
    "Okafor",
    "Patel",
    "Quinn",
    "Rao",
    "Schmidt",
    "Tanaka",
    "Usman",
    "Vogel",
    "Walsh",
    "Yilmaz",
]
NAMESAKES = ["Alex Kim", "Maria Silva", "Priya Nair", "Tom Becker", "Sam Lee"]
TITLES = [
    "Budget review",
    "Roadmap talk",
    "Hiring panel",
    "Vendor call",
    "Launch plan",
    "Risk review",
    "Design critique",
    "Onboarding",
    "Pricing workshop",
    "Contract review",
    "Capacity plan",
    "Customer visit",
    "Data review",
    "Offsite plan",
    "Audit preparation",
    "Migration plan",
    "Support review",
    "Security review",
]
COLOURS = [
    "Amber",
    "Black",
    "Blue",
    "Golden",
    "Grey",
    "Green",
    "Red",
    "Rosy",
    "Silver",
    "Tawny",
    "Violet",
    "White",
]
BIRDS = [
    "Heron",
    "Kestrel",
    "Plover",
    "Finch",
    "Lark",
    "Osprey",
    "Petrel",
    "Robin",
    "Siskin",
    "Stork",
    "Tern",
    "Wren",
]
"""Private meetings go by a project's cover name, each by its own."""
VISITOR_LIMIT = 9
NOTICE_UNTIL = "2026-03-20T08:00"
"""Guests are registered two days before: what begins earlier is too late by now."""
KEPT_FREE = [("2026-03-31", 14), ("2026-04-01", 11), ("2026-04-02", 10), ("2026-04-03", 10)]
"""Local hours that only series may fill: there the intents move and create meetings."""


@dataclass(frozen=True)
class Shape:
    """What tells one organisation from another."""

    seed: int
    about: dict[str, str]
    mail: str
    """Where its addresses end."""
    offices: list[Office]
    team: int
    """How many people a team has in each office."""
    singles: int
    """Meetings of an office that belong to no series, about."""
    absences: int
    """Days off to come."""


COMPANY = Shape(
    seed=20260318,
    about={
        "notes": "Printed by company.py beside it: change that, not this.",
        "title": "A company with six offices",
    },
    mail="northwind.example",
    offices=OFFICES,
    team=5,
    singles=72,
    absences=24,
)


class Company:
    """The rows made so far, and who and what is taken when."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.random = random.Random(shape.seed)  # noqa: S311 (made-up data, no secrets)
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.taken: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.people: dict[str, Row] = {}
        self.covers = [f"Project {colour} {bird}" for bird in BIRDS for colour in COLOURS]
        self.random.shuffle(self.covers)

    def add(self, table: str, row: Row) -> Row:
        self.tables[table].append(row)
        return row

    def number(self, table: str, prefix: str) -> str:
        return f"{prefix}{len(self.tables[table]) + 1:03}"

    def of_office(self, office_id: str) -> list[Row]:
        return [p for p in self.people.values() if p["office_id"] == office_id]

    def holidays(self, office: Row) -> set[str]:
        rows = [h for h in self.tables["holidays"] if h["country"] == office["country"]]
        return {h["date"] for h in rows if h["office_id"] in (None, office["office_id"])}

    def free(self, key: str, start: str, end: str) -> bool:
        return not any(first < end and start < last for first, last in self.taken[key])


def utc(day: date, wall: str, tz: str) -> datetime:
    """The instant at which clocks in `tz` show `wall` on `day`."""
    local = datetime.fromisoformat(f"{day.isoformat()}T{wall}").replace(tzinfo=ZoneInfo(tz))
    return local.astimezone(UTC)


def add_offices(company: Company) -> None:
    for office_id, city, country, tz, _ in company.shape.offices:
        row: Row = {
            "office_id": office_id,
            "name": f"{city} office",
            "city": city,
            "country": country,
            "tz": tz,
            "visitor_limit": VISITOR_LIMIT,
        }
        company.add("offices", row)
    present = {office["country"] for office in company.tables["offices"]}
    for day, name, countries, office in HOLIDAYS:
        for country in [c for c in countries.split() if c in present]:
            key = f"H-{country}-{day}"
            day_off: Row = {
                "holiday_id": key,
                "name": name,
                "date": day,
                "country": country,
                "office_id": office,
            }
            company.add("holidays", day_off)


def add_rooms(company: Company) -> None:
    for office_id, _, _, _, names in company.shape.offices:
        kinds: list[tuple[str, int, list[str], str | None]] = [
            (names[0], 8, [], None),
            (f"{names[0]} 2", 4, [], None),
            (names[1], 4, [], None),
            (f"{names[1]} 2", 12, [], None),
            (names[2], 14, [], "2026-04-20"),
            (names[3], 10, ["Finance"], None),
            (f"{names[3]} Lab", 12, ["Engineering", "Product"], None),
        ]
        if office_id not in SMALL:
            kinds.append((names[4], 30, [], None))
        for name, capacity, teams, closed in kinds:
            equipment = ["screen", "video"] if capacity > 4 else ["whiteboard"]
            company.add(
                "rooms",
                {
                    "room_id": company.number("rooms", "R"),
                    "name": name,
                    "office_id": office_id,
                    "capacity": capacity,
                    "equipment": equipment + (["stage"] if capacity >= 20 else []),
                    "teams": teams,
                    "closed_until": closed,
                    "custodian_id": None,
                },
            )


def names_for(company: Company, count: int) -> list[str]:
    whole = [f"{given} {family}" for given in GIVEN for family in FAMILY]
    company.random.shuffle(whole)
    names = whole[: count - 2 * len(NAMESAKES)]
    for position, name in enumerate(NAMESAKES):
        names.insert(7 + 11 * position, name)
        names.insert(52 + 12 * position, name)
    return names


def address(name: str, domain: str, taken: set[str]) -> str:
    stem = name.lower().replace(" ", ".")
    tries = [f"{stem}@{domain}", f"{stem}2@{domain}"]
    found = next(mail for mail in tries if mail not in taken)
    taken.add(found)
    return found


def add_people(company: Company) -> None:
    size, offices = company.shape.team, company.shape.offices
    names = names_for(company, len(offices) * len(TEAMS) * size)
    mails: set[str] = set()
    for office_id, _, _, tz, _ in offices:
        for team in TEAMS:
            lead = f"P{len(company.people) + 1:03}"
            for place in range(size):
                add_person(company, names.pop(0), mails, (office_id, tz, team, lead, place))


def add_person(
    company: Company, name: str, mails: set[str], where: tuple[str, str, str, str, int]
) -> None:
    office_id, tz, team, lead, place = where
    key = f"P{len(company.people) + 1:03}"
    start, end = HOURS.get(office_id, ("09:00", "17:30"))
    early = place == 3
    delegates = {0: [f"P{len(company.people) + 2:03}"], 2: [f"P{len(company.people) + 3:03}"]}
    company.people[key] = company.add(
        "people",
        {
            "person_id": key,
            "name": name,
            "email": address(name, company.shape.mail, mails),
            "role": ROLES[min(place, len(ROLES) - 1)],
            "team": team,
            "office_id": office_id,
            "tz": tz,
            "work_start": "08:00" if early else start,
            "work_end": "16:00" if early else end,
            "work_days": [1, 2, 3, 4] if place == 4 else [1, 2, 3, 4, 5],
            "manager_id": (None if key == "P001" else "P001") if place == 0 else lead,
            "delegate_ids": delegates.get(place, []),
            "delegate_rights": "read" if place == 2 else "manage",
        },
    )


def add_absences(company: Company) -> None:
    for person in company.random.sample(sorted(company.people), company.shape.absences):
        first = FIRST_DAY + timedelta(days=company.random.randrange(5, 60))
        row = {
            "absence_id": company.number("absences", "A"),
            "person_id": person,
            "first_day": first.isoformat(),
            "last_day": (first + timedelta(days=company.random.randrange(0, 6))).isoformat(),
            "kind": company.random.choice(["vacation", "travel", "sick", "vacation"]),
            "entered_by": person,
        }
        company.add("absences", row)


def add_meeting(
    company: Company, people: list[str], start: datetime, minutes: int, **rest: Any
) -> Row:
    """A meeting that the first of `people` organizes; who answers how is drawn."""
    answers = ["accepted", "accepted", "accepted", "needs_action", "tentative", "declined"]
    end = start + timedelta(minutes=minutes)
    others = [{"person_id": key, "response": company.random.choice(answers)} for key in people[1:]]
    row: Row = {
        "meeting_id": company.number("meetings", "M"),
        "title": "",
        "organizer_id": people[0],
        "attendees": [{"person_id": people[0], "response": "accepted"}, *others],
        "room_id": None,
        "start": start.isoformat(),
        "end": end.isoformat(),
        "status": "scheduled",
        "series_id": None,
        "exception": False,
        "visibility": "normal",
        "cancel_reason": "",
    }
    row.update(rest)
    if row["status"] == "scheduled":
        for key in [*people, *([row["room_id"]] if row["room_id"] else [])]:
            company.taken[key].append((row["start"], row["end"]))
    return company.add("meetings", row)


def add_series(company: Company, title: str, people: list[str], weekday: int, time: str) -> None:
    organizer = company.people[people[0]]
    series = {
        "series_id": company.number("series", "S"),
        "title": title,
        "organizer_id": people[0],
        "weekday": weekday,
        "time": time,
        "tz": organizer["tz"],
        "minutes": 30,
        "until": None,
    }
    company.add("series", series)
    office = next(o for o in company.tables["offices"] if o["office_id"] == organizer["office_id"])
    days = [SERIES_FROM + timedelta(days=n) for n in range((SERIES_UNTIL - SERIES_FROM).days)]
    for day in [d for d in days if d.isoweekday() == weekday]:
        if day.isoformat() not in company.holidays(office):
            add_occurrence(company, series, people, day)


def add_occurrence(company: Company, series: Row, people: list[str], day: date) -> None:
    rest: Row = {"title": series["title"], "series_id": series["series_id"]}
    drawn = company.random.random()
    time = series["time"]
    if drawn < 0.1:
        rest.update(status="cancelled", cancel_reason="Too few of us are in")
    elif drawn < 0.25:
        rest.update(exception=True)
        time = "16:00"
    start = utc(day, time, series["tz"])
    if all(
        company.free(key, start.isoformat(), (start + timedelta(minutes=30)).isoformat())
        for key in people
    ):
        add_meeting(company, people, start, series["minutes"], **rest)


def add_all_series(company: Company) -> None:
    for office_id, city, *_ in company.shape.offices:
        for number, team in enumerate(TEAMS):
            members = [p["person_id"] for p in company.of_office(office_id) if p["team"] == team]
            add_series(company, f"{team} weekly {city}", members[:4], 1 + number, "11:30")
    for number, team in enumerate(TEAMS):
        leads = [
            p["person_id"]
            for p in company.people.values()
            if p["team"] == team and p["role"] == "Lead"
        ]
        for turn in range(2):
            organizer = leads.pop((number + 2 * turn) % len(leads))
            others = [
                key for key in leads if company.people[key]["tz"] != company.people[organizer]["tz"]
            ][:2]
            title = f"{team} leads {company.people[organizer]['office_id']}"
            add_series(company, title, [organizer, *others], 2 + (number + turn) % 3, "10:00")


def open_slot(company: Company, keys: list[str], office: Row, minutes: int) -> datetime | None:
    """A start on the half hour at which everybody and the room are free; None when luck fails."""
    span = (LAST_DAY - FIRST_DAY).days + 1
    for _ in range(60):
        day = FIRST_DAY + timedelta(days=company.random.randrange(span))
        hour, half = company.random.randrange(10, 16), company.random.choice(["00", "30"])
        kept = any(day.isoformat() == kept and hour in (at - 1, at) for kept, at in KEPT_FREE)
        if day.isoweekday() > 5 or kept or day.isoformat() in company.holidays(office):
            continue
        start = utc(day, f"{hour:02}:{half}", office["tz"])
        end = (start + timedelta(minutes=minutes)).isoformat()
        if all(company.free(key, start.isoformat(), end) for key in keys):
            return start
    return None


def rooms_for(company: Company, office_id: str, people: int, team: str) -> list[Row]:
    rooms = [r for r in company.tables["rooms"] if r["office_id"] == office_id]
    fitting = [r for r in rooms if r["capacity"] >= people and not r["closed_until"]]
    return [r for r in fitting if not r["teams"] or team in r["teams"]]


def add_single(company: Company, office: Row, *, full: bool, clash: bool) -> None:
    """One meeting of a few people of an office; `full` fills its room, `clash` takes a busy attendee along."""
    people = [p["person_id"] for p in company.of_office(office["office_id"])]
    chosen = company.random.sample(people, 4 if full else company.random.randrange(2, 6))
    team = company.people[chosen[0]]["team"]
    rooms = rooms_for(company, office["office_id"], len(chosen), team)
    room = company.random.choice([r for r in rooms if r["capacity"] == 4] if full else rooms)
    room_id = room["room_id"] if full or company.random.random() < 0.5 else None
    minutes = company.random.choice([30, 30, 60, 90]) if not full else 60
    watched = [*(chosen[:1] if clash else chosen), *([room_id] if room_id else [])]
    start = open_slot(company, watched, office, minutes)
    if start is None:
        return
    private = not full and company.random.random() < 0.2
    row = add_meeting(
        company,
        chosen,
        start,
        minutes,
        title=company.covers.pop() if private else fresh_title(company, chosen),
        room_id=room_id,
        visibility="private" if private else "normal",
    )
    if full:
        row["attendees"] = [{**a, "response": "accepted"} for a in row["attendees"]]
    elif company.random.random() < 0.06:
        row.update(status="cancelled", cancel_reason="No longer needed")


def fresh_title(company: Company, people: list[str]) -> str:
    """A title that none of these people has in the calendar yet."""
    used = {
        m["title"]
        for m in company.tables["meetings"]
        if any(a["person_id"] in people for a in m["attendees"])
    }
    left = [title for title in TITLES if title not in used]
    return company.random.choice(left or [f"Follow-up {len(company.tables['meetings'])}"])


def ahead(company: Company, office_id: str) -> list[Row]:
    """The office's scheduled meetings that stand alone, are open to see, and are more than two days away."""
    organizers = {p["person_id"] for p in company.of_office(office_id)}
    return [
        m
        for m in company.tables["meetings"]
        if m["organizer_id"] in organizers
        and (m["series_id"], m["status"], m["visibility"]) == (None, "scheduled", "normal")
        and m["start"] > NOTICE_UNTIL
        and len(m["attendees"]) <= 5
    ]


def add_suite(company: Company, office_id: str, name: str) -> None:
    """A room with a custodian: one meeting has it, two ask for it at one time, others ask or were declined."""
    lead = next(
        p for p in company.of_office(office_id) if (p["team"], p["role"]) == ("Facilities", "Lead")
    )
    room = {
        "room_id": company.number("rooms", "R"),
        "name": f"{name} Suite",
        "office_id": office_id,
        "capacity": 6,
        "equipment": ["screen", "video"],
        "teams": [],
        "closed_until": None,
        "custodian_id": lead["person_id"],
    }
    company.add("rooms", room)
    meetings = ahead(company, office_id)
    first, second = next(
        (one, other)
        for one in meetings
        for other in meetings
        if one["meeting_id"] < other["meeting_id"]
        and one["organizer_id"] != other["organizer_id"]
        and one["start"] < other["end"]
        and other["start"] < one["end"]
    )
    taken = (first["start"][:10], second["start"][:10])
    rest = [m for m in meetings if m["start"][:10] not in taken]
    company.random.shuffle(rest)
    holder = next(m for m in rest if m["room_id"] is None)
    holder["room_id"] = room["room_id"]
    rest = [m for m in rest if m["start"][:10] != holder["start"][:10]]
    later, earlier = sorted(company.random.sample(range(9, 17), 2), reverse=True)
    add_request(company, holder, room, 6, "approved")
    add_request(company, first, room, later, "asked")
    add_request(company, second, room, earlier, "asked")
    add_request(company, rest[0], room, 12, "asked")
    add_request(company, rest[1], room, 11, "declined")


def add_request(company: Company, meeting: Row, room: Row, day: int, status: str) -> None:
    row = {
        "request_id": company.number("requests", "Q"),
        "meeting_id": meeting["meeting_id"],
        "room_id": room["room_id"],
        "asked_by": meeting["organizer_id"],
        "asked_at": f"2026-03-{day:02}T10:{len(company.tables['requests']) % 60:02}:00+00:00",
        "status": status,
        "answered_by": None if status == "asked" else room["custodian_id"],
        "note": "Kept for the board that day" if status == "declined" else "",
    }
    company.add("requests", row)


def add_visits(company: Company, office: Row) -> None:
    """Guests of some meetings; two days on which hardly anybody else may come."""
    rooms = {r["room_id"] for r in company.tables["rooms"] if r["office_id"] == office["office_id"]}
    hosting = [m for m in ahead(company, office["office_id"]) if m["room_id"] in rooms]
    days: dict[str, list[Row]] = defaultdict(list)
    for meeting in hosting:
        local = datetime.fromisoformat(meeting["start"]).astimezone(ZoneInfo(office["tz"]))
        days[local.date().isoformat()].append(meeting)
    busy = [day for day in sorted(days) if len(days[day]) > 1][:2]
    for day, meetings in sorted(days.items()):
        if day in busy:
            add_visit(company, office, day, meetings[0], VISITOR_LIMIT - 2)
        elif len(meetings) > 1:
            add_visit(company, office, day, meetings[0], company.random.randrange(1, 4))
        elif company.random.random() < 0.3:
            add_visit(company, office, day, meetings[0], 2, "withdrawn")


def add_visit(
    company: Company, office: Row, day: str, meeting: Row, guests: int, status: str = "expected"
) -> None:
    names = [
        f"{company.random.choice(GIVEN)} {company.random.choice(FAMILY)}" for _ in range(guests)
    ]
    row = {
        "visit_id": company.number("visits", "V"),
        "meeting_id": meeting["meeting_id"],
        "host_id": meeting["organizer_id"],
        "office_id": office["office_id"],
        "day": day,
        "guests": names,
        "status": status,
    }
    company.add("visits", row)


def build(shape: Shape) -> Company:
    """A whole organisation; `document` is its file."""
    company = Company(shape)
    add_offices(company)
    add_rooms(company)
    add_people(company)
    add_absences(company)
    add_all_series(company)
    for office in company.tables["offices"]:
        for turn in range(shape.singles):
            add_single(company, office, full=turn % 12 == 0, clash=turn % 4 == 1)
    for office_id, _, _, _, names in shape.offices:
        add_suite(company, office_id, names[0])
    for office in company.tables["offices"]:
        add_visits(company, office)
    return company


def document(company: Company) -> Row:
    """The records set as plain JSON."""
    tables = dict(company.tables)
    return {"about": company.shape.about, "clock": {"now": NOW}, "tables": tables}


def main() -> None:
    """Print the file."""
    json.dump(document(build(COMPANY)), sys.stdout)


if __name__ == "__main__":
    main()
