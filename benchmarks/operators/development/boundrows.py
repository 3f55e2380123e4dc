"""The rows that environments are bound to, with what their contract and their intents say of them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchmarks.faults.mutation import Original


@dataclass(frozen=True)
class BoundRow:
    """A row of a records set that an environment speaks of."""

    records: str
    table: str
    key: str
    place: tuple[str | int, ...]
    row: Mapping[str, Any]
    used: frozenset[str]
    """The fields that an intent names of the slot that is bound to it, or by which it is chosen."""

    @property
    def name(self) -> str:
        return f"{self.table}/{self.key}"

    @property
    def facts(self) -> Mapping[str, Any]:
        """What it says in those fields."""
        return {name: self.row[name] for name in sorted(self.used)}

    def field(self, name: str) -> tuple[str | int, ...]:
        """Where a field of the row stands in its document."""
        return (*self.place, name)


@lru_cache(maxsize=8)
def bound_rows(original: Original) -> tuple[BoundRow, ...]:
    """All of a domain's."""
    used = _used(original)
    found = []
    for records, table, key in original.bound:
        place = original.place_of(records, table, key)
        row = original.records[records]["tables"][table][place[-1]]
        fields = frozenset(used[records, table, key] & row.keys())
        found.append(BoundRow(records, table, key, place, row, fields))
    return tuple(found)


def _used(original: Original) -> Mapping[tuple[str, str, str], set[str]]:
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    texts = {slug: json.dumps(intent) for slug, intent in original.intents.items()}
    for spec in original.environments:
        pin = original.folder.pins.get(spec.slug)
        slots = original.intents[spec.intent].get("slots", {})
        for slot, key in (pin.binding if pin else {}).items():
            if slot in slots:
                names = re.findall(rf"\b{slot}\.(\w+)", texts[spec.intent])
                names += _asked_of(original, slots[slot])
                found[spec.records, slots[slot]["table"], key] |= set(names)
    return found


def _asked_of(original: Original, slot: Mapping[str, Any]) -> list[str]:
    """The fields by which a slot's row is chosen, definitions of the domain included."""
    where = slot.get("where", "")
    for name, text in original.domain.get("define", {}).items():
        if re.search(rf"\b{name}\b", where):
            where += f" {text}"
    return [*slot.get("match", {}), *re.findall(r"\brow\.(\w+)", where)]


def references(original: Original, table: str) -> Iterator[tuple[str, str]]:
    """The fields of a table that hold a key of another row, with that row's table."""
    for each in original.domain["tables"][table].get("references", []):
        if re.fullmatch(r"\w+", each["from"]):
            yield each["from"], each["to"]


@lru_cache(maxsize=32)
def referred(original: Original, records: str) -> frozenset[tuple[str, str]]:
    """Table and key of every row of a records set that another row refers to."""
    found = set()
    for table, rows in original.records[records]["tables"].items():
        for each in original.domain["tables"][table].get("references", []):
            head, *rest = re.split(r"\[\]\.?", each["from"])
            for row in rows:
                values = row.get(head)
                for value in values if isinstance(values, list) else [values]:
                    key = value.get(rest[0]) if isinstance(value, dict) and rest else value
                    if isinstance(key, str):
                        found.add((each["to"], key))
    return frozenset(found)
