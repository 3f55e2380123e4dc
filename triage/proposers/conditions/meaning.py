"""Which table's rows a value names, as keys and references of the contract tell: what names a person is compared with
what names a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from triage.proposers.conditions.code import ConditionCode
from worlds.cel_tree import Node, literal_text
from worlds.cel_values import Shape
from worlds.domain import Domain

COMPARED = {"==", "!=", "in"}
BY_KEY = {"get", "start_get", "changed"}
BY_FIELDS = {"find", "start_find", "count"}
Meanings = Mapping[tuple[int, str], str]
"""Shape (by identity) and field → the table whose rows the field names."""


def meanings(code: ConditionCode) -> Meanings:
    """Of all fields of the domain that name rows, those inside lists and objects too."""
    return dict(_all(code.domain, code.contract.shapes))


def _all(domain: Domain, shapes: Mapping[str, Shape]) -> Iterator[tuple[tuple[int, str], str]]:
    for name, table in domain.tables.items():
        shape = shapes.get(name)
        yield (id(shape), table.key), name
        for each in table.references:
            around, field = _at(shape, each.from_)
            if around is not None and "[" not in each.to:
                yield (id(around), field), each.to


def _at(shape: Shape, path: str) -> tuple[Any, str]:
    """The shape in which the last step of a path stands, and that step."""
    *steps, last = path.split(".")
    around: Any = shape
    for step in steps:
        name = step.removesuffix("[]")
        around = _part(around, "properties", name)
        around = _part(around, "items") if step.endswith("[]") else around
    return around, last.removesuffix("[]")


def _part(shape: Any, *steps: str) -> Any:
    for step in steps:
        shape = shape.get(step) if isinstance(shape, Mapping) else None
    return shape


def named(code: ConditionCode, known: Meanings, node: Node, field: str = "") -> str | None:
    """The table whose rows a field of a row names; `field` = another field in its place."""
    if node.kind != "field":
        return None
    return known.get((id(code.shape(node.parts[0])), field or node.text))


def wanted(code: ConditionCode, known: Meanings, node: Node) -> str | None:
    """The table whose rows a value should name where it stands: the other side of a comparison does, or rows are looked
    up by it."""
    around, number = code.tree.parents.get(id(node), (None, 0)) if code.tree else (None, 0)
    if around is None:
        return None
    if around.kind == "chain" and len(around.parts) == 2 and around.operators[0] in COMPARED:
        return named(code, known, around.parts[1 - number])
    if around.kind == "call" and around.text in BY_KEY and number == 1:
        return literal_text(around.parts[0])
    if around.kind == "map" and number % 2 and code.tree:
        call = code.tree.parent(around)
        table = literal_text(call.parts[0]) if call and call.text in BY_FIELDS else None
        key = literal_text(around.parts[number - 1])
        shape = code.contract.shapes.get(table or "")
        return known.get((id(shape), key.removesuffix("[]"))) if key else None
    return None
