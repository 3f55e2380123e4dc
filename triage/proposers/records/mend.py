"""What rows would say instead, and what speaks for it before anything is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from worlds.canonical import canonical
from worlds.domain import Domain
from worlds.records import Place, Row
from worlds.recordset import Recordset

LONGEST = 60
"""Characters of a value that a sentence shows."""


@dataclass(frozen=True)
class Mend:
    """One to some rows that would say something else."""

    rows: Mapping[Place, Row | None]
    """None where the row goes."""
    how: str
    """What is done, as a sentence in the imperative without its full stop."""
    chance: float
    """That it is right, by what led to it alone."""
    authority: str = ""
    """As `Candidate.authority`."""

    @property
    def identity(self) -> tuple[tuple[Place, str], ...]:
        """The same for mends that say the same."""
        return tuple(sorted((place, canonical(row)) for place, row in self.rows.items()))


class Ledger:
    """Mends that say the same, reached by several ways, are one that more speaks for."""

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[Place, str], ...], dict[str, Mend]] = {}

    def add(self, mend: Mend) -> None:
        """Take it down; what is done the same way counts once."""
        ways = self._known.setdefault(mend.identity, {})
        before = ways.get(mend.how)
        if before is None or (before.chance, before.authority) < (mend.chance, mend.authority):
            ways[mend.how] = mend

    def ranked(self) -> list[Mend]:
        """The likeliest first; the likeliest way to each gives the words."""
        mends = [_one(list(ways.values())) for ways in self._known.values()]
        return sorted(mends, key=lambda each: -each.chance)


def _one(ways: list[Mend]) -> Mend:
    first, *others = sorted(ways, key=lambda each: -each.chance)
    authority = next((each.authority for each in (first, *others) if each.authority), "")
    chance = together(*(each.chance for each in ways))
    return replace(first, chance=chance, authority=authority)


def together(*chances: float) -> float:
    """The probability that one of several things that have nothing to do with each other is so."""
    none = 1.0
    for chance in chances:
        none *= 1 - chance
    return 1 - none


def edited(body: Recordset, domain: Domain, rows: Mapping[Place, Row | None]) -> Recordset:
    """The records with these rows in the place of those of their keys, new ones at the end of their tables."""
    left = dict(rows)
    tables: dict[str, list[dict[str, Any]]] = {}
    for table, before in body.tables.items():
        spec = domain.tables.get(table)
        placed = [left.pop((table, row.get(spec.key)), row) if spec else row for row in before]  # type: ignore[arg-type]
        tables[table] = [row for row in placed if row is not None]
    for (table, _), row in left.items():
        if row is not None:
            tables.setdefault(table, []).append(row)
    return body.model_copy(update={"tables": tables})


def told(before: Mapping[Place, Row | None], rows: Mapping[Place, Row | None]) -> str:
    """Each value that changes, as `orders/W1#total 20 → 25`."""
    return "; ".join(
        line for (table, key), row in rows.items() for line in _lines(table, key, before, row)
    )


def _lines(
    table: str, key: str, before: Mapping[Place, Row | None], row: Row | None
) -> Iterator[str]:
    was = before.get((table, key))
    if was is None or row is None:
        yield f"{table}/{key} {'is added' if was is None else 'goes'}"
        return
    for field in sorted({*was, *row}):
        if field not in was or field not in row or canonical(was[field]) != canonical(row[field]):
            yield f"{table}/{key}#{field} {_shown(was, field)} → {_shown(row, field)}"


def _shown(row: Row, field: str) -> str:
    if field not in row:
        return "absent"
    text = "null" if row[field] is None else repr(row[field])
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
