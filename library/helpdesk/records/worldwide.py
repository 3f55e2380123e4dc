"""Print the records set beside this file: some five thousand rows, the same at every run.

python library/helpdesk/records/worldwide.py > library/helpdesk/records/worldwide.json
python manage.py library format library --domain helpdesk
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]

NOW = datetime(2026, 4, 2, 13, 20, tzinfo=UTC)
WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
OFFICES: dict[str, tuple[str, str, str, list[str]]] = {
    "London": ("Europe/London", "09:00", "17:30", ["2026-04-03", "2026-04-06", "2026-05-04"]),
    "New York": ("America/New_York", "08:30", "17:30", ["2026-02-16", "2026-05-25"]),
    "Bengaluru": ("Asia/Kolkata", "09:30", "18:30", ["2026-03-19", "2026-04-03", "2026-04-14"]),
    "São Paulo": ("America/Sao_Paulo", "09:00", "18:00", ["2026-02-17", "2026-04-03"]),
    "Berlin": ("Europe/Berlin", "08:00", "18:00", ["2026-04-03", "2026-04-06", "2026-05-01"]),
}
SLA = [
    ("low", 480, 2400, None),
    ("normal", 240, 960, None),
    ("high", 60, 480, None),
    ("urgent", 15, 240, "C9"),
]
GIVEN = [
    "Ada", "Ben", "Carla", "Dev", "Elif", "Femi", "Gita", "Hugo", "Ines", "Jonas", "Keiko", "Liam", "Mona",
    "Nils", "Olga", "Pavel", "Rosa", "Sana", "Tariq", "Uma",
]  # fmt: skip
FAMILY = [
    "Abreu", "Bauer", "Costa", "Dutta", "Ekwe", "Fischer", "Ghosh", "Hansen", "Ito", "Jensen", "Kovac",
    "Lopez", "Mbeki", "Novak", "Okoro", "Patel", "Quinn", "Rao", "Schmidt", "Tanaka", "Usman", "Vogel",
]  # fmt: skip
NAMESAKES = ["Alex Kim", "Maria Silva", "Priya Nair", "Tom Becker", "Sam Lee"]
THINGS = {
    "hardware": [
        "Laptop", "Dock", "Monitor", "Headset", "Keyboard", "Phone", "Webcam", "Label printer", "Scanner", "Tablet",
    ],
    "software": [
        "Spreadsheet", "Calendar", "Mail client", "Payroll view", "Route planner", "Browser", "Chat", "Invoice form",
    ],
    "network": ["VPN", "Wi-Fi", "File share", "Video call", "Remote desktop"],
}  # fmt: skip
TROUBLES = [
    "does not start", "stops at noon", "is very slow", "shows an error", "flickers", "loses its settings",
    "asks for a licence", "freezes after lunch", "forgets who I am", "makes no sound", "cannot be opened",
    "drops every hour",
]  # fmt: skip
GROUPS = [
    ("Ledger Reports", False, None),
    ("Ledger Reporting", True, None),
    ("Freight Planner", False, 90),
    ("Freight Planning", False, None),
    ("Customs Desk", True, None),
    ("Customs Desks", False, None),
]
ASKED = "Please send us the serial number from the sticker on the back."
SAID = ["We are looking into it.", "We have seen this elsewhere.", "A colleague will call you."]
NOTED = ["The vendor admits a fault.", "Finance disputes the bill.", "Waits for a spare part."]


@dataclass(frozen=True)
class Plan:
    """How large a company to make."""

    seed: int
    cities: tuple[str, ...]
    requesters: int
    agents: int
    """Of each service desk."""
    backlog: int
    """Tickets of each service desk that are over."""
    going: int
    """Tickets of each service desk that are not."""
    changes: int
    """Rows of history in all."""
    title: str
    notes: str


WORLDWIDE = Plan(
    seed=20260402,
    cities=tuple(OFFICES),
    requesters=38,
    agents=6,
    backlog=52,
    going=14,
    changes=3400,
    title="A company with five offices",
    notes="Printed by worldwide.py beside it: change that, not this.",
)


def utc(day: date, wall: time, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, wall, zone).astimezone(UTC)


def stamp(moment: datetime) -> str:
    return moment.isoformat()


class Hours:
    """A calendar of business hours."""

    def __init__(self, row: Row) -> None:
        self.row, self.zone = row, ZoneInfo(row["tz"])
        self.always = row["closes"] == "24:00"

    def windows(self, start: datetime) -> Iterator[tuple[datetime, datetime]]:
        day = start.astimezone(self.zone).date()
        opens = time.fromisoformat(self.row["opens"])
        closes = time.fromisoformat(self.row["closes"])
        while True:
            if (
                WEEK[day.weekday()] in self.row["days"]
                and day.isoformat() not in self.row["holidays"]
            ):
                begins, ends = max(start, utc(day, opens, self.zone)), utc(day, closes, self.zone)
                if begins < ends:
                    yield begins, ends
            day += timedelta(days=1)

    def after(self, start: datetime, minutes: int) -> datetime:
        left = timedelta(minutes=minutes)
        if self.always:
            return start + left
        for begins, ends in self.windows(start):
            if left <= ends - begins:
                return begins + left
            left -= ends - begins
        raise AssertionError("calendars do not end")

    def opening(self, day: date, minute: int) -> datetime:
        """So many minutes after the opening of that day, or of the first working day after it."""
        begins = utc(day, time(), self.zone)
        first, _ = next(self.windows(begins))
        return first + timedelta(minutes=minute)


class Company:
    """The rows made so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.random = random.Random(plan.seed)  # noqa: S311 (made-up data, no secrets)
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.hours: dict[str, Hours] = {}
        self.rows: dict[str, Row] = {}
        self.subjects = self._subjects()
        names = [f"{given} {family}" for given in GIVEN for family in FAMILY]
        self.random.shuffle(names)
        self.names = names
        self.mails: set[str] = set()
        self.number = 1000

    def _subjects(self) -> dict[str, list[str]]:
        found = {}
        for category, things in THINGS.items():
            texts = [f"{thing} {trouble}" for thing in things for trouble in TROUBLES]
            self.random.shuffle(texts)
            found[category] = texts
        return found

    def add(self, table: str, key: str, **fields: Any) -> Row:
        self.tables[table].append(fields)
        self.rows[fields[key]] = fields
        return fields

    def key(self, table: str, prefix: str, start: int = 1) -> str:
        return f"{prefix}{len(self.tables[table]) + start}"

    def pick(self, rows: list[Any]) -> Any:
        return self.random.choice(rows)

    def mail(self, name: str) -> str:
        stem = name.lower().replace(" ", ".")
        tries = [f"{stem}{extra}@corvane.example" for extra in ["", "2", "3", "4", "5", "6"]]
        found = next(each for each in tries if each not in self.mails)
        self.mails.add(found)
        return found

    def person(
        self, name: str, role: str, team: str, tz: str, manager: str | None, **more: Any
    ) -> Row:
        fields: Row = {"vip": False, "shift_id": None, "away": False, **more}
        return self.add(
            "people",
            "person_id",
            person_id=self.key("people", "P", 101),
            name=name,
            email=self.mail(name),
            role=role,
            team=team,
            tz=tz,
            manager_id=manager,
            **fields,
        )


