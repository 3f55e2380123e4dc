"""Print the records set beside this file: a distributor with three sites, the same at every run.

python library/warehouse/records/distributor.py > library/warehouse/records/distributor.json
python manage.py library format library --domain warehouse
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

Row = dict[str, Any]

SITES = {
    "LDS": "Leeds",
    "BRS": "Bristol",
    "GLA": "Glasgow",
    "NCL": "Newcastle",
    "CDF": "Cardiff",
    "NOR": "Norwich",
}
HOLIDAYS = {date(2026, 4, 3), date(2026, 4, 6), date(2026, 5, 4), date(2026, 5, 25)}
FIRST_DAY, LAST_DAY, FIRST_NUMBER = date(2026, 3, 2), date(2026, 5, 29), 42
ROLES = ["picker", "picker", "supervisor", "supervisor", "buyer", "quality"]
GIVEN = "Ada Ben Cara Dev Elif Femi Gita Hugo Ines Jon Keiko Liam Mona Nils Olga Pavel Rosa Sana Tom Uma"
FAMILY = (
    "Abbot Baker Costa Dunn Evans Fox Grant Holt Ito Jones Kerr Lowe Moss Nash Owen Price Quinn"
)
FAMILIES = [
    ("KX", "Contact adhesive", "flammable", "ambient"),
    ("TH", "Thinner", "flammable", "ambient"),
    ("AC", "Acid cleaner", "corrosive", "ambient"),
    ("PX", "Peroxide wash", "oxidising", "ambient"),
    ("RS", "Epoxy resin", "none", "chilled"),
    ("CF", "Culture medium", "none", "frozen"),
    ("GL", "Nitrile gloves", "none", "ambient"),
    ("SL", "Silicone sealant", "none", "ambient"),
    ("WP", "Wipes", "none", "ambient"),
    ("TP", "Marking tape", "none", "ambient"),
]
SIZES = ["small", "medium", "large", "XL", "trade pack", "drum", "twin pack", "sample", "refill"]
SUPPLIERS = (
    "Norchem,Halden,Brightway,Calloway,Dunmore,Eastgate,Fairlight,Garrick,Hexham,Inver,Jessop,Kelso"
)
CUSTOMERS = (
    "Abbey,Calder,Marlow,Denholm,Eskdale,Fenwick,Grange,Harlow,Ilkley,Jarrow,Keswick,Lomond,Malton"
)
TRADES = ["Motors", "Labs", "Health", "Joinery", "Foods"]
SERVICES = [
    ("G1", "Pennine Ground", "15:00", 3, False, 6.0, 0.05),
    ("G2", "Pennine Saver", "12:00", 4, False, 4.5, 0.04),
    ("E1", "Pennine Express", "14:00", 1, False, 11.5, 0.08),
    ("H1", "Haulsafe Next", "16:00", 1, True, 24.0, 0.12),
    ("H3", "Haulsafe Economy", "16:00", 3, True, 15.0, 0.1),
]
INDEXED = {"site_id", "sku", "lot_id", "bin_id"}


@dataclass(frozen=True)
class Size:
    """How much of everything there is."""

    title: str
    now: str
    seed: int
    sites: int
    products: int
    suppliers: int
    customers: int
    bins: int
    """Bins of one class at a site; four times as many for what needs no care."""
    places: int
    """Bins that a lot lies in, at most."""
    each: int
    """Orders of each kind at a site."""
    moves: int
    """Lots of which the moves are kept."""


class Maker:
    """Makes the rows, table by table; what later tables need of earlier ones is kept in step."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.draw = random.Random(size.seed)  # noqa: S311  # the same again is what is wanted
        self.today = date.fromisoformat(size.now[:10])
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.keyed: dict[tuple[str, str], Row] = {}
        """Rows by table and key, which is the first field of each."""
        self.placed: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
        """Rows by table, one of INDEXED, and its value."""
        self.load: dict[str, int] = defaultdict(int)
        self.waiting: set[tuple[str, str]] = set()

    def add(self, table: str, **row: Any) -> Row:
        """A new row; its key comes first."""
        self.tables[table].append(row)
        self.keyed[table, next(iter(row.values()))] = row
        for field in INDEXED & set(row):
            self.placed[table, field, row[field]].append(row)
        return row

    def get(self, table: str, key: str) -> Row:
        """The row with this key."""
        return self.keyed[table, key]

    def number(self, table: str, prefix: str, first: int) -> str:
        """The next number of a table."""
        return f"{prefix}{first + len(self.tables[table])}"

    def day(self, fewest: int, most: int) -> str:
        """A day so many days from today."""
        return (self.today + timedelta(days=self.draw.randint(fewest, most))).isoformat()

    def one(self, table: str, **match: Any) -> Row:
        """Some row of a table with these values."""
        return self.draw.choice(self.all(table, **match))

    def all(self, table: str, **match: Any) -> list[Row]:
        """All rows of a table with these values."""
        lists = [self.placed[table, k, v] for k, v in match.items() if k in INDEXED]
        rows = min(lists, key=len, default=self.tables[table])
        return [r for r in rows if all(r[k] == v for k, v in match.items())]

    # Places, people, products

    def places(self) -> None:
        """Sites, the people there, their bins, the calendar."""
        for site in list(SITES)[: self.size.sites]:
            self.add("sites", site_id=site, name=SITES[site])
            for role in ROLES:
                name = f"{self.draw.choice(GIVEN.split())} {self.draw.choice(FAMILY.split())}"
                badge = self.number("staff", "W", 101)
                self.add("staff", staff_id=badge, name=name, role=role, site_id=site)
            self.bins(site)
        number, day = FIRST_NUMBER, FIRST_DAY
        while day <= LAST_DAY:
            if day.weekday() < 5 and day not in HOLIDAYS:
                self.add("calendar", day=day.isoformat(), n=number)
                number += 1
            day += timedelta(days=1)

    def bins(self, site: str) -> None:
        """The bins of a site: pick and bulk for each class of goods, some of them blocked, and hold bins."""
        classes = sorted({(temp, hazard) for _, _, hazard, temp in FAMILIES})
        for letter, (temp, hazard) in zip("ABCDEF", classes, strict=True):
            count = self.size.bins * (4 if (temp, hazard) == ("ambient", "none") else 1)
            for number in range(1, count + 1):
                kind = "bulk" if number % 3 == 0 else "pick"
                blocked = number % 5 == 4
                room = self.draw.randint(10, 20) * (200 if kind == "bulk" else 40)
                self.bin(
                    f"{site}-{letter}{number}", site, letter, kind, temp, hazard, room, blocked
                )
        self.bin(f"{site}-H1", site, "H", "hold", "ambient", "none", 900, False)

    def bin(
        self,
        key: str,
        site: str,
        zone: str,
        kind: str,
        temp: str,
        hazard: str,
        room: int,
        blocked: bool,
    ) -> None:
        """One bin."""
        why = self.draw.choice(["Bent upright", "Sprinkler test", "Floor repair"])
        self.add(
            "bins",
            bin_id=key,
            site_id=site,
            zone=zone,
            kind=kind,
            temp=temp,
            hazard=hazard,
            capacity=room,
            blocked=blocked,
            block_reason=why if blocked else "",
        )

    def products(self) -> None:
        """Products; every fifth has a near-identical one, every ninth was replaced by the one after it."""
        number = 0
        while len(self.tables["products"]) < self.size.products:
            prefix, name, hazard, temp = FAMILIES[number % len(FAMILIES)]
            size = SIZES[number // len(FAMILIES) % len(SIZES)]
            grade = number // len(FAMILIES) // len(SIZES)
            full = f"{name}, {size}" + (f", grade {grade + 1}" if grade else "")
            sku = f"{prefix}-{100 + number}"
            self.product(sku, full, hazard, temp)
            if number % 5 == 0:
                self.product(f"{sku}B", full, hazard, temp)
            if number % 9 == 4:
                old = self.product(f"{sku}X", full, hazard, temp)
                old |= {"discontinued": True, "successor": sku, "abc": "C"}
            number += 1

    def product(self, sku: str, name: str, hazard: str, temp: str) -> Row:
        """One product."""
        case = self.draw.choice([4, 6, 8, 10, 12, 20, 24])
        return self.add(
            "products",
            sku=sku,
            name=name,
            case_size=case,
            cases_per_pallet=self.draw.choice([24, 30, 40, 48]),
            cost=self.draw.randint(215, 2690) / 100 + 0.01,
            reorder_point=0,
            reorder_qty=case * self.draw.choice([10, 12, 20]),
            shelf_days=self.draw.choice([365, 540, 720]),
            hazard=hazard,
            temp=temp,
            abc=self.draw.choice("AABBC"),
            discontinued=False,
            successor=None,
        )

    # Who sells, who buys

    def partners(self) -> None:
        """Suppliers with their offers, customers, carriers' services."""
        names = [
            f"{name} {kind}"
            for kind in ("Ltd", "Trade", "Supplies")
            for name in SUPPLIERS.split(",")
        ]
        for number, name in enumerate(names[: self.size.suppliers]):
            self.add(
                "suppliers",
                supplier_id=f"V{number + 1}",
                name=name,
                lead_days=self.draw.randint(2, 9),
                cutoff=self.draw.choice(["11:00", "12:00", "16:00", "17:00"]),
                min_order=self.draw.choice([100.0, 250.0, 400.0]),
                on_hold=number % 5 == 2,
                over_pct=self.draw.choice([0, 5, 10]),
            )
        for product in self.tables["products"]:
            self.offers(product)
        trades = [f"{name} {trade}" for trade in TRADES for name in CUSTOMERS.split(",")]
        for number, name in enumerate(trades[: self.size.customers]):
            least = (0, 0, 60, 120, 360)[number % 5]
            self.add("customers", customer_id=f"K{number + 1}", name=name, min_life_days=least)
        for key, name, cutoff, days, hazardous, base, unit in SERVICES:
            self.add(
                "services",
                service_id=key,
                name=name,
                area="mainland",
                cutoff=cutoff,
                days=days,
                hazardous=hazardous,
                base=base,
                per_unit=unit,
            )

    def offers(self, product: Row) -> None:
        """Two or three offers of a product; the pair of a near-identical one has the same suppliers."""
        twin = self.all("offers", sku=product["sku"].rstrip("BX"))
        chosen = [o["supplier_id"] for o in twin] or [
            s["supplier_id"] for s in self.draw.sample(self.tables["suppliers"], 3)
        ]
        for key in chosen:
            price = round(product["cost"] * self.draw.uniform(0.9, 1.2), 2)
            breaks = [{"qty": 1, "price": price}]
            steps = sorted(self.draw.sample([96, 144, 240, 480], self.draw.randint(0, 2)))
            breaks += [{"qty": least, "price": 0.0} for least in steps]
            for number, step in enumerate(breaks):
                step["price"] = round(price * (1 - 0.06 * number), 2)
            self.add(
                "offers",
                offer_id=self.number("offers", "F", 1),
                supplier_id=key,
                sku=product["sku"],
                approved=self.draw.random() < 0.8,
                breaks=breaks,
            )

    # Stock

    def stock(self) -> None:
        """Lots of every product, and where they lie."""
        for product in self.tables["products"]:
            prefix = product["sku"].replace("-", "")
            sellers = [o["supplier_id"] for o in self.all("offers", sku=product["sku"])]
            for number in range(self.draw.randint(2, 3)):
                status = self.draw.choices(
                    ["ok", "quarantine", "recalled", "expired"], [82, 8, 6, 4]
                )[0]
                past = status == "expired"
                reason = {"quarantine": "Certificate missing", "recalled": "Notice of the maker"}
                lot = self.add(
                    "lots",
                    lot_id=f"{prefix}{'KMR'[number]}",
                    sku=product["sku"],
                    supplier_id=self.draw.choice(sellers),
                    expiry=self.day(-60, -3) if past else self.day(20, product["shelf_days"]),
                    status=status,
                    reason=reason.get(status, ""),
                )
                for _ in range(self.draw.randint(1, self.size.places)):
                    self.lay(lot, product)

    def lay(self, lot: Row, product: Row) -> Row | None:
        """Some of a lot in a bin that suits; None where there is no such bin left."""
        qty = product["case_size"] * self.draw.randint(2, 12)
        fitting = [
            b
            for b in self.all("bins", temp=product["temp"], hazard=product["hazard"])
            if b["kind"] != "hold"
            and self.load[b["bin_id"]] + qty <= b["capacity"]
            and not self.all("stock", bin_id=b["bin_id"], lot_id=lot["lot_id"])
        ]
        if not fitting:
            return None
        place = self.draw.choice(fitting)
        if place["kind"] == "pick":
            qty -= self.draw.choice([0, 0, 1, 3])
        self.load[place["bin_id"]] += qty
        return self.add(
            "stock",
            stock_id=self.number("stock", "S", 1001),
            bin_id=place["bin_id"],
            lot_id=lot["lot_id"],
            sku=product["sku"],
            site_id=place["site_id"],
            on_hand=qty,
            reserved=0,
        )

    def tighten(self) -> None:
        """Some bins have little room left."""
        for place in self.tables["bins"]:
            if place["kind"] == "pick" and self.load[place["bin_id"]] and self.draw.random() < 0.3:
                place["capacity"] = self.load[place["bin_id"]] + self.draw.randint(0, 8)

    def usable(self, site: str, sku: str = "") -> list[Row]:
        """Stock of a site that can be promised, what expires first before the rest."""
        rows = [
            (self.expiry(s), s)
            for s in self.all("stock", site_id=site, **({"sku": sku} if sku else {}))
            if s["on_hand"] > s["reserved"]
            and self.get("lots", s["lot_id"])["status"] == "ok"
            and not self.get("bins", s["bin_id"])["blocked"]
        ]
        return [s for _, s in sorted(rows, key=lambda r: (r[0], r[1]["stock_id"]))]

    def expiry(self, stock: Row) -> str:
        """When a stock's lot expires."""
        return str(self.get("lots", stock["lot_id"])["expiry"])

    # Customer orders

    def orders(self) -> None:
        """So many orders of each kind at each site."""
        for site in [s["site_id"] for s in self.tables["sites"]]:
            for _ in range(self.size.each):
                self.packed(site, 2)
                self.incomplete(site)
                self.packed(site, 1, due=self.day(-1, 0))
                self.packed(site, 1)
                self.shipment(self.packed(site, 1), "booked")
                self.shipment(self.shipped(site), "picked_up")
                self.backordered(site)
        for site in [s["site_id"] for s in self.tables["sites"]]:
            for kind in range(3 * self.size.each):
                self.unreserved(site, kind % 3)
        for lot in self.all("lots", status="recalled"):
            for _ in range(self.draw.randint(0, 2)):
                self.recalled(lot)

    def order(self, site: str, due: str, lines: list[tuple[str, int]], **more: Any) -> Row:
        """An order with lines of so many units of a product."""
        row = {
            "order_id": self.number("orders", "O", 3001),
            "customer_id": self.one("customers", min_life_days=0)["customer_id"],
            "site_id": site,
            "status": "open",
            "priority": self.draw.randint(1, 3),
            "due_on": due,
            "ship_complete": self.draw.random() < 0.5,
            "lines": [
                {"line": n + 1, "sku": sku, "qty": qty, "allocated": 0, "shipped": 0}
                for n, (sku, qty) in enumerate(lines)
            ],
        }
        return self.add("orders", **{**row, **more})

    def reserve(
        self, order: Row, line: Row, stock: Row, qty: int, status: str = "reserved"
    ) -> None:
        """An allocation, reserved or shipped already."""
        self.add(
            "allocations",
            allocation_id=self.number("allocations", "A", 5001),
            order_id=order["order_id"],
            line=line["line"],
            stock_id=stock["stock_id"],
            lot_id=stock["lot_id"],
            sku=stock["sku"],
            qty=qty,
            status=status,
        )
        if status == "reserved":
            stock["reserved"] += qty
        line["allocated" if status == "reserved" else "shipped"] += qty

    def packed(self, site: str, count: int, due: str = "") -> Row:
        """An order of which everything is reserved."""
        chosen = self.draw.sample(self.usable(site), count)
        some = [
            (s, max(1, (s["on_hand"] - s["reserved"]) // self.draw.randint(2, 4))) for s in chosen
        ]
        order = self.order(site, due or self.day(1, 12), [(s["sku"], qty) for s, qty in some])
        for line, (stock, qty) in zip(order["lines"], some, strict=True):
            self.reserve(order, line, stock, qty)
        return order

    def incomplete(self, site: str) -> None:
        """An order that ships complete, of which one line is short."""
        first, second = self.draw.sample(self.usable(site), 2)
        qty = max(1, (first["on_hand"] - first["reserved"]) // 3)
        lines = [(first["sku"], qty), (second["sku"], 500)]
        order = self.order(site, self.day(1, 9), lines, ship_complete=True)
        self.reserve(order, order["lines"][0], first, qty)

    def shipped(self, site: str) -> Row:
        """An order that has left."""
        stock, qty = self.draw.choice(self.usable(site)), self.draw.randint(3, 30)
        order = self.order(site, self.day(-6, 2), [(stock["sku"], qty)], status="shipped")
        self.reserve(order, order["lines"][0], stock, qty, "shipped")
        return order

    def recalled(self, lot: Row) -> None:
        """An order that has left with units of a lot that was recalled later."""
        for stock in self.all("stock", lot_id=lot["lot_id"])[:1]:
            qty = self.draw.randint(3, 30)
            order = self.order(
                stock["site_id"], self.day(-40, -9), [(stock["sku"], qty)], status="shipped"
            )
            self.reserve(order, order["lines"][0], stock, qty, "shipped")

    def shipment(self, order: Row, status: str) -> None:
        """A carrier for an order."""
        booked = status == "booked"
        self.add(
            "shipments",
            shipment_id=self.number("shipments", "X", 7001),
            order_id=order["order_id"],
            service_id=self.draw.choice(["H1", "H3"]),
            status=status,
            pickup_on=self.day(1, 2) if booked else self.day(-8, -1),
            arrive_on=order["due_on"],
            price=self.draw.randint(1500, 4900) / 100,
            labelled=True,
            booked_by=self.one("staff", site_id=order["site_id"], role="picker")["staff_id"],
        )

    def backordered(self, site: str) -> None:
        """Three orders that wait for one product; the lowest number is not the one whose turn it is."""
        free = [s for s in self.usable(site) if (site, s["sku"]) not in self.waiting]
        first = self.draw.choice([s for s in free if s["on_hand"] - s["reserved"] >= 12] or free)
        self.waiting.add((site, first["sku"]))
        least = self.usable(site, first["sku"])[0]
        some = max(1, min(12, least["on_hand"] - least["reserved"]))
        for priority, near, far in ((3, 1, 2), (2, 6, 9), (2, 3, 5)):
            qty = self.draw.randint(max(1, some // 2), some)
            order = self.order(site, self.day(near, far), [(first["sku"], qty)], priority=priority)
            self.add(
                "backorders",
                backorder_id=self.number("backorders", "B", 8001),
                order_id=order["order_id"],
                line=1,
                sku=first["sku"],
                site_id=site,
                qty=qty,
                due_on=order["due_on"],
                priority=priority,
                status="open",
            )

    def unreserved(self, site: str, kind: int) -> None:
        """An order of which nothing is reserved yet: one lot holds enough, two lots do, or all are too old."""
        products = sorted(
            {s["sku"] for s in self.usable(site) if (site, s["sku"]) not in self.waiting}
        )
        self.draw.shuffle(products)
        customers = self.draw.sample(self.tables["customers"], len(self.tables["customers"]))
        for sku in products:
            rows, due = self.usable(site, sku), self.day(3, 14)
            for customer in customers:
                last = date.fromisoformat(due) + timedelta(days=customer["min_life_days"])
                fit = [s for s in rows if self.expiry(s) >= last.isoformat()]
                qty = self.wanted(rows, fit, kind)
                if qty:
                    self.order(site, due, [(sku, qty)], customer_id=customer["customer_id"])
                    return

    def wanted(self, rows: list[Row], fit: list[Row], kind: int) -> int:
        """How many units such an order asks for; 0 where it cannot be of this kind."""
        free: list[int] = [s["on_hand"] - s["reserved"] for s in fit]
        days = [self.expiry(s) for s in fit[:3]]
        if len(set(days)) < len(days) or len(rows) < 2:
            return 0
        if kind == 0 and len(fit) < len(rows) and fit:
            return max(1, free[0] // 2)
        if kind == 1 and len(fit) > 1:
            return free[0] + max(1, free[1] // 2)
        if kind == 2 and not fit:
            return max(1, int(rows[0]["on_hand"] - rows[0]["reserved"]) // 2)
        return 0

    # Purchasing

    def purchasing(self) -> None:
        """Purchase orders in every state, deliveries at the dock."""
        for site in [s["site_id"] for s in self.tables["sites"]]:
            buyer = self.one("staff", site_id=site, role="buyer")["staff_id"]
            for _ in range(self.size.each):
                for status in ("draft", "draft", "draft", "placed", "confirmed", "part_received"):
                    self.purchase(site, buyer, status)
                for status in ("closed", "cancelled"):
                    self.purchase(site, buyer, status)
                self.delivery(self.purchase(site, buyer, "confirmed"), 0)
                self.delivery(self.purchase(site, buyer, "confirmed"), 1)
                self.delivery(self.purchase(site, buyer, "placed"), 2)

    def purchase(self, site: str, buyer: str, status: str) -> Row:
        """A purchase order of one or two lines."""
        draft = status == "draft"
        offers = [
            o
            for o in self.tables["offers"]
            if o["approved"]
            and not self.get("products", o["sku"])["discontinued"]
            and (draft or not self.get("suppliers", o["supplier_id"])["on_hold"])
        ]
        chosen = [self.draw.choice(offers)]
        others = [
            o
            for o in offers
            if o["supplier_id"] == chosen[0]["supplier_id"] and o["sku"] != chosen[0]["sku"]
        ]
        if others and self.draw.random() < 0.5:
            chosen.append(self.draw.choice(others))
        few = draft and self.draw.random() < 0.45
        lines = [self.line(n + 1, o, status, few) for n, o in enumerate(chosen)]
        placed = None if draft else self.day(-12, -3)
        return self.add(
            "purchase_orders",
            po_id=self.number("purchase_orders", "P", 2001),
            supplier_id=chosen[0]["supplier_id"],
            site_id=site,
            buyer_id=buyer,
            status=status,
            placed_on=placed,
            due_on=None if draft else self.day(-1, 9),
            lines=lines,
            reason="No longer needed" if status == "cancelled" else "",
        )

    def line(self, number: int, offer: Row, status: str, few: bool) -> Row:
        """A line of a purchase order, priced by the break that it reaches."""
        case = self.get("products", offer["sku"])["case_size"]
        qty = case * (1 if few else self.draw.randint(8, 30))
        price = [b["price"] for b in offer["breaks"] if b["qty"] <= qty][-1]
        part = case * self.draw.randint(1, 7)
        received = {"part_received": part if number == 1 else 0, "closed": qty}.get(status, 0)
        return {
            "line": number,
            "sku": offer["sku"],
            "ordered": qty,
            "received": received,
            "price": price,
        }

    def delivery(self, po: Row, kind: int) -> None:
        """What came for the first line: all, a part, or more than the tolerance."""
        line = po["lines"][0]
        case = self.get("products", line["sku"])["case_size"]
        qty = line["ordered"] - case * (0, 3, 0)[kind]
        if kind == 2:
            qty += line["ordered"] // 8 // case * case + case
        self.add(
            "deliveries",
            delivery_id=self.number("deliveries", "D", 6001),
            po_id=po["po_id"],
            line=1,
            sku=line["sku"],
            lot_id=f"{line['sku'].replace('-', '')}N{len(self.tables['deliveries'])}",
            expiry=self.day(200, 700),
            qty=qty,
            status="at_dock",
            taken=0,
            bin_id=None,
        )

    # Transfers, counts, moves

    def rest(self) -> None:
        """Transfers on the road, counts, the history of moves, reorder points."""
        sites = [s["site_id"] for s in self.tables["sites"]]
        for site in sites:
            for number in range(2 * self.size.each):
                self.transfer(site, 20 if number % 2 else self.draw.randint(24, 60))
            for role in ["picker", "supervisor"] * self.size.each:
                self.count(site, role)
        for lot in self.draw.sample(self.tables["lots"], self.size.moves):
            self.history(lot)
        for number, product in enumerate(self.tables["products"]):
            self.reorder(product, number % 3)

    def transfer(self, to_site: str, qty: int) -> None:
        """A transfer on its way to a site."""
        others = [s["site_id"] for s in self.tables["sites"] if s["site_id"] != to_site]
        stock = self.draw.choice(self.usable(self.draw.choice(others)))
        self.add(
            "transfers",
            transfer_id=self.number("transfers", "T", 4001),
            sku=stock["sku"],
            lot_id=stock["lot_id"],
            stock_id=stock["stock_id"],
            from_site=stock["site_id"],
            to_site=to_site,
            qty=qty,
            received=0,
            status="in_transit",
        )

    def count(self, site: str, role: str) -> None:
        """A count above the limit that waits for approval."""
        known = {c["stock_id"] for c in self.tables["counts"]}
        for stock in self.draw.sample(self.all("stock", site_id=site), 40):
            cost = self.get("products", stock["sku"])["cost"]
            found = max(stock["reserved"], stock["on_hand"] // 4)
            value = round((stock["on_hand"] - found) * cost, 2)
            if stock["stock_id"] not in known and value > 250:
                self.add(
                    "counts",
                    count_id=self.number("counts", "C", 9001),
                    stock_id=stock["stock_id"],
                    counted=found,
                    delta=found - stock["on_hand"],
                    value=value,
                    reason=self.draw.choice(["loss", "miscount", "damage"]),
                    counted_by=self.one("staff", site_id=site, role=role)["staff_id"],
                    approved_by=None,
                    status="pending",
                )
                return

    def history(self, lot: Row) -> None:
        """How a lot came to a site and from bin to bin."""
        for stock in self.all("stock", lot_id=lot["lot_id"])[:1]:
            hands = [s["staff_id"] for s in self.all("staff", site_id=stock["site_id"])]
            bins = self.all("bins", site_id=stock["site_id"], kind="pick")
            way = [None, *(b["bin_id"] for b in self.draw.sample(bins, 2)), stock["bin_id"]]
            for number in range(3):
                self.add(
                    "moves",
                    move_id=self.number("moves", "M", 10001),
                    day=self.day(-30 + 8 * number, -24 + 8 * number),
                    kind="putaway" if number else "receipt",
                    lot_id=lot["lot_id"],
                    from_bin=way[number],
                    to_bin=way[number + 1],
                    qty=self.draw.randint(6, 60),
                    staff_id=hands[(number + self.draw.randint(0, 1)) % len(hands)],
                )

    def reorder(self, product: Row, kind: int) -> None:
        """A reorder point above the position, between what is free and the position, or well below."""
        sku = product["sku"]
        free = sum(
            s["on_hand"] - s["reserved"]
            for s in self.all("stock", sku=sku)
            if self.get("lots", s["lot_id"])["status"] == "ok"
            and not self.get("bins", s["bin_id"])["blocked"]
        )
        expected = sum(t["qty"] for t in self.all("transfers", sku=sku, status="in_transit"))
        expected -= sum(b["qty"] for b in self.all("backorders", sku=sku))
        expected += sum(
            line["ordered"] - line["received"]
            for po in self.tables["purchase_orders"]
            if po["status"] in ("placed", "confirmed", "part_received")
            for line in po["lines"]
            if line["sku"] == sku
        )
        position = free + expected
        if kind == 0:
            product["reorder_point"] = max(0, position + self.draw.randint(0, 40))
        elif expected > 0:
            product["reorder_point"] = max(0, free + self.draw.randint(0, expected - 1))
        else:
            product["reorder_point"] = max(0, position // 2)

    def made(self) -> dict[str, list[Row]]:
        """All tables."""
        self.places()
        self.products()
        self.partners()
        self.stock()
        self.tighten()
        self.orders()
        self.purchasing()
        self.rest()
        return dict(self.tables)


def printed(size: Size, script: str) -> str:
    """The records set as JSON text."""
    about = {"notes": f"Printed by {script} beside it: change that, not this.", "title": size.title}
    return json.dumps({"about": about, "clock": {"now": size.now}, "tables": Maker(size).made()})


SIZE = Size(
    title="A distributor with three sites",
    now="2026-03-31T15:10:00+00:00",
    seed=331,
    sites=3,
    products=60,
    suppliers=8,
    customers=15,
    bins=3,
    places=2,
    each=2,
    moves=24,
)

if __name__ == "__main__":
    sys.stdout.write(printed(SIZE, "distributor.py"))
