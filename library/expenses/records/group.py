"""Print the records sets beside this file; the same at every run.

python library/expenses/records/group.py > library/expenses/records/group.json
python library/expenses/records/group.py sites > library/expenses/records/sites.json
python manage.py library format library --domain expenses
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

Row = dict[str, Any]

TODAY = date(2026, 10, 14)
CITIES = [
    ("London", "GB", "A"), ("Leeds", "GB", "B"), ("Bristol", "GB", "B"), ("Munich", "DE", "A"),
    ("Kassel", "DE", "B"), ("Warsaw", "PL", "A"), ("Gdynia", "PL", "B"), ("Vienna", "AT", "A"),
    ("Zurich", "CH", "A"), ("Basel", "CH", "B"), ("Boston", "US", "A"), ("Reno", "US", "B"),
    ("Osaka", "JP", "A"), ("Dublin", "IE", "B"),
]  # fmt: skip
ENTITIES = [
    ("UK", "Alder Instruments Ltd", "GB", "GBP"),
    ("DE", "Alder Instruments GmbH", "DE", "EUR"),
    ("PL", "Alder Instruments sp. z o.o.", "PL", "PLN"),
]
BASE = {"GBP": 0.8691, "PLN": 4.2715, "USD": 1.1364, "CHF": 0.9382, "JPY": 168.42}
ABROAD = {
    "GB": "GBP",
    "DE": "EUR",
    "PL": "PLN",
    "AT": "EUR",
    "CH": "CHF",
    "US": "USD",
    "JP": "JPY",
    "IE": "EUR",
}
PER_DIEMS = [
    ("GB", None, 52, 35), ("GB", "London", 66, 44), ("DE", None, 29, 14), ("DE", "Munich", 36, 21),
    ("PL", None, 34, 23), ("AT", None, 51, 34), ("CH", None, 64, 43), ("CH", "Basel", 68, 45),
    ("US", None, 59, 40), ("US", "Boston", 63, 42), ("JP", "Osaka", 58, 39), ("JP", None, 52, 35), ("IE", None, 58, 39),
]  # fmt: skip
LIMITS = {
    "hotel-1-A": 160, "hotel-1-B": 120, "hotel-2-A": 190, "hotel-2-B": 150, "hotel-3-A": 240, "hotel-3-B": 190,
    "meal-1": 35, "meal-2": 45, "meal-3": 60, "gift": 50, "no-receipt": 30, "owner-step": 1000, "finance-step": 5000,
}  # fmt: skip
MILEAGE = [("GB", 0.52, 3000, 0.29), ("DE", 0.38, 2500, 0.30), ("PL", 1.15, 2000, 0.89)]
GIVEN = (
    "Ada Ben Carla Dev Elif Femi Gita Hugo Ines Jonas Keiko Lena Marek Nadia Oskar Paula Quentin"
    " Rosa Stefan Tara Uri Vera Wanda Xenia Yusuf Zofia Anton Beata Cyril Dora"
)
FAMILY = (
    "Abbott Brandt Czarny Dahl Egan Fuchs Gaines Hauser Irving Jansen Kowal Lorenz Maas Nowak Orban"
    " Pohl Quist Rhodes Sauer Tanner Ulrich Voss Wolny Xavier Young Zeller"
)
VENDORS = {
    "hotel": "Harbour Inn|Isar Hof|Limmat Lodge|Pension Wieden|Hotel Bristol|Station House|Old Mill Rooms",
    "meal": "Quay Kitchen|Lune Bistro|Pier Deli|Gasthof Krone|Bar Mleczny|Noodle House|Corner Table|Trattoria Nona",
    "transport": "City Cabs|Funk Taxi|Northern Rail|Bahn|Intercity PL|Airport Express|Metro Line|Taxi Huber",
    "other": "Grafik Depot|Bootmaster|Stand Builders|Penhaligon Books|Office Point|Print Works|Cable World",
}
TITLES = (
    "Customer visit|Trade fair|Workshop|Audit|Installation|Training|Supplier meeting|Site survey|"
    "Service call|Planning days|Product launch|Interview day|Team meeting|Repair job|Acceptance test|Road show"
)
TICKETS = "U-Bahn Automat|Tram Kiosk|Toll Gate|Parking Nord|Ferry Desk|Bike Hire"


def days(count: int) -> str:
    """The day so many days before today."""
    return (TODAY - timedelta(days=count)).isoformat()


def fixing(day: str) -> str:
    """The day of the rate: on a week-end the Friday."""
    when = date.fromisoformat(day)
    return (when - timedelta(days=max(0, when.weekday() - 4))).isoformat()


@dataclass
class Company:
    """The rows so far, and what is drawn from."""

    seed: int
    units: int
    """Cost centres of each entity."""
    staff: int
    """Employees of each cost centre, its owner and deputy apart."""
    random: random.Random = field(init=False)
    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    per_eur: dict[str, float] = field(default_factory=dict)
    home: dict[str, str] = field(default_factory=dict)
    titles: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    numbers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)  # noqa: S311  # the same rows at every run

    def add(self, table: str, **row: Any) -> Row:
        """A new row."""
        self.tables[table].append(row)
        return row

    def key(self, table: str, prefix: str) -> str:
        """The next key of a table."""
        return f"{prefix}{len(self.tables[table]) + 1:0{3 if self.staff < 10 else 4}}"

    def convert(self, amount: float, source: str, target: str, day: str) -> float:
        """As the tools convert."""
        if source == target:
            return round(amount, 2)
        return round(amount / self.rate(source, day) * self.rate(target, day), 2)

    def rate(self, currency: str, day: str) -> float:
        """Units of a currency to one euro."""
        return 1.0 if currency == "EUR" else self.per_eur[f"{currency}-{fixing(day)}"]

    def fresh_number(self, prefix: str) -> str:
        """A receipt number that no other receipt has."""
        while True:
            number = f"{prefix}-{self.random.randrange(1000, 99999)}"
            if number not in self.numbers:
                self.numbers.add(number)
                return number

    def fresh_title(self, employee: str) -> str:
        """A title that is no part of another one of the same person."""
        places = [city for city, _, _ in CITIES]
        used = self.titles[employee]
        while True:
            title = f"{self.random.choice(TITLES.split('|'))} {self.random.choice(places)}"
            if title in used:
                title = f"{title} {self.random.choice('ABCDEFGH')}{self.random.randrange(10, 99)}"
            if not any(title in other or other in title for other in used):
                used.add(title)
                return title


def add_rates(company: Company, back: int) -> None:
    """Every working day's reference rates, so many days back: a walk in small steps."""
    value = dict(BASE)
    for count in range(back, -1, -1):
        day = days(count)
        if fixing(day) == day:
            for currency in BASE:
                value[currency] *= 1 + company.random.uniform(-0.004, 0.004)
                digits = 2 if currency == "JPY" else 4
                company.per_eur[f"{currency}-{day}"] = round(value[currency], digits)
    for key, rate in sorted(company.per_eur.items()):
        company.add("rates", rate_id=key, per_eur=rate)


