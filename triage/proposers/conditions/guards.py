"""Questions that must be asked first: whether a row is there, a field is filled, a value is null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from triage.proposers.conditions.code import ConditionCode, joined
from triage.proposers.conditions.edit import ConditionEdit
from worlds.cel_tree import Node

NULL = Node("literal", "null")
ROWS = {"before", "after", "actor"}
MOST = 10
FAILED, USUAL = 0.55, 0.15


def guard_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each row or field that may be missing, asked for before it is looked at."""
    yield from _missing(code)
    yield from _unneeded(code)


def _missing(code: ConditionCode) -> Iterator[ConditionEdit]:
    done: set[tuple[int, str]] = set()
    for node in islice(_doubtful(code), MOST):
        around = _proposition(code, node)
        if around is None or (id(around), code.said(node)) in done:
            continue
        done.add((id(around), code.said(node)))
        yield from _guarded(code, around, node)


def _guarded(code: ConditionCode, around: Node, node: Node) -> Iterator[ConditionEdit]:
    likelihood = FAILED if code.failed else USUAL
    shown, said = code.said(node), code.said(around)
    for there, missing in _asked(code, node):
        yield code.edit(
            around,
            joined((there, around), "&&"),
            f"Ask first whether `{shown}` is there in `{said}`",
            likelihood,
        )
        yield code.edit(
            around,
            joined((missing, around), "||"),
            f"Ask `{said}` only where `{shown}` is there",
            likelihood * 0.9,
        )


def _asked(code: ConditionCode, node: Node) -> Iterator[tuple[Node, Node]]:
    """Conditions that something is there, and that it is not."""
    optional = _is_optional(code, node)
    if _is_nullable(code, node) or not optional:
        filled, null = (Node("chain", "", (node, NULL), 0, (sign,)) for sign in ("!=", "=="))
        yield filled, null
    if optional:
        there = Node("call", "has", (node,))
        yield there, Node("sign", "!", (there,))


def _doubtful(code: ConditionCode) -> Iterator[Node]:
    """What is looked into, compared by size, or handed to a function, and may be null or not there."""
    for node in code.nodes:
        if node.kind == "field" and not _is_asked(code, node):
            target = node.parts[0]
            if _may_be_null(code, target):
                yield target
            if _is_optional(code, node):
                yield node
        if node.kind in ("chain", "call") and _needs_value(node):
            yield from (
                part for part in node.parts if part.kind == "field" and _is_nullable(code, part)
            )


def _needs_value(node: Node) -> bool:
    if node.kind == "call":
        return node.text not in ("has", "get", "start_get", "find", "start_find")
    return bool(set(node.operators) & {"<", "<=", ">", ">=", "+", "-", "*", "/"})


def _may_be_null(code: ConditionCode, node: Node) -> bool:
    if node.kind == "call" and node.text in ("get", "start_get"):
        return True
    return (node.kind == "name" and node.text in ROWS) or _is_nullable(code, node)


def _is_nullable(code: ConditionCode, node: Node) -> bool:
    shape: Mapping[str, Any] = code.shape(node) or {}
    types = shape.get("type", ())
    return node.kind == "field" and isinstance(types, list) and "null" in types


def _is_optional(code: ConditionCode, node: Node) -> bool:
    if node.kind != "field":
        return False
    target: Mapping[str, Any] = code.shape(node.parts[0]) or {}
    required = target.get("required", ())
    return node.text in code.properties(target) and node.text not in required


def _is_asked(code: ConditionCode, node: Node) -> bool:
    around = code.tree.parent(node) if code.tree else None
    return around is not None and around.kind == "call" and around.text == "has"


def _proposition(code: ConditionCode, node: Node) -> Node | None:
    """The smallest condition around a node: what `&&` or `||` joins, what is said of each element, or the whole."""
    assert code.tree is not None  # noqa: S101  # there was a node
    inner = node
    for around in code.tree.ancestors(node):
        is_chain = around.kind == "chain" and around.operators[0] in ("&&", "||")
        is_body = around.kind == "macro" and around.text != "map" and around.parts[0] is not inner
        if is_chain or is_body:
            return inner
        inner = around
    return inner


def _unneeded(code: ConditionCode) -> Iterator[ConditionEdit]:
    """`has(x.f)` of a field that every row has: whether it is null was meant."""
    for node in code.nodes:
        if node.kind == "call" and node.text == "has" and node.parts[0].kind == "field":
            field = node.parts[0]
            if _is_nullable(code, field):
                made = Node("chain", "", (field, NULL), 0, ("!=",))
                yield code.edit(node, made, f"Ask whether `{code.said(field)}` is filled", 0.3)
