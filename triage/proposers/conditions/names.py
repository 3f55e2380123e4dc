"""Names: a row before a write for after it, one row for another, fields and tables that the schema does not have, or
another of the same type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
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


def side_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """`before` for `after` and back, at each place and at all."""
    nodes = [node for node in code.nodes if node.kind == "name" and node.text in SIDES]
    for node in nodes:
        other = SIDES[node.text]
        if other not in code.given or other in code.absent:
            continue
        likelihood = 0.92 if node.text in code.absent and not _is_null_test(code, node) else 0.5
        says = f"Look at `{other}` instead of `{node.text}` in `{_around(code, node)}`"
        yield code.edit(node, replace(node, text=other), says, likelihood)
    if len(nodes) > 1 and len({node.text for node in nodes}) == 1 and code.tree:
        other = SIDES[nodes[0].text]
        made = _renamed(code.tree.root, nodes[0].text, other)
        says = f"Look at `{other}` instead of `{nodes[0].text}` everywhere"
        yield code.edit(code.tree.root, made, says, 0.45)


def _is_null_test(code: ConditionCode, node: Node) -> bool:
    around = code.tree.parent(node) if code.tree else None
    return around is not None and around.kind == "chain"


def _around(code: ConditionCode, node: Node) -> str:
    around = code.tree.parent(node) if code.tree else None
    return code.said(around if around is not None else node)


def _renamed(node: Node, name: str, other: str) -> Node:
    if node.kind == "name" and node.text == name:
        return replace(node, text=other)
    parts = tuple(_renamed(part, name, other) for part in node.parts)
    return replace(node, parts=parts) if parts != node.parts else node


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
    for node in code.nodes:
        if node.kind != "field":
            continue
        target = code.shape(node.parts[0])
        fields = code.properties(target)
        if not fields:
            continue
        cited = f"schema of {code.table(target) or 'the value'}"
        if node.text not in fields and target and target.get("additionalProperties") is not True:
            for edit in _meant(code, node, [*fields], "field"):
                yield replace(edit, authority=f"{cited} has no field {node.text!r}")
        elif node.text in fields:
            yield from _of_same_type(code, node, fields)


def _of_same_type(
    code: ConditionCode, node: Node, fields: Mapping[str, Any]
) -> Iterator[ConditionEdit]:
    alike = [
        name for name in fields if name != node.text and _fits(fields[name], fields[node.text])
    ]
    own = code.wording.likeness(node.text)
    ranked = sorted(alike, key=lambda name: -_worth(code, node.text, name))
    for name in ranked[:LOOKED_AT]:
        likely = 0.2 + 0.15 * nearness(name, node.text)
        words = code.wording.likeness(name)
        authority = code.cites if words > own else ""
        says = f"Look at `{name}` instead of `{code.said(node)}`"
        yield code.edit(
            node, replace(node, text=name), says, likely + (0.25 if words > own else 0), authority
        )


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