def add_terms(company: Company) -> None:
    """Cities, per-diems of two years, limits, mileage rates, entities and their runs."""
    for name, where, tier in CITIES:
        company.add("cities", city=name, country=where, tier=tier)
    for year, less in [(2025, 2), (2026, 0)]:
        for country, city, full, part in PER_DIEMS:
            share = {"breakfast": 0.2, "lunch": 0.4, "dinner": 0.4}
            off = {meal: round((full - less) * part_of, 2) for meal, part_of in share.items()}
            company.add(
                "per_diems",
                per_diem_id=f"{city or country}-{year}",
                country=country,
                city=city,
                year=year,
                full=full - less,
                part=part - less,
                **off,
            )
    for limit, amount in LIMITS.items():
        company.add("limits", limit_id=limit, amount=amount)
    for country, rate, threshold, above in MILEAGE:
        company.add(
            "mileage_rates",
            mileage_id=f"{country}-2026",
            rate=rate,
            threshold_km=threshold,
            rate_above=above,
        )
    for number, (entity, name, country, currency) in enumerate(ENTITIES):
        company.add("entities", entity_id=entity, name=name, country=country, currency=currency)
        for turn, (cutoff, status) in enumerate(
            [
                (42, "closed"),
                (14, "closed"),
                (number + 1, "open"),
                (-6 - number, "open"),
                (-20, "open"),
            ]
        ):
            pay = 5 if cutoff > 0 or cutoff < -10 else 4
            company.add(
                "runs",
                run_id=f"P{entity}{turn}",
                entity_id=entity,
                cutoff=days(cutoff),
                pay_day=days(cutoff - pay),
                status=status,
            )


