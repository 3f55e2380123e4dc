"""What a field of a row might have instead, from all that tells something of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits import expected
from triage.proposers.records.habits.moments import when
from triage.proposers.records.likeness import likely_values
from triage.proposers.records.mend import Mend, together
from triage.proposers.records.paths import MISSING, value_at, with_value
from triage.proposers.records.variants import moved_as, nearest, variants
from triage.recordedits import allowed
from worlds.canonical import canonical
from worlds.records import Row

FEWEST_TRUSTED = 0.5
"""Share of known rows that another records set must say the same of, before it is believed about one more."""
MOST_USUAL = 60
"""Different values of a field that are kinds, and may be misspelt."""
MOST = 40


@dataclass(frozen=True)
class Option:
    """A value, and why."""

    value: Any
    chance: float
    how: str
    authority: str = ""


def options(ground: Ground, table: str, key: str, row: Row, path: str) -> list[Option]:
    """The likeliest first, none twice; the first to name a value gives the words, and all that name it add up."""
    now = value_at(row, path)
    known: dict[str, Option] = {}
    for each in _all(ground, table, key, row, path):
        name = canonical(each.value) if each.value is not MISSING else ""
        if now is not MISSING and each.value is not MISSING and name == canonical(now):
            continue
        known[name] = _both(known[name], each) if name in known else each
    return sorted(known.values(), key=lambda each: -each.chance)[:MOST]


def _both(one: Option, other: Option) -> Option:
    top = max(one, other, key=lambda option: option.chance)
    chance = together(one.chance, other.chance)
    return Option(one.value, chance, top.how, one.authority or other.authority)


def mends(ground: Ground, table: str, key: str, path: str, factor: float = 1.0) -> Iterator[Mend]:
    """Each option as a mend of the row as it is."""
    row = ground.row((table, key))
    if row is None or path.split(".", maxsplit=1)[0] == ground.domain.tables[table].key:
        return
    for each in options(ground, table, key, row, path):
        changed = with_value(row, path, each.value)
        yield Mend({(table, key): changed}, each.how, each.chance * factor, each.authority)


def _all(ground: Ground, table: str, key: str, row: Row, path: str) -> Iterator[Option]:
    field = path.partition(".")[0]
    yield from _siblings(ground, table, key, path)
    if field == path:
        yield from _told(ground, table, key, row, field)
    now = value_at(row, path)
    among = usual(ground, table, field) if field == path else []
    if isinstance(now, list):
        yield from _lists(now)
    elif now is not MISSING:
        for variant in variants(now, among):
            yield Option(variant.value, variant.chance, variant.how)
    if now is None or now is MISSING or not isinstance(now, (list, dict)):
        yield from _references(ground, table, row, path)
    if field == path:
        yield from _like(ground, table, row, field)
        yield from _beside(ground, table, key, row, field)
        yield from _gaps(ground, table, row, field)
        yield from _enum(ground, table, field)


def _siblings(ground: Ground, table: str, key: str, path: str) -> Iterator[Option]:
    for each in ground.siblings:
        other = each.tables[table].get(key)
        value = value_at(other, path) if other is not None else MISSING
        if value is not MISSING and each.trust[table] >= FEWEST_TRUSTED:
            authority = f"{each.label} has {value!r:.60} in `{table}/{key}#{path}`"
            yield Option(value, 0.85 * each.trust[table], "Take over", authority)


def _told(ground: Ground, table: str, key: str, row: Row, field: str) -> Iterator[Option]:
    absent = field not in row or row[field] is None
    probe = row if not absent else {**row, field: None}
    for value, habit in expected(ground, table, key, probe, field):
        yield Option(value, habit.chance, "Set as it follows", habit.authority)


def _like(ground: Ground, table: str, row: Row, field: str) -> Iterator[Option]:
    for value, share in likely_values(ground, table, row, field):
        yield Option(value, 0.45 * share, "Set as in like rows")


def _beside(ground: Ground, table: str, key: str, row: Row, field: str) -> Iterator[Option]:
    """What the rows before and after have, where rows of one matter are counted one after the other."""
    column = Counter(ground.column(table, field).values())
    if field in row or column.total() <= len(column) * 1.2:
        return
    keys = sorted({*ground.base.tables[table], key}, key=counted)
    at = keys.index(key)
    beside = keys[max(0, at - 1) : at] + keys[at + 1 : at + 2]
    found = [ground.base.tables[table][each].get(field) for each in beside]
    texts = [value for value in found if isinstance(value, str)]
    for value in dict.fromkeys(texts):
        chance = 0.35 if texts.count(value) > 1 else 0.12
        yield Option(value, chance, "Set as in the rows beside it")


def counted(key: str) -> tuple[str, int, str]:
    """Keys in the order in which they were counted."""
    stem = key.rstrip("0123456789")
    digits = key[len(stem) :][-15:]
    return stem, int(digits or 0), key


def _gaps(ground: Ground, table: str, row: Row, field: str) -> Iterator[Option]:
    """A moment that is missing, from another of the row, by what mostly lies between the two."""
    if row.get(field) is not None:
        return
    for other in sorted(row):
        start = when(row[other]) if other != field else None
        if start is not None:
            for gap, share in _usual_gaps(ground, table, field, other):
                moved = moved_as(str(row[other]), gap)
                if moved is not None:
                    yield Option(moved, 0.5 * share, "Set by what mostly lies between")


@lru_cache(maxsize=64)
def _usual_gaps(
    ground: Ground, table: str, field: str, other: str
) -> list[tuple[timedelta, float]]:
    gaps = Counter(
        one - two
        for row in ground.base.tables[table].values()
        if (one := when(row.get(field))) is not None and (two := when(row.get(other))) is not None
    )
    return [(gap, times / gaps.total()) for gap, times in gaps.most_common(5) if times > 1]


def _enum(ground: Ground, table: str, field: str) -> Iterator[Option]:
    for value in allowed(ground.domain, table, field):
        yield Option(value, 0.05, "Set", f"schema: `{table}.{field}` is one of its enum")


@lru_cache(maxsize=256)
def _usual(ground: Ground, table: str, field: str) -> tuple[Any, ...]:
    counts = Counter(
        row[field] for row in ground.base.tables[table].values() if isinstance(row.get(field), str)
    )
    if len(counts) > MOST_USUAL or counts.total() < 4:
        return ()
    return tuple(sorted(value for value, times in counts.items() if times > 1))


def usual(ground: Ground, table: str, field: str) -> list[Any]:
    """Values that a field may have: of its enum, the keys of the table that it names, those that come again; and what
    stands in fields of the same name elsewhere."""
    enum = allowed(ground.domain, table, field)
    if enum:
        return enum
    elsewhere = [
        value
        for name, rows in ground.base.tables.items()
        if name != table and field in next(iter(rows.values()), {})
        for value in _usual(ground, name, field)
    ]
    return [*_usual(ground, table, field), *elsewhere]


def _references(ground: Ground, table: str, row: Row, path: str) -> Iterator[Option]:
    """The rows that a reference may name, those of like keys and in like rows first."""
    steps = ["[]" if step.isdecimal() else f".{step}" for step in path.split(".")]
    pattern = "".join(steps).removeprefix(".")
    for reference in ground.domain.tables[table].references:
        rows = ground.base.tables.get(reference.to)
        if reference.from_ != pattern or rows is None:
            continue
        now = value_at(row, path)
        if isinstance(now, str):
            for variant in nearest(now, list(rows)):
                yield Option(variant.value, variant.chance * 0.6, "Name")
        if now is not None and now is not MISSING:
            yield Option(None, 0.04, "Name none")
        if len(rows) <= MOST:
            yield from (Option(key, 0.03, "Name") for key in rows)


def _lists(now: list[Any]) -> Iterator[Option]:
    """One item otherwise, none twice, one less."""
    seen: list[Any] = []
    for item in now:
        if item not in seen:
            seen.append(item)
    if len(seen) < len(now):
        yield Option(seen, 0.3, "Take out what stands twice")
    for at, item in enumerate(now[:20]):
        for variant in variants(item) if not isinstance(item, (list, dict)) else ():
            value = [*now[:at], variant.value, *now[at + 1 :]]
            yield Option(value, variant.chance * 0.8, variant.how)
        if len(now) > 1:
            yield Option([*now[:at], *now[at + 1 :]], 0.04, "Take one out")


def fields_of(ground: Ground, table: str) -> Mapping[str, Any]:
    """The properties that the schema names, or, where it names none, those that rows have."""
    properties = ground.domain.tables[table].schema_.get("properties")
    if isinstance(properties, Mapping) and properties:
        return properties
    rows = list(ground.base.tables[table].values())[:200]
    return {name: {} for row in rows for name in row}