def add_calendars(company: Company) -> None:
    for number, city in enumerate(OFFICES, start=1):
        tz, opens, closes, holidays = OFFICES[city]
        row: Row = {
            "tz": tz,
            "opens": opens,
            "closes": closes,
            "days": WEEK[:5],
            "holidays": holidays,
        }
        company.add(
            "calendars", "calendar_id", calendar_id=f"C{number}", name=f"{city} hours", **row
        )
        company.hours[f"C{number}"] = Hours(row)
        for name, starts, ends in [
            ("day", opens, closes),
            ("early", "06:00", "14:00"),
            ("late", "13:00", "21:00"),
        ]:
            company.add(
                "shifts",
                "shift_id",
                shift_id=f"S{number}{name[0]}",
                name=f"{city} {name}",
                tz=tz,
                starts=starts,
                ends=ends,
                days=WEEK[:5],
            )
    always: Row = {"tz": "UTC", "opens": "00:00", "closes": "24:00", "days": WEEK, "holidays": []}
    company.add("calendars", "calendar_id", calendar_id="C9", name="Around the clock", **always)
    company.hours["C9"] = Hours(always)
    for priority, respond, resolve, own in SLA:
        company.add(
            "sla",
            "priority",
            priority=priority,
            respond_minutes=respond,
            resolve_minutes=resolve,
            calendar_id=own,
        )