def add_people(company: Company) -> None:
    """Each entity with a head and its cost centres; the first cost centre has the finance team and an auditor."""
    names = [f"{given} {family}" for given in GIVEN.split() for family in FAMILY.split()]
    company.random.shuffle(names)
    top: str | None = None
    for entity, *_ in ENTITIES:
        code = f"K{len(company.tables['cost_centres']) + 1:02}"
        head = add_person(company, names.pop(), ("approver", 3), (code, top, entity))
        top = top or head
        for turn in range(company.units):
            add_unit(company, names, head, entity, is_first=turn == 0)


def add_unit(company: Company, names: list[str], head: str, entity: str, *, is_first: bool) -> None:
    """A cost centre with owner, deputy and staff; an Alex Doyle works in the first one of every entity."""
    code = f"K{len(company.tables['cost_centres']) + 1:02}"
    owner = add_person(company, names.pop(), ("approver", 3), (code, head, entity))
    deputy = add_person(company, names.pop(), ("approver", 2), (code, owner, entity))
    for number in range(company.staff):
        name = "Alex Doyle" if is_first and number == 0 else names.pop()
        boss = deputy if number % 3 else owner
        add_person(company, name, ("employee", 1 + number % 2), (code, boss, entity))
    for role in ["finance", "finance", "auditor"] if is_first else []:
        add_person(company, names.pop(), (role, 2), (code, owner, entity))
    company.add(
        "cost_centres",
        cost_centre=code,
        name=f"Unit {code} {entity}",
        entity_id=entity,
        owner_id=owner,
        deputy_id=deputy,
        budget=90000.0 + 5000 * int(code[1:]),
        spent=0.0,
    )


def add_person(
    company: Company, name: str, standing: tuple[str, int], place: tuple[str, str | None, str]
) -> str:
    """Somebody with role and grade, in a cost centre, below a manager, at an entity; gives the key."""
    (role, grade), (centre, manager, entity) = standing, place
    key = company.key("employees", "E")
    taken = sum(e["name"] == name for e in company.tables["employees"])
    mail = f"{name.lower().replace(' ', '.')}{taken + 1 if taken else ''}@alder.example"
    company.add(
        "employees",
        employee_id=key,
        name=name,
        email=mail,
        role=role,
        grade=grade,
        cost_centre=centre,
        manager_id=manager,
        entity_id=entity,
    )
    company.home[key] = next(currency for code, _, _, currency in ENTITIES if code == entity)
    return key


def receipt(
    company: Company,
    who: Row,
    kind: str,
    day: str,
    amount: float,
    currency: str,
    city: str,
    **more: Any,
) -> Row:
    """A photographed bill."""
    vendor = more.pop("vendor", None) or company.random.choice(
        VENDORS[kind if kind in VENDORS else "other"].split("|")
    )
    initials = "".join(word[0] for word in vendor.split())
    amount = float(round(amount)) if currency == "JPY" else round(amount, 2)
    row = {
        "receipt_id": company.key("receipts", "R"),
        "employee_id": who["employee_id"],
        "vendor": vendor,
        "number": more.pop("number", None) or company.fresh_number(initials),
        "day": day,
        "amount": amount,
        "currency": currency,
        "vat": round(amount / 6, 2),
        "city": city,
        "nights": 0,
        **more,
    }
    return company.add("receipts", **row)


