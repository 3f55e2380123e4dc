"""Names: a row before a write for after it, one row for another, fields and tables that the schema does not have, or
another of the same type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
from triage.proposers.conditions.meaning import Meanings, meanings, named, wanted
from triage.proposers.conditions.printed import printed
from triage.proposers.conditions.wording import nearness
from worlds.cel_functions import SIGNATURES
from worlds.cel_tree import Node, literal_text
from worlds.cel_values import Shape

SIDES = {"before": "after", "after": "before"}
BY_TABLE = {"get", "start_get", "find", "start_find", "count", "changed"}
MATCHED = {"find", "start_find", "count"}
LOOKED_AT = 8
"""Fields or tables in the place of one."""
NEAR = 0.55
SAID = 0.45
"""From which likelihood on the wording speaks of a field."""


def side_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """`before` for `after` and back: at each place, of one field wherever it is looked at, and everywhere."""
    nodes = [node for node in code.nodes if node.kind == "name" and node.text in SIDES]
    there = [node for node in nodes if _other_side(code, node)]
    for node in there:
        likelihood = 0.92 if node.text in code.absent and not _is_null_test(code, node) else 0.5
        likelihood *= 0.7 if _is_alternative(code, node) else 1.0
        says = f"Look at `{SIDES[node.text]}` instead of `{node.text}` in `{_around(code, node)}`"
        yield code.edit(node, replace(node, text=SIDES[node.text]), says, likelihood)
    yield from _wherever(code, there)
    for side in sorted({node.text for node in there}):
        yield from _everywhere(code, [node for node in there if node.text == side])


def _other_side(code: ConditionCode, node: Node) -> bool:
    return SIDES[node.text] in code.given and SIDES[node.text] not in code.absent


def _is_alternative(code: ConditionCode, node: Node) -> bool:
    """Whether it stands in one of several things that will do: with the other side, one more may be meant
    (`triage.proposers.conditions.junctions.varied_edits`)."""
    return (
        any(each.operators[:1] == ("||",) for each in code.tree.ancestors(node))
        if code.tree
        else False
    )


def _wherever(code: ConditionCode, nodes: Sequence[Node]) -> Iterator[ConditionEdit]:
    """A field that several places look at: `after.queue_id`, of whose queue two things are asked."""
    assert code.tree is not None or not nodes  # noqa: S101  # nodes are of a tree
    by_field: dict[str, list[Node]] = {}
    for node in nodes:
        around = code.tree.parent(node) if code.tree else None
        if around is not None and around.kind == "field":
            by_field.setdefault(printed(around), []).append(around)
    for said, places in by_field.items():
        if len(places) > 1 and code.tree:
            side = places[0].parts[0].text
            made = _exchanged(code.tree.root, {id(place.parts[0]) for place in places})
            says = f"Look at `{SIDES[side]}` instead of `{side}` wherever `{said}` is asked for"
            yield code.edit(code.tree.root, made, says, 0.52)


def _everywhere(code: ConditionCode, nodes: Sequence[Node]) -> Iterator[ConditionEdit]:
    if len(nodes) < 2 or code.tree is None:
        return
    side = nodes[0].text
    likelihood = 0.56 if any(_is_null_test(code, node) for node in nodes) else 0.45
    likelihood *= 0.7 if any(_is_alternative(code, node) for node in nodes) else 1.0
    says = f"Look at `{SIDES[side]}` instead of `{side}` everywhere"
    made = _exchanged(code.tree.root, {id(node) for node in nodes})
    yield code.edit(code.tree.root, made, says, likelihood)


def _exchanged(node: Node, places: set[int]) -> Node:
    """With the other side at some places; what is not touched stays the same node."""
    if id(node) in places:
        return replace(node, text=SIDES[node.text])
    parts = tuple(_exchanged(part, places) for part in node.parts)
    is_same = all(one is other for one, other in zip(parts, node.parts, strict=True))
    return node if is_same else replace(node, parts=parts)


def _is_null_test(code: ConditionCode, node: Node) -> bool:
    around = code.tree.parent(node) if code.tree else None
    return around is not None and around.kind == "chain"


def _around(code: ConditionCode, node: Node) -> str:
    around = code.tree.parent(node) if code.tree else None
    return code.said(around if around is not None else node)


def name_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Another row (a slot, the actor, an element) in the place of one, and a name that is meant for one that is not
    there."""
    for node in code.nodes:
        if node.kind != "name" or node.text in SIDES:
            continue
        bound = code.bound(node)
        there = {**code.given, **bound}
        if node.text not in there:
            yield from _meant(code, node, [*there], "name")
            continue
        for other in list(there)[: 4 * LOOKED_AT]:
            if other != node.text and _is_alike(code, there[node.text], there[other]):
                says = f"Look at `{other}` instead of `{node.text}` in `{_around(code, node)}`"
                yield code.edit(node, replace(node, text=other), says, 0.3)


def _is_alike(code: ConditionCode, one: Shape, other: Shape) -> bool:
    return code.table(one) is not None and code.table(one) == code.table(other)


def _meant(
    code: ConditionCode, node: Node, there: Sequence[str], what: str
) -> Iterator[ConditionEdit]:
    """The names nearest to one that is not there."""
    near = sorted(there, key=lambda each: -nearness(each, node.text))[:4]
    for place, other in enumerate(near):
        alike = nearness(other, node.text)
        likelihood = max(0.05, (0.95 if alike > NEAR else 0.4) * 0.7**place)
        says = f"Say `{other}` for `{node.text}`, which is no {what} here"
        yield code.edit(node, replace(node, text=other), says, likelihood)


