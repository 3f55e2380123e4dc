"""A records set table by table: searched, paged, never all of it on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from triage.pages.address import Address
from triage.pages.listing import Listing, paged
from triage.pages.outline import Line, outline
from worlds.canonical import canonical

MOST_COLUMNS = 7
LOOKED_AT = 200


@dataclass(frozen=True)
class TableRow:
    """A row: its key, its values under the table's columns, and the whole of it."""

    key: str
    cells: list[Any]
    whole: dict[str, Any]

    @property
    def lines(self) -> list[Line]:
        return outline(self.whole)


@dataclass(frozen=True)
class Tables:
    """The tables with how many rows each has, and a page of the one that is open."""

    clock: dict[str, str]
    counts: list[tuple[str, int, str]]
    """Table, rows, address."""
    name: str
    key: str
    columns: list[str]
    found: Sequence[dict[str, Any]]
    """All rows of that table which hold what was searched for."""
    listing: Listing
    row: TableRow | None
    """The row that the address names, shown on its own."""
    asked: str
    """The key that the address names, there or not."""

    @property
    def header(self) -> list[str]:
        """What the columns of a download are called."""
        return [self.key, *self.columns, "row"]

    @property
    def lines(self) -> Iterator[list[Any]]:
        """The rows for a download: what the page shows of each, and the whole of it as JSON."""
        for row in self.found:
            shown = _row(row, self.key, self.columns)
            cells = (
                canonical(one) if isinstance(one, (dict, list)) else one for one in shown.cells
            )
            yield [shown.key, *cells, canonical(row)]


def tables(records: Any, contract: Any, address: Address) -> Tables:
    """The table and row that the address asks for; the first table where it asks for none."""
    stored: dict[str, list[dict[str, Any]]] = records.get("tables", {})
    asked = address.one("table")
    name = asked if asked in stored else next(iter(sorted(stored)), "")
    key = contract.get("tables", {}).get(name, {}).get("key", "")
    rows = sorted(stored.get(name, []), key=lambda row: str(row.get(key, "")))
    columns = columns_of(rows, key)
    found = searched(rows, address.one("q"))
    listing = Listing(address, paged(found, address), searched=address.one("q"))
    listing.page.object_list = [_row(row, key, columns) for row in listing.page.object_list]
    wanted = next((row for row in rows if row.get(key) == address.one("row")), None)
    return Tables(
        clock=records.get("clock", {}),
        counts=[
            (table, len(stored[table]), address.only("version", table=table))
            for table in sorted(stored)
        ],
        name=name,
        key=key,
        columns=columns,
        found=found,
        listing=listing,
        row=_row(wanted, key, columns) if wanted else None,
        asked=address.one("row"),
    )


def _row(row: dict[str, Any], key: str, columns: Sequence[str]) -> TableRow:
    return TableRow(str(row.get(key, "")), [row.get(name) for name in columns], row)


def columns_of(rows: Sequence[dict[str, Any]], key: str) -> list[str]:
    """The fields to show in columns: the key, then what most rows have as plain values."""
    seen: Counter[str] = Counter()
    for row in rows[:LOOKED_AT]:
        seen.update(name for name, value in row.items() if not isinstance(value, (dict, list)))
    first = list(rows[0]) if rows else []
    most = [name for name, _ in seen.most_common(MOST_COLUMNS) if name != key]
    return sorted(most[: MOST_COLUMNS - 1], key=lambda name: (name not in first, name))


def searched(rows: Sequence[dict[str, Any]], words: str) -> Sequence[dict[str, Any]]:
    """The rows that hold every word somewhere, whatever its case."""
    wanted = words.casefold().split()
    if not wanted:
        return rows
    return [row for row in rows if all(word in canonical(row).casefold() for word in wanted)]