def claim(
    company: Company,
    who: Row,
    status: str,
    submitted: int | None,
    items: list[tuple[str, Any]],
    **more: Any,
) -> Row:
    """A claim with its lines: `items` are kind and receipt, or kind and the fields of a line without one."""
    key, home = company.key("claims", "C"), company.home[who["employee_id"]]
    total = 0.0
    for kind, item in items:
        bare = {"day": item["day"], "amount": item["amount"], "currency": item["currency"]}
        line = {
            "line_id": company.key("lines", "L"),
            "claim_id": key,
            "kind": kind,
            **bare,
            "home": company.convert(item["amount"], item["currency"], home, item["day"]),
            "receipt_id": item.get("receipt_id"),
            "trip_id": item.get("trip_id"),
            "km": item.get("km", 0),
            "guests": item.get("guests", []),
            "note": item.get("note", ""),
            "held": "",
        }
        total += line["home"]
        company.add("lines", **line)
    row = {
        "claim_id": key,
        "employee_id": who["employee_id"],
        "title": company.fresh_title(who["employee_id"]),
        "trip_id": None,
        "cost_centre": who["cost_centre"],
        "currency": home,
        "status": status,
        "submitted": None if submitted is None else days(submitted),
        "total": round(total, 2),
        "approvals": [],
        "reason": "",
        "run_id": None,
        "corrects": None,
        **more,
    }
    if status in ("approved", "paid"):
        row["approvals"] = _approvals(company, who, round(total, 2), submitted or 0)
    return company.add("claims", **row)


def _approvals(company: Company, who: Row, total: float, submitted: int) -> list[Row]:
    centre = next(
        c for c in company.tables["cost_centres"] if c["cost_centre"] == who["cost_centre"]
    )
    centre["spent"] = round(centre["spent"] + total, 2)
    day = days(max(0, submitted - 2))
    given = [{"step": "manager", "by": who["manager_id"], "for_id": who["manager_id"], "day": day}]
    if total > LIMITS["owner-step"]:
        by = centre["deputy_id"] if who["manager_id"] == centre["owner_id"] else centre["owner_id"]
        given.append({"step": "owner", "by": by, "for_id": centre["owner_id"], "day": day})
    return given


# What somebody has in hand


@dataclass
class Cast:
    """One employee with what the company knows of them."""

    company: Company
    who: Row

    @property
    def country(self) -> str:
        """Where they are employed."""
        return next(country for code, _, country, _ in ENTITIES if code == self.who["entity_id"])

    @property
    def home(self) -> str:
        """The currency of their claims."""
        return self.company.home[self.who["employee_id"]]

    def bill(self, kind: str, age: int, euros: float, foreign: bool = False, **more: Any) -> Row:
        """A receipt of so many days ago, worth about so many euros."""
        random_ = self.company.random
        places = [c for c in CITIES if (c[1] != self.country) == foreign]
        city, country, _ = random_.choice(places)
        city = more.pop("city", None) or city
        country = next(c[1] for c in CITIES if c[0] == city)
        currency = more.pop("currency", None) or ABROAD[country]
        amount = euros * (1.0 if currency == "EUR" else BASE[currency])
        return receipt(self.company, self.who, kind, days(age), amount, currency, city, **more)

    def euros(self, low: float, high: float) -> float:
        """An amount between two."""
        return self.company.random.uniform(low, high)

    def copy(self, kind: str, other: Row, times: float = 1.0, **more: Any) -> Row:
        """A receipt of theirs from the vendor, day and place of another one."""
        amount = other["amount"] * times
        named = {"vendor": other["vendor"], **more}
        where = (other["currency"], other["city"])
        return receipt(self.company, self.who, kind, other["day"], amount, *where, **named)

    def some_days(self, least: int, below: int) -> int:
        """A number of days."""
        return self.company.random.randrange(least, below)

    def claim(
        self, status: str, submitted: int | None, items: list[tuple[str, Any]], **more: Any
    ) -> Row:
        """A claim of theirs."""
        return claim(self.company, self.who, status, submitted, items, **more)


def draft(cast: Cast) -> None:
    """A draft that is ready to be handed in."""
    age = cast.some_days(5, 40)
    cast.claim("draft", None, [("transport", cast.bill("transport", age, cast.euros(12, 60)))])


def lookalikes(cast: Cast, colleague: Cast) -> None:
    """A taxi that looks like one that a colleague has claimed."""
    theirs = _ride(cast, colleague)
    cast.copy("transport", theirs, number=f"{theirs['number']}-2")


def shared(cast: Cast, colleague: Cast) -> None:
    """A ride that a colleague has claimed, whose bill both photographed."""
    theirs = _ride(cast, colleague)
    cast.copy("transport", theirs, number=theirs["number"])


def _ride(cast: Cast, colleague: Cast) -> Row:
    age = cast.some_days(6, 30)
    theirs = colleague.bill("transport", age, cast.euros(14, 40))
    colleague.claim("submitted", age - 3, [("transport", theirs)])
    return theirs


