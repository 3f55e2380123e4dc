"""What a proposer of records stands on: rows, what is found wrong with them, and those that come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from triage.proposers.case import Case, Seen, Spot
from worlds.body import Body
from worlds.canonical import canonical
from worlds.findings import Finding
from worlds.recordcheck import all_record_findings, record_findings
from worlds.records import Base, Place, Row
from worlds.recordset import Recordset
from worlds.world import World

MOST_ASKED = 20_000
"""Questions to the rows of a records set, by schema and invariants; of one that needs more only the rows that were
touched are checked."""
MOST_WORLDS = 4
ROW_CODES = ("row-invalid", "reference-dangling", "condition-invalid")


@dataclass(frozen=True)
class Sibling:
    """Another records set of the domain, or an earlier version of this one."""

    label: str
    """As in “the records set `small`”."""
    tables: Mapping[str, Mapping[str, Row]]
    trust: Mapping[str, float]
    """Table → the share of rows known in both that say the same in both."""


class Ground:
    """Rows of the suspected records set, with what is known of them. Made only where they can be keyed."""

    def __init__(self, case: Case, spot: Spot, seen: list[Seen]) -> None:
        self.case, self.spot, self.seen = case, spot, seen
        self.world: World = seen[0].world
        self.base: Base = self.world.base
        self.domain = self.base.domain
        self.body: Recordset = self.world.bundle.records
        self._columns: dict[tuple[str, str], dict[str, str]] = {}

    @classmethod
    def of(cls, case: Case, spot: Spot) -> Ground | None:
        """None where no environment uses these records, or their rows cannot be keyed."""
        users = [each for each in case.users(spot.name) if _loads(each)]
        same = [each for each in users if each.world.base.digest == users[0].world.base.digest]
        return cls(case, spot, same) if same else None

    def row(self, place: Place) -> Row | None:
        """As the records have it."""
        return self.base.tables.get(place[0], {}).get(place[1])

    def column(self, table: str, field: str) -> dict[str, str]:
        """Key → canonical value, of the rows that have the field."""
        known = self._columns.get((table, field))
        if known is None:
            rows = self.base.tables[table].items()
            known = {key: canonical(row[field]) for key, row in rows if field in row}
            self._columns[table, field] = known
        return known

    @cached_property
    def shown(self) -> list[Finding]:
        """What is wrong with rows by the findings that show the fault."""
        found = [
            item
            for each in self.seen
            for item in each.findings
            if item.code in ROW_CODES and self._is_of_row(item)
        ]
        return _once(found)

    @cached_property
    def questions(self) -> Mapping[str, int]:
        """Table → what is asked of a row of it, by schema and invariants."""
        asked = Counter(each.table for each in self.domain.invariants)
        return {name: 1 + asked[name] for name in self.domain.tables}

    @cached_property
    def findings(self) -> list[Finding]:
        """All that is wrong with any row, what shows the fault first."""
        asked = sum(len(rows) * self.questions[name] for name, rows in self.base.tables.items())
        if asked <= MOST_ASKED:
            every = all_record_findings(self.world)
        else:
            every = record_findings(self.world, [f"{table}/{key}" for table, key in self.first])
        return _once([*self.shown, *every])

    def _is_of_row(self, item: Finding) -> bool:
        table, key = item.evidence.get("table"), item.evidence.get("key")
        return (
            isinstance(table, str) and isinstance(key, str) and self.row((table, key)) is not None
        )

    @cached_property
    def first(self) -> list[Place]:
        """Rows by how near they are to the fault: named by findings, bound or pinned, touched where it fails and not
        where it is sound, touched."""
        named = [(item.evidence["table"], item.evidence["key"]) for item in self.shown]
        places = [*named, *self._bound(), *self.touched]
        return list(dict.fromkeys(place for place in places if self.row(place) is not None))

    @cached_property
    def touched(self) -> list[Place]:
        """By the references of what fails; what sound ones touch as well comes last."""
        sound = {place for each in self._sound() for place in _touched(each)}
        touched = list(dict.fromkeys(place for each in self.seen for place in _touched(each)))
        return sorted(touched, key=lambda place: place in sound)

    def _sound(self) -> list[Seen]:
        return [each for each in self.case.sound if _is(each.body(self.spot.name), self.body)]

    @cached_property
    def pinned(self) -> list[tuple[str, str, str]]:
        """Slot, table and key of each row that an environment which shows the fault was pinned to."""
        found = []
        for each in self.seen:
            pin, slots = each.bundle.manifest.pin, each.bundle.intent.slots
            bound = pin.binding.items() if pin else ()
            found += [(slot, slots[slot].table, key) for slot, key in bound if slot in slots]
        return list(dict.fromkeys(found))

    def _bound(self) -> Iterator[Place]:
        yield from ((table, key) for _, table, key in self.pinned)
        for each in self.seen:
            slots = each.bundle.intent.slots
            yield from ((slots[slot].table, key) for slot, key in each.world.binding.items())

    @cached_property
    def lost(self) -> list[World]:
        """Worlds whose slots are not filled, or whose pinned rows do not fit."""
        worlds = [each.world for each in self.seen]
        return [each for each in worlds if each.unbound is not None or each.rebound][:MOST_WORLDS]

    @cached_property
    def siblings(self) -> list[Sibling]:
        """Earlier versions that worked, and other records sets of the domain."""
        earlier = self.case.earlier.get(self.spot.name, ())
        named = [(f"version {number} of these records", body) for number, body in earlier]
        named += [
            (f"the records set `{slug}`", body)
            for (kind, slug), body in sorted(self.case.others.items())
            if kind == "records" and slug != self.spot.slug
        ]
        return [self._sibling(label, body) for label, body in named if isinstance(body, Recordset)]

    def _sibling(self, label: str, body: Recordset) -> Sibling:
        tables = {
            table: _keyed(body.tables.get(table, []), spec.key)
            for table, spec in self.domain.tables.items()
        }
        trust = {table: _alike(rows, self.base.tables[table]) for table, rows in tables.items()}
        return Sibling(label, tables, trust)


def _loads(seen: Seen) -> bool:
    try:
        return bool(seen.world)
    except (ValueError, LookupError):
        return False


def _is(one: Body | None, other: Body) -> bool:
    return one is not None and one.digest == other.digest


def _touched(seen: Seen) -> list[Place]:
    touched = seen.reference.touched if seen.reference else ()
    pairs = (place.partition("/") for place in touched)
    return [(table, key) for table, _, key in pairs]


def _once(found: list[Finding]) -> list[Finding]:
    return list({(item.code, item.place, item.message): item for item in found}.values())


def _keyed(rows: list[dict[str, Any]], key: str) -> dict[str, Row]:
    return {row[key]: row for row in rows if isinstance(row.get(key), str)}


def _alike(rows: Mapping[str, Row], own: Mapping[str, Row]) -> float:
    """The share of the keys in both whose rows differ in at most one field; none where no key is in both."""
    both = [key for key in rows if key in own][:500]
    same = sum(_differing(rows[key], own[key]) <= 1 for key in both)
    return same / len(both) if both else 0.0


def _differing(one: Row, other: Row) -> int:
    fields = {*one, *other}
    return sum(
        one.get(name) != other.get(name) or (name in one) != (name in other) for name in fields
    )
