"""One field tells another: in the same record, in the row that it names, or in the rows that name it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits.habit import EXCEPTIONS, FEWEST, Habit, alike, get, habit
from triage.proposers.records.habits.relation import Relation, Where
from worlds.records import Row

MOST_KEYS = 4
"""Rows that a reference may name so that what is told of them is so."""
NEARLY_ALL = 0.9
PROBE = 24
"""Records by which it is seen whether two fields have anything to do with each other."""
PROBED = 0.7


def functional(relation: Relation) -> Iterator[Habit]:
    """Fields whose value is the same in all records that have the same in another."""
    for given in relation.fields:
        groups = _groups(relation, given)
        if groups is None:
            continue
        for told in relation.fields:
            if told not in (given, relation.key):
                yield from _functional(relation, given, told, groups)


def _groups(relation: Relation, given: str) -> dict[Any, list[Where]] | None:
    """Of a field with values that come again; None of any other."""
    groups: dict[Any, list[Where]] = defaultdict(list)
    for where, row in relation.records.items():
        value = get(row, given)
        if value is not None and given != relation.key:
            groups[value].append(where)
    again = sum(len(each) for each in groups.values() if len(each) > 1)
    return groups if len(groups) > 1 and again >= FEWEST else None


def _functional(
    relation: Relation, given: str, told: str, groups: Mapping[Any, list[Where]]
) -> Iterator[Habit]:
    counts = {
        value: Counter(repr(get(relation.records[where], told)) for where in places)
        for value, places in groups.items()
    }
    total: Counter[str] = Counter()
    for each in counts.values():
        total.update(each)
    if max(total.values(), default=0) > NEARLY_ALL * total.total():
        return  # nothing depends on anything
    holds, broken = 0, []
    for value, places in groups.items():
        common, times = counts[value].most_common(1)[0]
        if times >= 2:
            holds += times
            broken += [w for w in places if repr(get(relation.records[w], told)) != common]
        elif len(places) > 1:
            return
    if holds < 2 * FEWEST or len(broken) > max(1, EXCEPTIONS * holds):
        return

    def tells(where: Where, row: Row) -> list[Any]:
        value = get(row, given)
        others = [
            get(relation.records[w], told)
            for w in groups.get(value, ()) if w != where and told in relation.records[w]
        ] if value is not None else []  # fmt: skip
        first = next((each for each in others if each is not None), None)
        return [first] if first is not None and all(alike(e, first) for e in others) else []

    says = f"`{relation.name}.{told}` goes with `{given}`"
    weight = 0.7 * (1 - 0.5 * max(total.values()) / total.total())
    yield Habit(relation, told, says, tells, holds, tuple(broken), weight)


def paths(ground: Ground, relation: Relation) -> Iterator[Habit]:
    """Fields that say what the row named by another says, or name one of those that it lists."""
    for reference, table in relation.references:
        yield from _direct(ground, relation, reference, table)


def _direct(ground: Ground, relation: Relation, reference: str, table: str) -> Iterator[Habit]:
    target = ground.base.tables[table]
    there = {name for row in list(target.values())[:50] for name in row}
    for field in relation.fields:
        for name in sorted(there - {ground.domain.tables[table].key}):
            if field not in (reference, relation.key) and _is_related(
                relation, reference, target, field, name
            ):
                yield from _path(ground, relation, reference, table, field, name)


def _is_related(
    relation: Relation, reference: str, target: Mapping[str, Row], field: str, name: str
) -> bool:
    """By the first records that have both."""
    asked = alike_ = 0
    for row in relation.records.values():
        there = _at(target, row, reference, name)
        if row.get(field) is None or not there:
            continue
        asked += 1
        alike_ += any(alike(row[field], each) for each in there)
        if asked == PROBE:
            break
    return asked >= FEWEST and alike_ >= PROBED * asked


def _at(target: Mapping[str, Row], row: Row, reference: str, name: str) -> list[Any]:
    key = row.get(reference)
    found = target[key].get(name) if isinstance(key, str) and key in target else None
    if isinstance(found, list):
        return [each for each in found if not isinstance(each, (list, dict))]
    return [] if found is None or isinstance(found, dict) else [found]


def _path(
    ground: Ground, relation: Relation, reference: str, table: str, field: str, name: str
) -> Iterator[Habit]:
    target = ground.base.tables[table]
    index: dict[str, list[str]] = defaultdict(list)
    for key, row in target.items():
        for value in _at({"": row}, {reference: ""}, reference, name):
            index[repr(value)].append(key)

    def forward(_: Where, row: Row) -> list[Any]:
        return _at(target, row, reference, name)

    def backward(_: Where, row: Row) -> list[Any]:
        value = get(row, field)
        keys = index.get(repr(value), []) if value is not None else []
        own = [key for key in keys if key == row.get(reference)]
        return own or (keys if len(keys) <= MOST_KEYS else [])

    says = f"`{relation.name}.{field}` is `{name}` of the row of {table} that `{reference}` names"
    found = list(habit(relation, field, says, forward, 0.9))
    yield from found
    if found:
        for each in habit(relation, reference, says, backward, 0.8):
            yield Habit(relation, reference, says, backward, each.holds, found[0].broken, 0.75)


def from_children(ground: Ground, relation: Relation) -> Iterator[Habit]:
    """Fields that say what all rows which name this one say."""
    if relation.path:
        return
    for child, spec in ground.domain.tables.items():
        for reference in spec.references:
            if (
                reference.to == relation.table
                and "[" not in reference.from_
                and child != relation.table
            ):
                yield from _from_child(ground, relation, child, reference.from_)


def _from_child(ground: Ground, relation: Relation, child: str, reference: str) -> Iterator[Habit]:
    rows = ground.base.tables[child]
    index = ground.base.index(child, reference)
    names = sorted({name for row in list(rows.values())[:50] for name in row} - {reference})
    for field in relation.fields:
        for name in names:
            if field == relation.key or name == ground.domain.tables[child].key:
                continue

            def tells(where: Where, _: Row, name: str = name) -> list[Any]:
                keys = index.get(f'"{where[0]}"', [])[:20]
                values = [value for key in keys if (value := get(rows[key], name)) is not None]
                same = values and all(alike(each, values[0]) for each in values)
                return values[:1] if same else []

            says = f"`{relation.name}.{field}` is `{name}` of the rows of {child} that name it"
            yield from habit(relation, field, says, tells, 0.7)