def evening(cast: Cast, share: float) -> None:
    """Two bills of one restaurant and evening; one is claimed, both together come to a share of the limit."""
    limit = float(LIMITS[f"meal-{cast.who['grade']}"])
    first = cast.bill("meal", cast.some_days(4, 30), limit * share * 0.52)
    cast.claim("draft", None, [("meal", first)])
    cast.copy("meal", first, times=0.92)


def late(cast: Cast, age: int) -> None:
    """A ticket that was never claimed."""
    cast.bill("transport", age, cast.euros(30, 90), foreign=age % 2 == 0)


def weekend(cast: Cast) -> None:
    """A bill of a Saturday or Sunday in another currency."""
    age = cast.company.random.choice([3, 4, 10, 11, 17, 18, 24, 25])
    city = "Basel" if cast.home == "EUR" else "Vienna"
    cast.bill("transport", age, cast.euros(20, 70), foreign=True, city=city)


def lost_ticket(cast: Cast, large: bool) -> None:
    """A card payment without a receipt."""
    amount = cast.euros(45, 70) if large else cast.euros(3, 6 if cast.home == "PLN" else 24)
    day = days(cast.some_days(4, 40))
    currency = "USD" if cast.home == "EUR" else "EUR"
    _payment(cast, day, cast.company.random.choice(TICKETS.split("|")), round(amount, 2), currency)


def _payment(cast: Cast, day: str, merchant: str, amount: float, currency: str) -> None:
    key = cast.company.key("card_transactions", "X")
    taken = {
        t["merchant"]
        for t in cast.company.tables["card_transactions"]
        if t["employee_id"] == cast.who["employee_id"]
    }
    if merchant not in taken:
        cast.company.add(
            "card_transactions",
            transaction_id=key,
            employee_id=cast.who["employee_id"],
            day=day,
            merchant=merchant,
            amount=amount,
            currency=currency,
            status="open",
            line_id=None,
            reason="",
        )


def paid_by_card(cast: Cast, same: bool) -> None:
    """A draft with a bill, and a card payment that is that bill, or nearly."""
    mine = [
        r["vendor"]
        for r in cast.company.tables["receipts"]
        if r["employee_id"] == cast.who["employee_id"]
    ]
    free = [v for v in VENDORS["other"].split("|") if v not in mine]
    if free:
        bill = cast.bill(
            "other",
            cast.some_days(5, 40),
            cast.euros(21, 48),
            vendor=cast.company.random.choice(free),
        )
        cast.claim("draft", None, [("other", bill)])
        amount = bill["amount"] if same else round(bill["amount"] + 9.0, 2)
        _payment(cast, bill["day"], bill["vendor"], amount, bill["currency"])


def travel(
    cast: Cast, first: int, length: int, approved: bool, with_bill: bool, home: bool = False
) -> None:
    """A trip that began so many days ago (or will, when negative), with a hotel bill that is not claimed."""
    mine = {
        t["city"]
        for t in cast.company.tables["trips"]
        if t["employee_id"] == cast.who["employee_id"]
    }
    places = [c for c in CITIES if c[0] not in mine and (home or c[1] != cast.country)]
    if not places:
        return
    city = cast.company.random.choice(places)[0]
    cast.company.add(
        "trips",
        trip_id=cast.company.key("trips", "T"),
        employee_id=cast.who["employee_id"],
        city=city,
        first_day=days(first),
        last_day=days(first - length + 1),
        purpose=cast.company.random.choice(TITLES.split("|")),
        preapproved=approved,
    )
    if with_bill:
        cast.bill(
            "hotel",
            first - length + 1,
            cast.euros(90, 140) * (length - 1),
            foreign=True,
            city=city,
            nights=length - 1,
        )


def driving(cast: Cast, short: int) -> None:
    """What was driven this year: the threshold less so many kilometres."""
    _, rate, threshold, _ = next(m for m in MILEAGE if m[0] == cast.country)
    for status, km, age in [("paid", threshold - short - 900, 170), ("draft", 900, 30)]:
        entry = {
            "day": days(age),
            "amount": round(km * rate, 2),
            "currency": cast.home,
            "km": km,
            "note": "By the log book",
        }
        run = f"P{cast.who['entity_id']}0" if status == "paid" else None
        cast.claim(status, None if status == "draft" else age - 4, [("mileage", entry)], run_id=run)


