"""Functions: one for another that takes the same, arguments the wrong way round, capitals and cents that make no
difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
from worlds.cel_gates import is_integer, is_number
from worlds.cel_tree import Node
from worlds.cel_values import Shape

CALLS: Mapping[str, tuple[str, ...]] = {
    "get": ("start_get",), "start_get": ("get",), "find": ("start_find",), "start_find": ("find",),
    "min": ("max",), "max": ("min",), "startsWith": ("contains", "endsWith"), "endsWith": ("contains", "startsWith"),
    "contains": ("startsWith",), "days_between": ("minutes_between",), "minutes_between": ("days_between",),
}  # fmt: skip
MACROS: Mapping[str, tuple[str, ...]] = {
    "all": ("exists",), "exists": ("all", "exists_one"), "exists_one": ("exists",), "existsOne": ("exists",),
}  # fmt: skip
SPANS = {"days_between", "minutes_between", "work_minutes"}
SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}
TEXT = frozenset({"string"})


def function_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each call, comprehension and calculation as another of its kind."""
    for node in code.nodes:
        others = CALLS if node.kind == "call" else MACROS if node.kind == "macro" else {}
        for other in others.get(node.text, ()):
            says = f"Use `{other}` instead of `{node.text}` in `{code.said(node)}`"
            likelihood = 0.3 if node.text not in ("days_between", "minutes_between") else 0.2
            yield code.edit(node, replace(node, text=other), says, likelihood)
        if node.kind == "call" and node.text in SPANS:
            one, other_side, *rest = node.parts
            turned = replace(node, parts=(other_side, one, *rest))
            yield code.edit(node, turned, f"Count the other way round in `{code.said(node)}`", 0.36)
        if node.kind == "macro" and node.text in ("exists", "filter", "all"):
            yield from _of_each(code, node)
        yield from _calculated(code, node)


def _of_each(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    """A filter left out."""
    over = node.parts[0]
    if over.kind == "macro" and over.text == "filter":
        says = f"Look at all of `{code.said(over.parts[0])}`"
        yield code.edit(over, over.parts[0], says, 0.12)


def _calculated(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    if node.kind != "chain" or node.operators[0] not in SIGNS:
        return
    for place, sign in enumerate(node.operators):
        signs = (*node.operators[:place], SIGNS[sign], *node.operators[place + 1 :])
        says = f"Calculate with `{SIGNS[sign]}` instead of `{sign}` in `{code.said(node)}`"
        yield code.edit(node, replace(node, operators=signs), says, 0.2)
    if node.operators == ("-",):
        turned = replace(node, parts=node.parts[::-1])
        yield code.edit(node, turned, f"Subtract the other way round in `{code.said(node)}`", 0.2)
    if len(node.operators) == 1 and node.operators[0] in "+-":
        for part in node.parts:
            says = f"Take `{code.said(part)}` alone for `{code.said(node)}`"
            yield code.edit(node, part, says, 0.15)


def loose_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Comparisons that take no notice of capitals, or of less than a cent."""
    for node in code.nodes:
        if node.kind == "chain" and node.operators == ("==",):
            yield from _loose(code, node)


def _loose(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    shapes = [code.shape(part) for part in node.parts]
    if any(is_number(shape) for shape in shapes) and all(_is_numeric(shape) for shape in shapes):
        made = Node("call", "close", node.parts)
        yield code.edit(
            node, made, f"Let less than a cent make no difference in `{code.said(node)}`", 0.15
        )
    if all(_is_text(shape) for shape in shapes):
        lowered = tuple(_lowered(part) for part in node.parts)
        says = f"Let capitals make no difference in `{code.said(node)}`"
        yield code.edit(node, replace(node, parts=lowered), says, 0.12)


def _lowered(node: Node) -> Node:
    if node.kind == "literal":
        return replace(node, text=node.text.lower())
    return Node("call", "lower", (node,))


def _is_numeric(shape: Shape) -> bool:
    return is_number(shape) or is_integer(shape)


def _is_text(shape: Shape) -> bool:
    return bool(shape) and shape.get("type") == "string" and "enum" not in shape if shape else False
