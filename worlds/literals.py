"""Literals that a condition compares with a field that can never have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worlds.cel_errors import ConditionInvalid
from worlds.cel_gates import Names
from worlds.cel_tree import Node, literal_text, parse, walk
from worlds.cel_values import Shape
from worlds.contract import OPEN, contract_of, row_shape
from worlds.domain import Domain

FILTERED = {"find", "start_find", "count"}


def impossible(text: str, domain: Domain, names: Mapping[str, Shape]) -> Iterator[str]:
    """What in a condition can never hold of rows that fit their schemas, a sentence without its stop for each;
    nothing for one that does not compile."""
    try:
        root = parse(text)
        known = Names(text, contract_of(domain), names, ())
        known.check(root)
    except ConditionInvalid:
        return
    for node in walk(root):
        if node.kind == "chain":
            yield from _compared(node, known)
        elif node.kind == "call" and node.text in FILTERED and len(node.parts) == 2:
            yield from _matched(node, domain)


def _compared(node: Node, known: Names) -> Iterator[str]:
    if node.operators not in (("==",), ("in",)):
        return
    one, other = node.parts
    if one.kind == "literal" and node.operators == ("==",):
        one, other = other, one
    literals = other.parts if node.operators == ("in",) and other.kind == "list" else (other,)
    asked = [literal_text(literal) for literal in literals]
    texts = [text for text in asked if text is not None]
    if literals and len(texts) == len(asked):
        yield from _never(_said(one), known.shapes.get(id(one)), texts)


def _matched(node: Node, domain: Domain) -> Iterator[str]:
    """`find('orders', {'status': 'canceled'})`"""
    table, match = literal_text(node.parts[0]), node.parts[1]
    row = row_shape(domain, table) if table else None
    if row is None or match.kind != "map" or any(word in row for word in OPEN):
        return
    for key, value in zip(match.parts[::2], match.parts[1::2], strict=True):
        field, text = literal_text(key), literal_text(value)
        if field is not None and text is not None:
            shape = (row.get("properties") or {}).get(field)
            yield from _never(f"{table}.{field}", shape, [text])


def _never(what: str, shape: Shape, texts: list[str]) -> Iterator[str]:
    """Unless one of `texts` is among the values that a shape has."""
    allowed = _allowed(shape)
    if allowed is not None and not any(text in allowed for text in texts):
        there = ", ".join(map(str, allowed))
        yield f"{what} is never {' or '.join(map(repr, texts))}: its schema allows {there}"


def _allowed(shape: Shape) -> list[object] | None:
    """The values that a shape allows, where it lists them all; None where it does not."""
    if not isinstance(shape, Mapping):
        return None
    if "const" in shape:
        return [shape["const"]]
    values = shape.get("enum")
    return list(values) if isinstance(values, list) else None


def _said(node: Node) -> str:
    """A term as a reader knows it: the field, at least."""
    if node.kind == "field":
        return f"{_said(node.parts[0])}.{node.text}"
    if node.kind == "call":
        return f"{node.text}(…)"
    return node.text or "it"