def bare_line(cast: Cast) -> None:
    """A draft in which one line lacks the receipt that it must have."""
    age = cast.some_days(5, 30)
    fee = {
        "day": days(age),
        "amount": round(cast.euros(40, 80) * (BASE[cast.home] if cast.home != "EUR" else 1), 2),
        "currency": cast.home,
    }
    cast.claim(
        "draft",
        None,
        [("transport", fee), ("transport", cast.bill("transport", age, cast.euros(20, 60)))],
    )


def half_approved(cast: Cast) -> None:
    """A claim that waits for its second approval, with a private line."""
    age = cast.some_days(10, 40)
    scale = BASE.get(cast.home, 1.0)
    stay = cast.bill("hotel", age, 1150 / (1.0 if cast.home == "PLN" else scale), nights=8)
    private = cast.bill("other", age, cast.euros(15, 40))
    row = cast.claim("submitted", age - 3, [("hotel", stay), ("other", private)])
    manager = cast.who["manager_id"]
    row["approvals"] = [{"step": "manager", "by": manager, "for_id": manager, "day": days(age - 5)}]


def settled(cast: Cast) -> None:
    """A paid claim with one bill."""
    age = cast.some_days(45, 80)
    bill = cast.bill("transport", age, cast.euros(40, 160), foreign=age % 3 == 0)
    cast.claim("paid", age - 4, [("transport", bill)], run_id=f"P{cast.who['entity_id']}0")


def dinner(cast: Cast, guest: str) -> None:
    """A dinner with somebody at the table, handed in."""
    age = cast.some_days(5, 30)
    bill = cast.bill("meal", age, LIMITS[f"meal-{cast.who['grade']}"] * 1.4)
    cast.claim(
        "submitted",
        age - 2,
        [
            ("meal", {**bill, "guests": [guest]}),
            ("other", cast.bill("other", age, cast.euros(6, 15))),
        ],
    )


def stay(cast: Cast, above: bool) -> None:
    """A hotel for one or two nights, a little below or above the limit."""
    age, nights = cast.some_days(4, 30), cast.company.random.choice([1, 2])
    city, _, tier = cast.company.random.choice([c for c in CITIES if c[1] == cast.country])
    limit = LIMITS[f"hotel-{cast.who['grade']}-{tier}"] * nights
    euros = limit * (cast.euros(1.08, 1.2) if above else cast.euros(0.75, 0.93))
    cast.claim(
        "submitted",
        age - 2,
        [
            ("hotel", cast.bill("hotel", age, euros, city=city, nights=nights)),
            ("transport", cast.bill("transport", age, cast.euros(8, 20))),
        ],
    )


def came_back(cast: Cast) -> None:
    """A returned claim with the wrong of two tickets."""
    age = cast.some_days(6, 40)
    wrong = cast.bill("transport", age, cast.euros(40, 70))
    why = "The ticket is not the one that was used"
    cast.claim("returned", age - 2, [("transport", wrong)], reason=why)
    cast.copy("transport", wrong, times=1.07, number=f"{wrong['number']}-B")


def bill_claimed(cast: Cast, colleague: Cast) -> None:
    """One bill handed in, which a colleague has claimed before."""
    age = cast.some_days(8, 40)
    theirs = colleague.bill("other", age, cast.euros(60, 200))
    colleague.claim("approved", age - 2, [("other", theirs)])
    mine = cast.copy("other", theirs, number=theirs["number"])
    cast.claim("submitted", age - 4, [("other", mine)])


def one_bill(cast: Cast) -> None:
    """One bill handed in, which nobody else has."""
    age = cast.some_days(8, 40)
    cast.claim("submitted", age - 3, [("other", cast.bill("other", age, cast.euros(60, 200)))])


def two_countries(cast: Cast) -> None:
    """An approved claim with a bill from home and one from abroad."""
    age = cast.some_days(8, 30)
    bills = [
        cast.bill("other", age, cast.euros(30, 90)),
        cast.bill("transport", age, cast.euros(20, 60), foreign=True),
    ]
    cast.claim("approved", age - 3, [("other", bills[0]), ("transport", bills[1])])


