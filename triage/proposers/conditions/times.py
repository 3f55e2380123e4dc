"""Days and moments: a moment compared with a day, and the day of a place taken for that of another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
from worlds.cel_tree import Node, literal_text
from worlds.moments import as_moment

ZONES = ("tz", "timezone", "time_zone", "zone")
MOST_ZONES = 6
SIGNS = {"<", "<=", ">", ">=", "==", "!="}


def time_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Moments taken as days, in one zone or another."""
    yield from _wherever(code)
    for node in code.nodes:
        if node.kind == "chain" and len(node.operators) == 1 and node.operators[0] in SIGNS:
            for part, other in (node.parts, node.parts[::-1]):
                if _is_moment(code, part) and _is_day(code, other):
                    yield from _as_days(code, part)
        if node.kind == "call" and node.text == "local" and len(node.parts) == 2:
            yield from _elsewhere(code, node)
        if node.kind == "call" and node.text == "date" and len(node.parts) == 1:
            yield from _as_days(code, node, node.parts[0])


def _wherever(code: ConditionCode) -> Iterator[ConditionEdit]:
    """A moment that is compared with several days: from one to another, as a rule."""
    by_moment: dict[str, list[Node]] = {}
    for node in code.nodes:
        if node.kind == "chain" and len(node.operators) == 1 and node.operators[0] in SIGNS:
            for part, other in (node.parts, node.parts[::-1]):
                if _is_moment(code, part) and _is_day(code, other):
                    by_moment.setdefault(code.said(part), []).append(part)
    for said, places in by_moment.items():
        if len(places) < 2 or code.tree is None:
            continue
        for zone in islice(_zones(code, places[0]), MOST_ZONES):
            local = Node("field", "date", (Node("call", "local", (places[0], zone)),))
            made = _instead(code.tree.root, {id(place) for place in places}, local)
            says = (
                f"Take the day of `{said}` in the zone `{code.said(zone)}` wherever it is compared"
            )
            yield code.edit(code.tree.root, made, says, 0.42)


def _instead(node: Node, places: set[int], other: Node) -> Node:
    if id(node) in places:
        return other
    parts = tuple(_instead(part, places, other) for part in node.parts)
    is_same = all(one is new for one, new in zip(node.parts, parts, strict=True))
    return node if is_same else replace(node, parts=parts)


def _as_days(
    code: ConditionCode, node: Node, moment: Node | None = None
) -> Iterator[ConditionEdit]:
    taken = moment or node
    if moment is None:
        made = Node("call", "date", (taken,))
        yield code.edit(node, made, f"Take the day of `{code.said(taken)}`", 0.35)
    for zone in islice(_zones(code, node), MOST_ZONES):
        local = Node("field", "date", (Node("call", "local", (taken, zone)),))
        says = f"Take the day of `{code.said(taken)}` in the zone `{code.said(zone)}`"
        yield code.edit(node, local, says, 0.3)


def _elsewhere(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    now = code.said(node.parts[1])
    for zone in islice(_zones(code, node), MOST_ZONES):
        if code.said(zone) != now:
            made = replace(node, parts=(node.parts[0], zone))
            says = f"Take the time in the zone `{code.said(zone)}` instead of `{now}`"
            yield code.edit(node, made, says, 0.25)


def _zones(code: ConditionCode, node: Node) -> Iterator[Node]:
    """The time zones of the rows that are in scope."""
    there: Mapping[str, Any] = {**code.bound(node), **code.given}
    for name, shape in there.items():
        for field in ZONES:
            if field in code.properties(shape) and name not in code.absent:
                yield Node("field", field, (Node("name", name),))


def _is_moment(code: ConditionCode, node: Node) -> bool:
    """Whether rows have a moment there, with a time of day."""
    if node.kind == "call" and node.text == "now":
        return True
    return any("T" in each and as_moment(each) is not None for each in _texts(code, node))


def _is_day(code: ConditionCode, node: Node) -> bool:
    text = literal_text(node)
    said = [text] if text is not None else _texts(code, node)
    return any(len(each) == len("2025-01-31") and as_moment(each) is not None for each in said)


def _texts(code: ConditionCode, node: Node) -> list[str]:
    if node.kind != "field":
        return []
    table = code.table(code.shape(node.parts[0]))
    found = code.values(table, node.text) if table else ()
    return [each for each in found if isinstance(each, str)]