def add_desk(company: Company, name: str, calendar: str, size: int, **more: Any) -> Row:
    """A queue with a lead and members on different shifts, of whom the last is away."""
    tz = company.rows[calendar]["tz"]
    shift = "1" if calendar == "C9" else calendar[1:]
    place = "Europe/London" if calendar == "C9" else tz
    boss = company.tables["people"][0]["person_id"]
    lead = company.person(company.names.pop(), "lead", "IT", place, boss, shift_id=f"S{shift}d")
    members = []
    for number in range(size):
        kind = "dddele"[number % 6]
        person = company.person(
            company.names.pop(),
            "agent",
            "IT",
            place,
            lead["person_id"],
            shift_id=f"S{shift}{kind}",
            away=size > 3 and number == size - 1,
        )
        members.append(person["person_id"])
    return company.add(
        "queues",
        "queue_id",
        queue_id=company.key("queues", "Q"),
        name=name,
        calendar_id=calendar,
        lead_id=lead["person_id"],
        member_ids=members,
        **more,
    )


def add_queues(company: Company) -> list[Row]:
    """The shared queues first; the service desks are returned."""
    company.person("Grace Obi", "manager", "IT", "Europe/London", None, shift_id="S1d")
    add_desk(company, "Infrastructure", "C2", 3, escalates_to=None, handles=["network"])
    add_desk(company, "Workplace Engineering", "C5", 3, escalates_to="Q1", handles=[])
    add_desk(company, "Security", "C9", 2, escalates_to=None, handles=["security"])
    numbers = {city: f"C{number}" for number, city in enumerate(OFFICES, start=1)}
    return [
        add_desk(
            company,
            f"Service Desk {city}",
            numbers[city],
            company.plan.agents,
            escalates_to="Q2",
            handles=["hardware", "software", "account", "access"],
        )
        for city in company.plan.cities
    ]


