"""Records in which single values are mended as their own surroundings say: the schema, and what all other rows have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from worlds.canonical import canonical
from worlds.conditions import Allowance
from worlds.domain import Domain
from worlds.recordcheck import RowCheck, all_record_findings
from worlds.records import Records, Row
from worlds.recordset import Recordset
from worlds.world import World

MOST = 20
"""Values that one edit mends."""
FEWEST = 3
"""Other rows that say what is usual."""
_MISSING = object()


@dataclass(frozen=True)
class Mended:
    """One value of a row."""

    table: str
    key: str
    field: str
    before: Any
    """None where the row lacks it."""
    after: Any

    def __str__(self) -> str:
        return f"{self.table}/{self.key}#{self.field} {self.before!r:.40} → {self.after!r:.40}"


def with_usual_values(world: World) -> tuple[Recordset, list[Mended]] | None:
    """The world's records with values mended that break a schema or an invariant, or that have another type or format
    than in all other rows; None where nothing is to be mended, or nothing tells how. No row is added or taken away,
    and of no value is anything known but what stands around it."""
    mended: dict[tuple[str, str], Mended] = {}
    for table, key, field in dict.fromkeys([*_found(world), *_misshapen(world)]):
        row = world.base.tables[table][key]
        if (table, key) not in mended and len(mended) < MOST:
            known = next(_mends(world, table, row, field), _MISSING)
            if known is not _MISSING:
                mended[table, key] = Mended(table, key, field, row.get(field), known)
    return (_edited(world, mended), list(mended.values())) if mended else None


def _edited(world: World, mended: Mapping[tuple[str, str], Mended]) -> Recordset:
    records = world.bundle.records

    def row(table: str, before: Row) -> Row:
        change = mended.get((table, before[world.bundle.domain.tables[table].key]))
        return before if change is None else {**before, change.field: change.after}

    tables = {name: [row(name, each) for each in rows] for name, rows in records.tables.items()}
    return records.model_copy(update={"tables": tables})


# Which values


def _found(world: World) -> Iterator[tuple[str, str, str]]:
    """Table, key and field of what a check finds; of a broken invariant, each field that it asks of."""
    for found in all_record_findings(world):
        evidence = found.evidence
        if found.code != "row-invalid" or "key" not in evidence:
            continue
        field = evidence.get("field", "").partition(".")[0]
        for name in [field] if field else evidence.get("asked", ()):
            yield evidence["table"], evidence["key"], name


def _misshapen(world: World) -> Iterator[tuple[str, str, str]]:
    """The only text of a field that is not written as all others are."""
    for table, rows in world.base.tables.items():
        for field in sorted({name for row in rows.values() for name in row}):
            shaped: dict[str, list[str]] = {}
            for key, row in rows.items():
                shaped.setdefault(shape(row.get(field)), []).append(key)
            if len(shaped) == 2:
                odd, usual = sorted(shaped.values(), key=len)
                if len(odd) == 1 and len(usual) >= FEWEST:
                    yield table, odd[0], field


def shape(value: Any) -> str:
    """How a text is written, letters and digits being alike; of anything else, its type."""
    if not isinstance(value, str):
        return type(value).__name__
    return re.sub(r"[A-Z]", "A", re.sub(r"[a-z]", "a", re.sub(r"[0-9]", "0", f"“{value}")))


# What they should be


def _mends(world: World, table: str, row: Row, field: str) -> Iterator[Any]:
    """Values after which nothing is wrong with the row, the likeliest first."""
    key = row[world.bundle.domain.tables[table].key]
    is_broken = _is_wrong(world, table, key, row)
    for value in _likely(world, table, key, field, is_broken=is_broken):
        if not _is_wrong(world, table, key, {**row, field: value}):
            yield value


def _is_wrong(world: World, table: str, key: str, row: Row) -> bool:
    records = Records(world.base)
    try:
        records.put(table, key, row)
    except ValueError:
        return True  # it is the key that was changed
    check = RowCheck(records, world.base.clock.now, Allowance())
    return next(check.problems(table, key, row), None) is not None


def _likely(world: World, table: str, key: str, field: str, *, is_broken: bool) -> Iterator[Any]:
    rows = world.base.tables[table]
    others = [row[field] for other, row in rows.items() if other != key and field in row]
    if field in rows[key]:
        given = rows[key][field]
        shapes = {shape(value) for value in others} if len(others) >= FEWEST else set()
        for value in spellings(given, allowed(world.bundle.domain, table, field)):
            as_usual = shape(value) in shapes if len(shapes) == 1 else is_broken
            if as_usual and canonical(value) != canonical(given):
                yield value
    if len(others) >= FEWEST and len({canonical(value) for value in others}) == 1:
        yield from _usual(rows[key].get(field), others[0], is_broken=is_broken)


def allowed(domain: Domain, table: str, field: str) -> list[Any]:
    """The values of an enum; none where the schema names none, or is none itself."""
    schema: Any = domain.tables[table].schema_
    for name in ("properties", field, "enum"):
        schema = schema.get(name) if isinstance(schema, Mapping) else None
    return schema if isinstance(schema, list) else []


def _usual(given: Any, usual: Any, *, is_broken: bool) -> Iterator[Any]:
    """What all other rows have, unless the one that departs may well be meant: of the same type, or a value where the
    others have none."""
    if is_broken or (usual is not None and type(given) is not type(usual)):
        yield usual


def spellings(value: Any, among: list[Any]) -> Iterator[Any]:
    """The same value otherwise: of another type, in another format, as one of those that are allowed."""
    if isinstance(value, str):
        plain = value.strip()
        alike = [each for each in among if isinstance(each, str) and bare(each) == bare(plain)]
        yield from alike if len(alike) == 1 else ()
        yield from typed(plain)
        for old, new in (("", ""), ("/", "-"), (".", "-"), (" ", "T"), ("_", "-"), ("-", "_")):
            yield plain.replace(old, new)
        yield from (plain.lower(), plain.upper(), plain.capitalize())
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
        yield from [int(value)] if isinstance(value, float) and value.is_integer() else []
    elif isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, list) and len(value) == 1:
        yield value[0]
    if value is not None and not isinstance(value, list):
        yield [value]


def typed(text: str) -> Iterator[Any]:
    if re.fullmatch(r"-?[0-9]{1,15}", text):
        yield int(text)
    if re.fullmatch(r"-?[0-9]{1,15}\.[0-9]{1,15}", text):
        yield float(text)
    if text.lower() in ("true", "false"):
        yield text.lower() == "true"


def bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
