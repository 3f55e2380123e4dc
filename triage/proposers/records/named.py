"""Rows that a text speaks of by an id or an address that no row has."""

from __future__ import annotations

from collections.abc import Iterator

from triage.proposers.records.ground import Ground
from triage.proposers.records.mend import Mend
from worlds.records import Row

MOST = 10


def named_mends(ground: Ground) -> Iterator[Mend]:
    """The row whose value is nearest says what the text says; not where it is a key."""
    found = [
        item for each in ground.seen for item in each.findings if item.code == "text-unmatched"
    ]
    for item in found[:MOST]:
        asked = item.evidence
        table, field = asked.get("table"), asked.get("field")
        if asked.get("records") != ground.spot.slug or table not in ground.base.tables:
            continue
        for key, row in ground.base.tables[str(table)].items():
            if (
                _has(row, str(field), asked.get("nearest"))
                and field != ground.domain.tables[str(table)].key
            ):
                authority = f"{item.place} of `{item.component}` names {asked.get('named')!r}"
                changed = {**row, str(field): asked.get("named")}
                yield Mend({(str(table), key): changed}, "Spell as the text does", 0.3, authority)
                break


def _has(row: Row, field: str, value: object) -> bool:
    return isinstance(value, str) and row.get(field) == value
