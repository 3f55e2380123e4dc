"""What is wrong with rows that an environment does not stand on: one of all that use the records set tells of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from worlds.findings import Finding
from worlds.recordcheck import record_findings
from worlds.world import World

MOST_ROWS = 10_000
"""Of a records set, its first ones: slow invariants over more would outlast any worker's patience."""


def untouched_findings(world: World, touched: Collection[str]) -> list[Finding]:
    """The findings about all rows but those at `touched` (`table/key`), as warnings: nothing here depends on them. A
    defect of many rows is told of the first."""
    alike: dict[str, list[Finding]] = {}
    for item in _found(world, touched):
        alike.setdefault(item.fingerprint, []).append(item)
    return [_told(items) for items in alike.values()]


def _found(world: World, touched: Collection[str]) -> Iterator[Finding]:
    tables = world.base.tables.items()
    places = [
        place
        for table, keys in tables
        for key in keys
        if (place := f"{table}/{key}") not in touched
    ]
    yield from record_findings(world, places[:MOST_ROWS])


def _told(items: list[Finding]) -> Finding:
    first, rows = items[0], {(item.evidence["table"], item.evidence["key"]) for item in items}
    more = f" So do {len(rows) - 1} more rows." if len(rows) > 2 else " So does another row."
    message = first.message + (more if len(rows) > 1 else "")
    return first.model_copy(update={"severity": "warning", "message": message})
