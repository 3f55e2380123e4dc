"""Rows that depart from what is so in all others: in what follows from other fields, in spelling, in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits import Habit, habits_of, relations_of
from triage.proposers.records.habits.moments import moment_fields, orders, when
from triage.proposers.records.habits.relation import Relation, Where
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import counted, usual
from triage.proposers.records.paths import with_value
from triage.proposers.records.variants import nearest, shaped_as, variants
from triage.recordedits import bare, shape
from worlds.records import Place, Row

FAR = 0.3
"""What a departure counts in a row that has nothing to do with what fails."""
FEWEST = 8
MOST = 150
MOST_ODD = 3


def habit_mends(ground: Ground) -> Iterator[Mend]:
    """Rows that break a habit, the firmest habits and the nearest rows first."""
    near = set(ground.first)
    found = [
        (_weight(each, (each.relation.table, where[0]) in near), each, where)
        for habits in habits_of(ground).values()
        for each in habits
        for where in each.broken
    ]
    for weight, each, where in sorted(found, key=lambda item: -item[0])[:MOST]:
        record = each.relation.records[where]
        for value in each.tells(where, record)[:4]:
            place = (each.relation.table, where[0])
            row = ground.row(place)
            if row is not None and each.field != ground.domain.tables[place[0]].key:
                path = f"{where[1]}.{each.field}" if where[1] else each.field
                changed = with_value(row, path, value)
                yield Mend({place: changed}, "Set as it follows", weight, each.authority)


def _weight(habit: Habit, is_near: bool) -> float:
    return habit.oddness * (1.0 if is_near else FAR)


def spelling_mends(ground: Ground) -> Iterator[Mend]:
    """Values that most rows spell otherwise, in all rows that have them; and those that a longer one contains."""
    for relation in relations_of(ground):
        if not relation.path:
            for field in relation.fields_of(str):
                if field != relation.key:
                    yield from _spelled(ground, relation, field)
                    yield from _shaped(ground, relation, field)


def _spelled(ground: Ground, relation: Relation, field: str) -> Iterator[Mend]:
    holders: dict[str, list[str]] = defaultdict(list)
    for (key, _), row in relation.records.items():
        if isinstance(row.get(field), str):
            holders[row[field]].append(key)
    among = usual(ground, relation.table, field)
    rare = {text: keys for text, keys in holders.items() if len(keys) <= MOST_ODD}
    if not among or len(holders) > 200:
        return
    for text, keys in sorted(rare.items()):
        others = [each for each in among if each != text and len(holders.get(each, ())) != 1]
        for variant in nearest(text, others):
            if bare(str(variant.value)) == bare(text) or variant.how == "Write in full":
                times = len(holders.get(variant.value, ())) or 2
                if times > len(keys) or variant.how == "Write in full":
                    yield _respelled(ground, relation.table, field, keys, variant.value, times)


def _respelled(
    ground: Ground, table: str, field: str, keys: list[str], value: str, times: int
) -> Mend:
    rows: dict[Place, Row | None] = {}
    for key in keys:
        rows[table, key] = {**ground.base.tables[table][key], field: value}
    near = any(place in set(ground.first) for place in rows)
    authority = f"`{table}.{field}` is {value!r} in {times} other rows"
    return Mend(rows, "Spell as all others do", 0.7 if near else 0.4, authority)


def _shaped(ground: Ground, relation: Relation, field: str) -> Iterator[Mend]:
    """Days, moments and codes that are written otherwise than all others."""
    values = {w: r[field] for w, r in relation.records.items() if isinstance(r.get(field), str)}
    habit = shaped_as(list(values.values())) if len(values) >= FEWEST else None
    odd = [where for where, value in values.items() if habit and shape(value) != habit]
    if habit is None or not odd or len(odd) > MOST_ODD:
        return
    authority = f"`{relation.table}.{field}` is written so in {len(values) - len(odd)} other rows"
    for where in odd:
        for variant in variants(values[where]):
            if shape(variant.value) == habit:
                place = (relation.table, where[0])
                row = {**relation.records[where], field: variant.value}
                near = 1.0 if place in set(ground.first) else FAR
                chance = min(0.9, variant.chance + 0.4) * near
                yield Mend({place: row}, variant.how, chance, authority)


def order_mends(ground: Ground) -> Iterator[Mend]:
    """Moments that lie the wrong way round, and those that break the order of the keys."""
    for relation in relations_of(ground):
        if not relation.path:
            for early, late, holds, broken in orders(relation):
                for where in broken:
                    yield from _in_order(ground, relation, where, early, late, holds)
            for field in moment_fields(relation):
                yield from _in_sequence(ground, relation, field)


def _in_order(
    ground: Ground, relation: Relation, where: Where, early: str, late: str, holds: int
) -> Iterator[Mend]:
    row = relation.records[where]
    authority = f"`{relation.table}.{early}` is never after `{late}` in {holds} other rows"
    near = 1.0 if (relation.table, where[0]) in set(ground.first) else FAR
    for field, value in ((early, row[early]), (late, row[late])):
        for variant in variants(value):
            changed = {**row, field: variant.value}
            one, two = when(changed[early]), when(changed[late])
            if one and two and one <= two:
                chance = min(0.7, variant.chance * 3) * near
                yield Mend({(relation.table, where[0]): changed}, variant.how, chance, authority)


def _in_sequence(ground: Ground, relation: Relation, field: str) -> Iterator[Mend]:
    """Rows counted on as time goes: one that lies before the one before it, or after the one after it."""
    told = sorted(
        (counted(where[0]), where, moment)
        for where, row in relation.records.items()
        if (moment := when(row.get(field))) is not None
    )
    pairs = list(pairwise(told))
    backward = [at for at, (one, two) in enumerate(pairs) if one[2] > two[2]]
    if len(pairs) < FEWEST or not backward or len(backward) > max(1, 0.1 * len(pairs)):
        return
    authority = (
        f"rows of `{relation.table}` are numbered in the order of `{field}`, but for this one"
    )
    for at in backward[:MOST_ODD]:
        for place in (at, at + 1):
            low = told[place - 1][2] if place else None
            high = told[place + 1][2] if place + 1 < len(told) else None
            where = told[place][1]
            row = relation.records[where]
            near = 1.0 if (relation.table, where[0]) in set(ground.first) else FAR
            for variant in variants(row[field]):
                moment = when(variant.value)
                if moment and (low is None or low <= moment) and (high is None or moment <= high):
                    changed = {**row, field: variant.value}
                    chance = min(0.5, variant.chance * 3) * near
                    yield Mend(
                        {(relation.table, where[0]): changed}, variant.how, chance, authority
                    )


def double_mends(ground: Ground) -> Iterator[Mend]:
    """Rows that say the same as another but for their key, and that no row names."""
    for relation in relations_of(ground):
        if relation.path or len(relation.records) < FEWEST:
            continue
        alike: dict[str, list[str]] = defaultdict(list)
        for (key, _), row in relation.records.items():
            alike[repr(sorted((n, repr(v)) for n, v in row.items() if n != relation.key))].append(
                key
            )
        doubles = [keys for keys in alike.values() if len(keys) == 2]
        if len(doubles) <= 2 and max(Counter(map(len, alike.values())), default=1) <= 2:
            for keys in doubles:
                authority = f"`{relation.table}/{keys[0]}` says the same"
                yield Mend({(relation.table, keys[1]): None}, "Take out the double", 0.3, authority)
