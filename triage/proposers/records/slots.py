"""Slots for which no row fits: the rows that nearly do, and the one value that keeps each from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from triage.proposers.records.conjuncts import Part, parts_of
from triage.proposers.records.ground import Ground
from triage.proposers.records.guesses import exchanges
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import mends
from triage.proposers.records.oracle import Oracle
from triage.proposers.records.paths import MISSING, value_at, with_value
from triage.proposers.records.rebuilt import rebuilt
from triage.proposers.records.variants import variants
from triage.recordedits import bare
from worlds.canonical import canonical
from worlds.intent import Intent
from worlds.records import Place, Records, Row
from worlds.slots import Binder, SlotUnbound
from worlds.world import World

SEEDS = 4
"""Ways in which the slots before are filled."""
MOST_ROWS = 2_000
"""Of the slot's table."""
MOST_NEAR = 12
MOST_KEPT = 120
MOST_ASKED = 1_500
NAMED = re.compile(r"\.(\w+)")
CHILDREN = re.compile(r"find\('(\w+)',\s*\{[^}]*?'(\w+)':\s*row\.(\w+)")
MOST_CHILDREN = 30


@dataclass(frozen=True)
class Near:
    """A row that would fit its slot but for some parts."""

    place: Place
    row: Row
    names: Mapping[str, Row]
    """The rows of the slots before."""
    failing: tuple[Part, ...]


def slot_mends(ground: Ground) -> Iterator[Mend]:
    """For each environment whose slots are not filled, or whose pinned rows do not fit."""
    oracle = Oracle(ground)
    for world in ground.lost:
        yield from islice(_of_world(ground, oracle, world), MOST_KEPT)


def _of_world(ground: Ground, oracle: Oracle, world: World) -> Iterator[Mend]:
    slots = world.bundle.intent.slots
    pin = world.bundle.manifest.pin
    pinned = {slot: key for slot, key in (pin.binding if pin else {}).items() if slot in slots}
    for slot, key in pinned.items():
        if ground.row((slots[slot].table, key)) is None:
            yield from islice(rebuilt(ground, oracle, slots[slot].table, key), 3)
    if world.rebound:
        rows = {s: row for s, key in pinned.items() if (row := ground.row((slots[s].table, key)))}
        for slot in world.rebound:
            if slot in rows:
                near = _near(world, slot, pinned[slot], rows[slot], rows)
                yield from _mends(ground, world, slot, near, "it fitted when it was pinned", 1.0)
    if world.unbound is not None:
        yield from _unbound(ground, world, world.unbound.slot)


def _unbound(ground: Ground, world: World, slot: str) -> Iterator[Mend]:
    table = world.bundle.intent.slots[slot].table
    rows = ground.base.tables.get(table, {})
    first = {place: at for at, place in enumerate(ground.first)}
    found: dict[tuple[str, tuple[str, ...]], tuple[int, int, Near]] = {}
    for names in _before(world, slot):
        for key, row in islice(rows.items(), MOST_ROWS):
            near = _near(world, slot, key, row, names)
            weight = len(near.failing)
            rank = first.get(near.place, len(first))
            found.setdefault((key, tuple(p.text for p in near.failing)), (weight, rank, near))
    ranked = sorted(found.values(), key=lambda item: (*item[:2], item[2].place))
    least = ranked[0][0] if ranked else 0
    for weight, _, near in ranked[:MOST_NEAR]:
        if 0 < weight <= least + 1:
            why = (
                f"slot `{slot}`: it is the only thing that keeps `{table}/{near.place[1]}` from it"
            )
            yield from _mends(ground, world, slot, near, why if weight == 1 else "", 1.0 / weight)
    yield from _swapped(ground, [near for weight, _, near in ranked[:MOST_NEAR] if weight == least])


def _before(world: World, slot: str) -> list[Mapping[str, Row]]:
    """Rows of the slots that can be filled before this one, in some ways."""
    intent = world.bundle.intent
    order = Binder(world.base, intent, 0).order
    kept = {name: intent.slots[name] for name in order[: order.index(slot)]}
    if not kept:
        return [{}]
    less: Intent = intent.model_copy(update={"slots": kept})
    found: dict[str, Mapping[str, Row]] = {}
    for seed in range(SEEDS):
        try:
            binding = Binder(world.base, less, world.bundle.manifest.seed + seed).bind()
        except SlotUnbound:
            continue
        rows = {name: world.base.tables[kept[name].table][key] for name, key in binding.items()}
        found[canonical(binding)] = rows
    return list(found.values())