def add_requesters(company: Company) -> dict[str, list[Row]]:
    """Each office's people: a VIP, a head, and those who report to the head; five names are there twice."""
    found: dict[str, list[Row]] = {}
    for at, city in enumerate(company.plan.cities):
        tz = OFFICES[city][0]
        chief = company.person(company.names.pop(), "requester", "Board", tz, None, vip=True)
        head = company.person(company.names.pop(), "requester", "Finance", tz, chief["person_id"])
        rows = [chief, head]
        for number in range(company.plan.requesters):
            name = NAMESAKES[(number // 6 + at) % 5] if number % 6 < 2 and number < 12 else ""
            team = ["Finance", "Sales", "Logistics"][number % 3]
            boss = head["person_id"] if number % 4 else chief["person_id"]
            rows.append(company.person(name or company.names.pop(), "requester", team, tz, boss))
        found[city] = rows
    return found


def add_accounts(company: Company, people: dict[str, list[Row]]) -> None:
    owners = [rows[1]["person_id"] for rows in people.values()]
    for number, (name, privileged, seats) in enumerate(GROUPS, start=1):
        company.add(
            "groups",
            "group_id",
            group_id=f"G{number}",
            name=name,
            owner_id=owners[number % len(owners)],
            privileged=privileged,
            seats=seats,
        )
    for person in [each for rows in people.values() for each in rows]:
        company.add(
            "accounts",
            "account_id",
            account_id=company.key("accounts", "A"),
            person_id=person["person_id"],
            username=person["email"].split("@")[0].replace(".", ""),
            status="active",
            lock_reason=None,
            locked_at=None,
            second_factor=company.pick(["app", "app", "key"]),
            groups=company.random.sample(["G3", "G4"], company.random.randrange(2)),
        )
        company.add(
            "assets",
            "asset_id",
            asset_id=company.key("assets", "LT-", 2000),
            model=company.pick(["Latitude 7440", "ThinkPad T14", "MacBook Air"]),
            owner_id=person["person_id"],
        )


def add_macros(company: Company, desks: list[Row]) -> None:
    for queue in desks:
        city = queue["name"].removeprefix("Service Desk ")
        for name, status, tag, text in [
            (f"Serial number, {city}", "pending", "serial-asked", ASKED),
            (f"Loan device, {city}", "on_hold", "loan", "A loan device is on its way to you."),
        ]:
            company.add(
                "macros",
                "macro_id",
                macro_id=company.key("macros", "M"),
                name=name,
                queue_id=queue["queue_id"],
                sets_status=status,
                adds_tag=tag,
                comment=text,
            )
    company.add(
        "macros",
        "macro_id",
        macro_id=company.key("macros", "M"),
        name="Vendor informed",
        queue_id=None,
        sets_status="on_hold",
        adds_tag="vendor",
        comment="We have asked the vendor and come back to you.",
    )


# Tickets


def ticket(company: Company, queue: Row, requester: Row, created: datetime, **more: Any) -> Row:
    """A ticket of that queue, due as its priority promises."""
    company.number += 1
    row: Row = {
        "ticket_id": f"T{company.number}",
        "kind": "incident",
        "category": "hardware",
        "priority": "normal",
        "status": "open",
        "requester_id": requester["person_id"],
        "queue_id": queue["queue_id"],
        "assignee_id": None,
        "level": 1,
        "asset_id": None,
        "created": stamp(created),
        "responded": None,
        "stopped": None,
        "paused_minutes": 0,
        "solved": None,
        "reopens": 0,
        "problem_id": None,
        "merged_into": None,
        "follows": None,
        "tags": [],
        **more,
    }
    if "subject" not in row:
        row["subject"] = company.subjects[row["category"]].pop()
        company.subjects[row["category"]].insert(0, row["subject"])
    promise = company.rows[row["priority"]]
    hours = company.hours[promise["calendar_id"] or queue["calendar_id"]]
    row["respond_due"] = stamp(hours.after(created, promise["respond_minutes"]))
    row["resolve_due"] = stamp(
        hours.after(created, promise["resolve_minutes"] + row["paused_minutes"])
    )
    return company.add("tickets", "ticket_id", **row)


def comment(
    company: Company, row: Row, author: str, at: datetime, body: str, *, public: bool = True
) -> None:
    company.add(
        "comments",
        "comment_id",
        comment_id=company.key("comments", "K"),
        ticket_id=row["ticket_id"],
        author_id=author,
        public=public,
        body=body,
        at=stamp(at),
    )


def changed(
    company: Company, row: Row, by: str, at: datetime, field: str, old: str, new: str
) -> None:
    company.add(
        "history",
        "change_id",
        change_id=company.key("history", "H"),
        ticket_id=row["ticket_id"],
        at=stamp(at),
        by=by,
        field=field,
        old=old,
        new=new,
    )


def worked(
    company: Company, queue: Row, requester: Row, created: datetime, who: str, **more: Any
) -> Row:
    """A ticket that somebody has answered."""
    answered = created + timedelta(minutes=company.random.randrange(5, 55))
    row = ticket(
        company, queue, requester, created, assignee_id=who, responded=stamp(answered), **more
    )
    comment(company, row, who, answered, company.pick(SAID))
    return row


def moments(company: Company, queue: Row, first: int, last: int) -> datetime:
    """A moment in business hours, between so many days ago."""
    day = NOW.date() - timedelta(days=company.random.randint(last, first))
    hours = company.hours[queue["calendar_id"]]
    return min(hours.opening(day, 5 * company.random.randrange(80)), NOW - timedelta(minutes=75))


def device(company: Company, requester: Row) -> str:
    owner = requester["person_id"]
    return next(str(a["asset_id"]) for a in company.tables["assets"] if a["owner_id"] == owner)


def add_backlog(company: Company, queue: Row, people: list[Row]) -> None:
    """What is over: closed long ago, or solved within the last days."""
    for number in range(company.plan.backlog):
        recent = number % 7 == 0
        created = moments(company, queue, 8, 6) if recent else moments(company, queue, 80, 20)
        requester = people[2 + number % (len(people) - 2)]
        solved = created + timedelta(hours=company.random.randrange(20, 40))
        category = ["hardware", "software", "network"][number % 3]
        row = worked(
            company,
            queue,
            requester,
            created,
            company.pick(queue["member_ids"]),
            category=category,
            priority=company.pick(["low", "normal", "normal", "high"]),
            status="solved" if recent else "closed",
            solved=stamp(min(solved, NOW - timedelta(hours=2))),
            paused_minutes=company.pick([0, 0, 30, 95, 240]),
            asset_id=device(company, requester) if category == "hardware" else None,
        )
        if number % 3 == 0:
            comment(
                company, row, row["assignee_id"], solved - timedelta(minutes=5), "It works again."
            )


def add_going(company: Company, queue: Row, people: list[Row]) -> None:
    """What is worked on. The first member has two open tickets and a pending one, and nobody away has any."""
    agents = queue["member_ids"]
    busy = agents[1:-1] if company.rows[agents[-1]]["away"] else agents[1:]
    for number in range(company.plan.going):
        who = agents[0] if number in (0, 1, 2) else busy[number * number % len(busy)]
        status = ["open", "open", "pending", "open", "open", "on_hold", "pending"][number % 7]
        created = moments(company, queue, 6, 1)
        stopped = stamp(created + timedelta(minutes=company.random.randrange(60, 70)))
        requester = people[2 + (3 * number + 1) % (len(people) - 2)]
        row = worked(
            company,
            queue,
            requester,
            created,
            who,
            category=company.pick(["hardware", "software"]),
            priority=company.pick(["low", "normal", "normal"]),
            status=status,
            stopped=stopped if status in ("pending", "on_hold") else None,
        )
        if number in (3, 4):
            public = number == 3
            text = f"{company.pick(SAID if public else NOTED)} ({row['ticket_id']})"
            at = NOW - timedelta(minutes=company.random.randrange(20, 60))
            comment(
                company, row, company.pick([a for a in busy if a != who]), at, text, public=public
            )


def add_cases(company: Company, queue: Row, people: list[Row]) -> None:
    """What the intents speak of."""
    busy = queue["member_ids"][1:-1]
    who = company.pick(busy)
    some = people[2:]
    early, late = moments(company, queue, 3, 2), moments(company, queue, 1, 0)
    twin = next(p for p in some if sum(q["name"] == p["name"] for q in some) > 1)
    other = next(p for p in some if p["name"] == twin["name"] and p is not twin)
    for requester in [twin, other]:
        subject = f"{company.subjects['software'][0]} for me"
        ticket(company, queue, requester, late, status="new", category="software", subject=subject)
        late += timedelta(minutes=5)
    for at in [early, late]:
        subject = f"{company.subjects['hardware'][0]} again"
        ticket(
            company,
            queue,
            some[5],
            at,
            status="new",
            subject=subject,
            asset_id=device(company, some[5]),
        )
    worked(company, queue, people[0], late, who, priority="high")
    for number in (7, 8):
        worked(company, queue, some[number], late, who, priority="high", category="software")
    ticket(company, queue, some[9], late, status="new", category="network")
    ticket(company, queue, some[10], late, status="new", priority="low", kind="request")
    mail = "Strange sign-in mail"
    ticket(company, queue, some[11], late, status="new", category="security", subject=mail)
    worked(company, queue, some[12], at_risk(company, queue), who, category="software")
    add_problems(company, queue, some, who)
    add_access(company, queue, people, who)
    add_locked(company, queue, people, who)


def at_risk(company: Company, queue: Row) -> datetime:
    """When a normal ticket must have come that would be late as a high one and is not late as it is."""
    hours = company.hours[queue["calendar_id"]]
    created = NOW
    while not hours.after(created, 480) < NOW < hours.after(created, 960):
        created -= timedelta(minutes=20)
    return created - timedelta(minutes=20)


def add_problems(company: Company, queue: Row, some: list[Row], who: str) -> None:
    """Incidents with a known problem, with one that is solved, and a problem that has incidents."""
    infrastructure = company.rows["Q1"]
    engineer = company.pick(infrastructure["member_ids"])
    at = NOW - timedelta(hours=20)
    for status in ["open", "solved"]:
        subject = (
            f"{company.subjects['network'].pop()} in {queue['name'].removeprefix('Service Desk ')}"
        )
        ticket(
            company,
            infrastructure,
            company.rows[engineer],
            at - timedelta(days=4),
            kind="problem",
            level=3,
            category="network",
            subject=subject,
            status=status,
            assignee_id=engineer,
            solved=stamp(at) if status == "solved" else None,
        )
        worked(company, queue, some[13], at, who, category="network", subject=subject)
    cause = ticket(
        company,
        infrastructure,
        company.rows[engineer],
        at,
        kind="problem",
        level=3,
        category="network",
        priority="high",
        assignee_id=engineer,
    )
    for number, status in enumerate(
        ["open", "on_hold", "pending", "pending"][: 3 + company.random.randrange(2)]
    ):
        worked(
            company,
            queue,
            some[14 + number],
            at + timedelta(minutes=30),
            who,
            category="network",
            status=status,
            problem_id=cause["ticket_id"],
            stopped=None if status == "open" else stamp(at + timedelta(hours=3)),
        )


def approve(
    company: Company, row: Row, group: str | None, approver: str, status: str, days: int
) -> None:
    decided = NOW - timedelta(days=days, minutes=35)
    company.add(
        "approvals",
        "approval_id",
        approval_id=company.key("approvals", "V"),
        ticket_id=row["ticket_id"],
        for_id=row["requester_id"],
        group_id=group,
        approver_id=approver,
        status=status,
        asked=stamp(decided - timedelta(hours=3)),
        decided=None if status == "pending" else stamp(decided),
    )


def add_access(company: Company, queue: Row, people: list[Row], who: str) -> None:
    """Access requests: approved, approved by the wrong person or for the wrong group, too long ago, not asked yet."""
    some = people[2:]
    at = NOW - timedelta(hours=26)
    for number, case in enumerate(["right", "similar", "old", "colleague", "pending", "unasked"]):
        requester = some[16 + number]
        boss = requester["manager_id"]
        row = worked(
            company,
            queue,
            requester,
            at,
            who,
            kind="request",
            category="access",
            subject="Access to Ledger Reports" if number % 2 == 0 else "Access to Customs Desks",
        )
        group, like = ("G1", "G2") if number % 2 == 0 else ("G6", "G5")
        if case == "right":
            approve(company, row, like, boss, "rejected", 3)
            approve(company, row, group, boss, "approved", 1)
        elif case == "similar":
            approve(company, row, like, boss, "approved", 1)
        elif case == "old":
            approve(company, row, group, boss, "approved", 41)
        elif case == "colleague":
            approve(company, row, group, some[3]["person_id"], "approved", 1)
        elif case == "pending":
            approve(company, row, group, boss, "pending", 0)


def add_locked(company: Company, queue: Row, people: list[Row], who: str) -> None:
    """Accounts that are locked, one of them by Security, and a new phone without codes."""
    some = people[2:]
    accounts = {a["person_id"]: a for a in company.tables["accounts"]}
    for number, why in [(0, "failed_sign_ins"), (22, "security")]:
        locked = NOW - timedelta(minutes=company.random.randrange(61, 140))
        account = accounts[some[number]["person_id"]]
        account.update(status="locked", lock_reason=why, locked_at=stamp(locked))
        worked(
            company,
            queue,
            some[number],
            locked + timedelta(minutes=4),
            who,
            category="account",
            priority="high",
            subject="Account locked",
        )
    row = worked(
        company,
        queue,
        some[6],
        NOW - timedelta(hours=4),
        who,
        kind="request",
        category="account",
        subject="New phone, no codes",
    )
    approve(company, row, None, some[6]["manager_id"], "approved", 0)


# History


def add_history(company: Company) -> None:
    """What was changed on each ticket, in order; those that were changed most have had four priorities."""
    rows = company.tables["tickets"]
    for row in rows:
        if row["assignee_id"]:
            add_changes(company, row)
    number = 0
    olden = [t for t in rows if t["status"] == "closed"]
    while len(company.tables["history"]) < company.plan.changes:
        row = olden[number % len(olden)]
        at = datetime.fromisoformat(row["created"]) + timedelta(
            minutes=200 + 7 * (number // len(olden))
        )
        field = ["status", "status", "level"][number % 3]
        old, new = ("1", "2") if field == "level" else ("open", "on_hold")
        if number // len(olden) % 2:
            old, new = new, old
        changed(company, row, row["assignee_id"], at, field, old, new)
        number += 1


def add_changes(company: Company, row: Row) -> None:
    at = datetime.fromisoformat(row["created"]) + timedelta(minutes=3)
    queue = company.rows[row["queue_id"]]
    changed(company, row, queue["lead_id"], at, "assignee_id", "", row["assignee_id"])
    chain = company.pick([[], [], [], ["low"], ["high", "low"], ["low", "high", "low"]])
    steps = [each for each in chain if each != row["priority"]]
    steps = [each for at, each in enumerate(steps) if at == 0 or steps[at - 1] != each]
    for old, new in pairwise([*steps, row["priority"]]):
        at += timedelta(minutes=company.random.randrange(2, 9))
        changed(
            company,
            row,
            company.pick([*queue["member_ids"], queue["lead_id"]]),
            at,
            "priority",
            old,
            new,
        )
    changed(company, row, row["assignee_id"], at + timedelta(minutes=2), "status", "new", "open")
    if row["status"] != "open":
        later = row["stopped"] or row["solved"] or row["created"]
        by = row["assignee_id"]
        changed(company, row, by, datetime.fromisoformat(later), "status", "open", row["status"])


def build(plan: Plan) -> Row:
    """The records set of a plan."""
    company = Company(plan)
    add_calendars(company)
    desks = add_queues(company)
    people = add_requesters(company)
    add_accounts(company, people)
    add_macros(company, desks)
    for queue, city in zip(desks, plan.cities, strict=True):
        add_backlog(company, queue, people[city])
        add_going(company, queue, people[city])
        add_cases(company, queue, people[city])
    add_history(company)
    return {
        "about": {"notes": plan.notes, "title": plan.title},
        "clock": {"now": stamp(NOW)},
        "tables": dict(company.tables),
    }


if __name__ == "__main__":
    json.dump(build(WORLDWIDE), sys.stdout, ensure_ascii=False)