def field_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Another field of the same row."""
    known = meanings(code)
    for node in code.nodes:
        if node.kind != "field":
            continue
        target = code.shape(node.parts[0])
        fields = code.properties(target)
        if not fields:
            continue
        cited = f"schema of {code.table(target) or 'the value'}"
        if node.text in fields:
            yield from _instead(code, node, fields, known)
        elif target and target.get("additionalProperties") is not True:
            for edit in _meant(code, node, [*fields], "field"):
                yield replace(edit, authority=f"{cited} has no field {node.text!r}")


def _instead(
    code: ConditionCode, node: Node, fields: Mapping[str, Any], known: Meanings
) -> Iterator[ConditionEdit]:
    """Those of the same type, or that name rows of the table that is asked for."""
    table = wanted(code, known, node)
    there = [name for name in fields if name != node.text]
    naming = {name for name in there if table and named(code, known, node, name) == table}
    alike = [n for n in there if n in naming or _fits(fields[n], fields[node.text])]
    ranked = sorted(alike, key=lambda name: (name not in naming, -_worth(code, node.text, name)))
    for name in ranked[:LOOKED_AT]:
        likelihood = _likely(code, node.text, name)
        authority = code.cites if likelihood >= SAID else ""
        if table is not None:
            was_right = named(code, known, node) == table
            weight = (1.0 if was_right else 2.4) if name in naming else 0.3
            likelihood = min(0.85, likelihood * weight)
            if name in naming and not was_right:
                authority = authority or f"the schema: {name} names rows of {table}"
        says = f"Look at `{name}` instead of `{code.said(node)}`"
        yield code.edit(node, replace(node, text=name), says, likelihood, authority)


def _likely(code: ConditionCode, name: str, other: str) -> float:
    is_said = code.wording.likeness(other) > code.wording.likeness(name)
    return 0.2 + 0.15 * nearness(name, other) + (0.25 if is_said else 0.0)


def _worth(code: ConditionCode, name: str, other: str) -> float:
    return nearness(name, other) + 2 * code.wording.likeness(other)


def _fits(one: Any, other: Any) -> bool:
    """Whether a value of one schema may stand for one of another: the same types, null aside, and the same values."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    return _types(one) == _types(other)


def _types(schema: Mapping[str, Any]) -> frozenset[str]:
    if "enum" in schema or "const" in schema:
        return frozenset({f"enum {schema.get('enum', schema.get('const'))}"})
    types = schema.get("type", ())
    return frozenset({types} if isinstance(types, str) else map(str, types)) - {"null"}


def table_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Another table to look into, and other fields to look rows up by."""
    for node in code.nodes:
        if node.kind != "call" or node.text not in BY_TABLE or not node.parts:
            continue
        table = literal_text(node.parts[0])
        if table is None:
            continue
        yield from _tables(code, node, table)
        if node.text in MATCHED and len(node.parts) == 2 and node.parts[1].kind == "map":
            yield from _matched(code, node.parts[1], table)
    yield from _compared_tables(code)


def _tables(code: ConditionCode, node: Node, table: str) -> Iterator[ConditionEdit]:
    others = [name for name in code.contract.tables if name != table]
    is_there = table in code.contract.shapes
    for other in sorted(others, key=lambda name: -nearness(name, table))[:LOOKED_AT]:
        made = replace(node.parts[0], text=f"'{other}'")
        alike = nearness(other, table)
        likelihood = 0.15 + 0.1 * alike if is_there else max(0.1, alike)
        says = f"Look into `{other}` instead of `{table}` in `{code.said(node)}`"
        yield code.edit(node.parts[0], made, says, likelihood)


def _compared_tables(code: ConditionCode) -> Iterator[ConditionEdit]:
    """`table == 'orders'` of a write."""
    for node in code.nodes:
        if node.kind != "chain" or node.operators != ("==",):
            continue
        sides = sorted(node.parts, key=lambda part: part.kind != "name")
        table = literal_text(sides[1])
        if sides[0].text == "table" and sides[0].kind == "name" and table is not None:
            is_there = table in code.contract.shapes
            for other in sorted(code.contract.tables, key=lambda name: -nearness(name, table)):
                if other != table:
                    words = code.wording.likeness(other)
                    likelihood = 0.2 + 0.3 * words if is_there else max(0.1, nearness(other, table))
                    says = f"Ask it of writes to `{other}` instead of `{table}`"
                    made = replace(sides[1], text=f"'{other}'")
                    yield code.edit(sides[1], made, says, likelihood)


def _matched(code: ConditionCode, match: Node, table: str) -> Iterator[ConditionEdit]:
    fields = code.properties(code.contract.shapes.get(table))
    said = [literal_text(key) for key in match.parts[::2]]
    for number, key in enumerate(match.parts[::2]):
        name = literal_text(key)
        if name is None or not fields:
            continue
        head = name.partition(".")[0].removesuffix("[]")
        known = head in fields
        others = [
            each
            for each in fields
            if each not in said and (not known or _fits(fields[each], fields[head]))
        ]
        for other in sorted(others, key=lambda each: -nearness(each, name))[:LOOKED_AT]:
            likelihood = 0.22 if known else max(0.2, nearness(other, name))
            says = f"Look rows of {table} up by `{other}` instead of `{name}`"
            yield code.edit(key, replace(key, text=f"'{other}'"), says, likelihood)
        if len(match.parts) > 2:
            rest = (*match.parts[: 2 * number], *match.parts[2 * number + 2 :])
            says = f"Look rows of {table} up whatever their `{name}`"
            yield code.edit(match, replace(match, parts=rest), says, 0.12)


def function_name_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """A function that is meant for one that is not there."""
    there = {*SIGNATURES, *code.functions}
    for node in code.nodes:
        if node.kind == "call" and node.text not in there:
            yield from _meant(code, node, sorted(there), "function")