def to_be_paid(cast: Cast) -> None:
    """An approved claim that is in no run."""
    age = cast.some_days(8, 30)
    cast.claim("approved", age - 3, [("other", cast.bill("other", age, cast.euros(50, 400)))])


Act = Callable[[Cast, Cast], None]
ACTS: list[Act] = [
    lookalikes,
    shared,
    lambda cast, _: evening(cast, 0.8),
    lambda cast, _: evening(cast, 1.15),
    lambda cast, _: late(cast, cast.some_days(62, 90)),
    lambda cast, _: late(cast, cast.some_days(92, 118)),
    lambda cast, _: weekend(cast),
    lambda cast, _: lost_ticket(cast, large=False),
    lambda cast, _: lost_ticket(cast, large=True),
    lambda cast, _: paid_by_card(cast, same=True),
    lambda cast, _: paid_by_card(cast, same=False),
    lambda cast, _: travel(cast, cast.some_days(20, 50), 4, approved=True, with_bill=False),
    lambda cast, _: travel(cast, cast.some_days(0, 3), 5, approved=True, with_bill=False),
    lambda cast, _: travel(cast, cast.some_days(12, 40), 3, approved=True, with_bill=True),
    lambda cast, _: travel(cast, cast.some_days(12, 40), 3, approved=False, with_bill=True),
    lambda cast, _: driving(cast, cast.some_days(40, 120)),
    lambda cast, _: bare_line(cast),
    lambda cast, _: half_approved(cast),
    lambda cast, _: settled(cast),
    lambda cast, _: dinner(cast, cast.who["manager_id"]),
    lambda cast, colleague: dinner(cast, colleague.who["employee_id"]),
    lambda cast, _: stay(cast, above=False),
    lambda cast, _: stay(cast, above=True),
    lambda cast, _: came_back(cast),
    bill_claimed,
    lambda cast, _: one_bill(cast),
    lambda cast, _: to_be_paid(cast),
    lambda cast, _: two_countries(cast),
]
"""What may happen to somebody, and to the colleague beside them."""


def tell(company: Company, turns: int) -> None:
    """Something of everything: what happens to whom goes round."""
    staff = [e for e in company.tables["employees"] if e["role"] == "employee"]
    for number, who in enumerate(staff):
        cast, colleague = Cast(company, who), Cast(company, staff[number - 1])
        draft(cast)
        for turn in range(turns):
            ACTS[(number * turns + turn) % len(ACTS)](cast, colleague)


def add_absences(company: Company) -> None:
    """Managers who are away, were away, or will travel: who stands in for whom."""
    chiefs = [e for e in company.tables["employees"] if e["role"] == "approver" and e["manager_id"]]
    for number, chief in enumerate(chiefs):
        peers = [
            e
            for e in chiefs
            if e["entity_id"] == chief["entity_id"]
            and e is not chief
            and e["employee_id"] != chief["manager_id"]
        ]
        if not peers:
            continue
        peer = company.random.choice(peers)["employee_id"]
        if number % 3 != 2:
            first, last = [(4, -3), (20, 9)][number % 3]
            company.add(
                "delegations",
                delegation_id=company.key("delegations", "D"),
                principal_id=chief["employee_id"],
                delegate_id=peer,
                first_day=days(first),
                last_day=days(last),
            )
        if number % 3:
            travel(
                Cast(company, chief), -5 - number % 9, 3, approved=True, with_bill=False, home=True
            )


def build(title: str, company: Company, turns: int, rates: int) -> Row:
    """A records set as plain JSON: so much happens to everybody, with rates so many days back."""
    add_terms(company)
    add_rates(company, rates)
    add_people(company)
    tell(company, turns)
    add_absences(company)
    for centre in company.tables["cost_centres"]:
        centre["spent"] = round(centre["spent"] + company.random.uniform(20000, 60000), 2)
    return {
        "about": {"notes": "Printed by group.py beside it: change that, not this.", "title": title},
        "clock": {"now": "2026-10-14T09:00:00+00:00"},
        "tables": dict(company.tables),
    }


def main() -> None:
    """Print the large set, or the small company of the same kind where `sites` is asked for."""
    if sys.argv[1:] == ["sites"]:
        made = build("A company of three small sites", Company(7, 1, 9), turns=4, rates=125)
    else:
        made = build("A group with three entities", Company(20261014, 6, 11), turns=5, rates=500)
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
