"""The state of an outside tool server, seen from here as rows that differ from a base."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any, Protocol

from worlds.diff import same
from worlds.exchange import NotJson
from worlds.records import Base, Place, Row, Snapshot
from worlds.servers import ServerUnavailable


class OutsideState(Protocol):
    """How the rows of a running server are read and written. All may raise ServerUnavailable."""

    def settle(self) -> bool:
        """Make it hold the base's rows and no others; returns whether anything had to be written."""

    def read(self) -> Snapshot:
        """The rows that differ from the base (None = missing); may raise NotJson too."""

    def write(self, changes: Snapshot) -> None:
        """Put these rows in place (None = delete)."""


Tables = Mapping[str, Any]
"""`{table: {key: row}}` or `{table: [row]}`: what servers keep and export."""


def differing(tables: Any, base: Base) -> Snapshot:
    """The rows of a document that differ from a base; tables that the domain does not know are left alone.
    Raises ServerUnavailable, and NotJson for a row without its key."""
    if not isinstance(tables, Mapping):
        raise ServerUnavailable(f"its state is no object of tables but {tables!r:.60}")
    found: Snapshot = {}
    for table, rows in base.tables.items():
        told = keyed(tables.get(table, {}), table, base)
        for key, row in told.items():
            if key not in rows or not _alike(row, rows[key]):
                found[(table, key)] = row
        found.update({(table, key): None for key in rows if key not in told})
    return found


def keyed(rows: Any, table: str, base: Base) -> Mapping[str, Row]:
    """The rows of a table by key, whichever of the two forms they have."""
    if isinstance(rows, list):
        field = base.domain.tables[table].key
        if any(isinstance(row, dict) and not _is_key(row.get(field)) for row in rows):
            raise NotJson(f"a row of {table!r} has no {field!r}")
        rows = {row[field]: row for row in rows if isinstance(row, dict)}
    if not isinstance(rows, Mapping) or not all(isinstance(row, dict) for row in rows.values()):
        raise ServerUnavailable(f"the table {table!r} of its state holds what is no row")
    return {str(key): row for key, row in rows.items()}


def _is_key(value: Any) -> bool:
    return value is not None and not isinstance(value, (dict, list))


def _alike(one: Row, other: Row) -> bool:
    # marshal tells 1 from true and is quick; it also tells orders of keys apart, which `same` does not.
    return marshal.dumps(one, 2) == marshal.dumps(other, 2) or same(one, other)


def overlaid(base: Base, changes: Snapshot, table: str) -> dict[str, Row]:
    """The rows of a table after changes."""
    rows = dict(base.tables[table])
    for (name, key), row in changes.items():
        if name != table:
            continue
        if row is None:
            rows.pop(key, None)
        else:
            rows[key] = row
    return rows


def between(base: Base, was: Snapshot, wanted: Snapshot) -> Snapshot:
    """What to write to get from one snapshot to another."""
    places: set[Place] = {*was, *wanted}
    changes = {place: _at(base, wanted, place) for place in sorted(places)}
    return {place: row for place, row in changes.items() if row != _at(base, was, place)}


def _at(base: Base, changes: Snapshot, place: Place) -> Row | None:
    table, key = place
    return changes[place] if place in changes else base.tables[table].get(key)