def _near(world: World, slot: str, key: str, row: Row, names: Mapping[str, Row]) -> Near:
    table = world.bundle.intent.slots[slot].table
    records = Records(world.base)
    parts = parts_of(world, slot)
    failing = tuple(part for part in parts if not part.holds(records, row, {**names, slot: row}))
    return Near((table, key), row, names, failing)


def _mends(
    ground: Ground, world: World, slot: str, near: Near, why: str, factor: float
) -> Iterator[Mend]:
    left = MOST_ASKED
    for part in near.failing:
        for mend in _of_part(ground, part, near, why):
            left -= 1
            if left < 0:
                return
            if _holds(world, slot, near, mend, part):
                yield Mend(mend.rows, mend.how, mend.chance * factor, mend.authority or why)


def _holds(world: World, slot: str, near: Near, mend: Mend, part: Part) -> bool:
    """Whether the part holds then, and what held before still does."""
    records = Records(world.base)
    for (table, key), row in mend.rows.items():
        if row is None:
            records.delete(table, key)
        else:
            records.put(table, key, row)
    row = mend.rows.get(near.place) or near.row
    names = {**near.names, slot: row}
    if not part.holds(records, row, names):
        return False
    others = [each for each in parts_of(world, slot) if each not in near.failing]
    return all(each.holds(records, row, names) for each in others)


def _of_part(ground: Ground, part: Part, near: Near, why: str) -> Iterator[Mend]:
    if part.path:
        yield from _matched(ground, part, near, why)
        return
    fields = [name for name in dict.fromkeys(NAMED.findall(part.text)) if name in near.row]
    missing = [
        n for n in dict.fromkeys(re.findall(r"\brow\.(\w+)", part.text)) if n not in near.row
    ]
    for name in [*missing, *fields]:
        yield from mends(ground, *near.place, name, 1.0 if name in missing else 0.8)
    records = Records(ground.base)
    part.holds(records, near.row, {**near.names, "row": near.row})
    named = set(NAMED.findall(part.text))
    for place in sorted(records.touched - {near.place})[:MOST_NEAR]:
        row = ground.row(place) or {}
        for name in [each for each in row if each in named]:
            yield from mends(ground, *place, name, 0.6)
    yield from _relinked(ground, part, near)


def _matched(ground: Ground, part: Part, near: Near, why: str) -> Iterator[Mend]:
    """The value that `match` asks for, the likelier the more the one there is looks like it."""
    wanted = part.wanted(near.names)
    if wanted is MISSING or part.path.endswith("]") or "[" in part.path:
        return
    if part.path == ground.domain.tables[near.place[0]].key:
        return
    now = value_at(near.row, part.path)
    row = with_value(near.row, part.path, wanted)
    yield Mend({near.place: row}, "Set as the slot asks", _likeness(now, wanted), why)


def _likeness(now: Any, wanted: Any) -> float:
    if now is MISSING:
        return 0.75
    if type(now) is not type(wanted):
        return 0.6 if now is not None and bare(str(now)) == bare(str(wanted)) else 0.3
    if isinstance(now, str) and bare(now) == bare(wanted):
        return 0.85
    chances = [each.chance for each in variants(now) if each.value == wanted]
    return max(0.2, *chances) if chances else 0.2


def _relinked(ground: Ground, part: Part, near: Near) -> Iterator[Mend]:
    """Rows that name another row of the table, where the condition counts those that name this one."""
    for table, field, own in CHILDREN.findall(part.text):
        rows = ground.base.tables.get(table, {})
        wanted = near.row.get(own)
        naming = [(k, r) for k, r in rows.items() if r.get(field) not in (None, wanted)]
        words = _words(near.row)
        ranked = sorted(naming, key=lambda item: (-len(words & _words(item[1])), item[0]))
        for number, (key, row) in enumerate(ranked[:MOST_CHILDREN]):
            shared = len(words & _words(row))
            chance = (0.45 if number == 0 and shared else 0.25) if shared else 0.1
            of = f"{near.place[0]}/{near.place[1]}"
            authority = f"`{table}/{key}` speaks of the same as `{of}`" if shared else ""
            rows_ = {(table, key): {**row, field: wanted}}
            yield Mend(rows_, "Name the row that is meant", chance, authority)


def _words(row: Row) -> set[str]:
    """Of its prose."""
    texts = [value for value in row.values() if isinstance(value, str) and " " in value]
    return {word for text in texts[:6] for word in re.findall(r"[^\W\d]{4,}", text.lower()[:400])}


def _swapped(ground: Ground, nears: list[Near]) -> Iterator[Mend]:
    for at, one in enumerate(nears[:4]):
        for other in nears[at + 1 : 4]:
            if one.place != other.place:
                yield from exchanges(ground, one.place, other.place, 0.06)
