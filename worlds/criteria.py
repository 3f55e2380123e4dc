"""Criteria of a goal that exclude each other, as far as it is provable: from their trees, from what they read of a
state in which little or nothing may change, and from the pinned effect."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from worlds.cel_tree import Node, literal_text, parse, walk
from worlds.changes import Allowance, beyond
from worlds.conditions import ConditionFailed, View
from worlds.contradiction import contradictory
from worlds.diff import Diff
from worlds.findings import Finding, finding
from worlds.goal import Requirement
from worlds.records import Records
from worlds.relations.likeness import written
from worlds.relations.subject import texts
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.world import World

LOOKS = {"get", "find", "count", "changed"}
"""Functions that look at the state as it is; what it was at the start never changes."""
UNSETTLED = {"now", "has"}
"""Time passes, and a row that is not there may come to have a field."""
ALWAYS = parse("true")


@lru_cache(maxsize=1_024)
def _tree(text: str) -> Node:
    return parse(text)


def criteria_findings(world: World) -> list[Finding]:
    """Every pair that excludes each other. Whether the plan gets anywhere has no part in it."""
    if world.unbound is not None:
        return []
    return [*_contradictions(world), *_out_of_reach(world), *_against_pin(world)]


def _conflict(world: World, place: str, message: str, against: str) -> Finding:
    return finding(
        "criteria-conflict",
        "intent",
        world.bundle.manifest.intent.slug,
        place=place,
        symbol=place,
        message=message,
        evidence={"criteria": [place, against]},
    )


def _conditions(world: World) -> list[Requirement]:
    return [each for each in world.goal.require if each.condition is not None]


# Two conditions


def _contradictions(world: World) -> Iterator[Finding]:
    trees = [(each, _tree(each.written_out)) for each in _conditions(world)]
    impossible = [each.place for each, tree in trees if contradictory(tree, ALWAYS)]
    for each, _ in trees:
        if each.place in impossible:
            message = f"No state at all satisfies “{_line(each.text)}”."
            yield _conflict(world, each.place, message, each.place)
    for (one, first), (other, second) in combinations(trees, 2):
        if impossible or not contradictory(first, second):
            continue
        message = f"No state satisfies both “{_line(one.text)}” and “{_line(other.text)}”."
        yield _conflict(world, other.place, message, one.place)


def _line(text: str) -> str:
    return " ".join(text.split())


# A condition about what may not change


@dataclass(frozen=True)
class Look:
    """What a condition reads of the state."""

    table: str
    field: str = ""
    """Of a row that is named by its key; empty where rows come and go, or the whole row is looked at."""


def looks(tree: Node) -> set[Look] | None:
    """All that a condition reads of the state; None where that cannot be told."""
    found: set[Look] = set()
    read = {id(node.parts[0]): node.text for node in walk(tree) if node.kind == "field"}
    for node in walk(tree):
        if node.kind == "call" and node.text in UNSETTLED:
            return None
        if node.kind == "call" and node.text in LOOKS:
            table = literal_text(node.parts[0]) if node.parts else None
            if table is None:
                return None
            found.add(Look(table, _field(node, read.get(id(node), ""))))
    return found


def _field(node: Node, read: str) -> str:
    if node.text == "get":
        return read
    named = node.text == "changed" and len(node.parts) == 3
    return (literal_text(node.parts[2]) or "") if named else ""


def _out_of_reach(world: World) -> Iterator[Finding]:
    allowances = world.goal.allowances
    if allowances is None or world.goal.bad_changes:
        return
    for each in _conditions(world):
        read = looks(_tree(each.written_out))
        if read and not _may_change(world, read, allowances) and _is_false_at_start(world, each):
            message = (
                f"“{_line(each.text)}” is false at the start, and goal.changes lets nothing change "
                f"that it looks at ({_named(read)})."
            )
            yield _conflict(world, each.place, message, "goal.changes")


def _named(read: Collection[Look]) -> str:
    return ", ".join(
        sorted(f"{each.table}#{each.field}" if each.field else each.table for each in read)
    )


def _may_change(world: World, read: Collection[Look], allowances: list[Allowance]) -> bool:
    volatile = {entry.partition("/")[0] for entry in world.bundle.domain.volatile}
    return any(
        volatile & {"*", look.table} or any(_lets(entry, look) for entry in allowances)
        for look in read
    )


def _lets(entry: Allowance, look: Look) -> bool:
    """Whether an entry lets something change that is looked at.

    New rows do not count where a row is named by its key: one that was there is not new, and where none was, reading
    its field was an error, and what was false beside an error is false whatever comes in its place.
    """
    if entry.table != look.table:
        return False
    if not look.field:
        return True
    return entry.key is not None and (not entry.fields or look.field in entry.fields)


def _is_false_at_start(world: World, requirement: Requirement) -> bool:
    return _holds(world, requirement, Records(world.base)) is False


def _holds(world: World, requirement: Requirement, records: Records) -> bool | None:
    """Whether it holds of this state; None where it fails with an error."""
    assert requirement.condition is not None  # noqa: S101  # the caller looked
    try:
        return requirement.condition.holds(View(records, world.base.clock.now), world.rows)
    except ConditionFailed:
        return None


# The pinned effect

PINNED = "The pinned effect of the plan, which the goal asks for,"


def _against_pin(world: World) -> Iterator[Finding]:
    pin = world.bundle.manifest.pin
    effect = pin.effect if pin is not None else None
    if not world.bundle.intent.goal.matches_plan or effect is None or not _fits(world, effect):
        return
    yield from _beyond_changes(world, effect)
    records = Records(world.base)
    records.apply(effect)
    for each in _conditions(world):
        if _is_certain(world, each, effect) and _holds(world, each, records) is False:
            message = f"{PINNED} does not satisfy “{_line(each.text)}”."
            yield _conflict(world, each.place, message, "pin.effect")


def _fits(world: World, effect: Diff) -> bool:
    """Whether the rows that the effect changes are there."""
    tables = world.base.tables
    return all(
        change["table"] in tables
        and (change["op"] == "insert" or change["key"] in tables[change["table"]])
        for change in effect
    )


def _beyond_changes(world: World, effect: Diff) -> Iterator[Finding]:
    allowances = world.goal.allowances
    if allowances is None or world.goal.bad_changes:
        return
    try:
        over = beyond(effect, allowances, world.rows)
    except (TemplateInvalid, TemplateUnfilled):
        return  # the static stage tells
    if over:
        message = f"{PINNED} changes what goal.changes does not allow: {', '.join(over)}."
        yield _conflict(world, "goal.changes", message, "pin.effect")


def _is_certain(world: World, requirement: Requirement, effect: Diff) -> bool:
    """Whether the effect says all that the condition reads: keys of new rows and volatile parts are not in it."""
    read = looks(_tree(requirement.written_out))
    fresh = {change["table"] for change in effect if change["op"] == "insert"}
    if read is None or any(look.table in fresh for look in read):
        return False
    named = {text for change in effect for text in texts(written(change))}
    if any(text.startswith(f"+{table}:") for text in named for table in fresh):
        return False  # the key of a new row stands in another one
    return not _may_change(world, read, [])
