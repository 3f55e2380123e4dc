"""What a clause's `when` cannot hold without, as its tree shows it: told of an event without evaluating anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, literal_text, parse

SIDES = ("before", "after")


def pinned_table(when: str) -> str | None:
    """The table that `when` cannot hold without: `table == 'orders' && …`; None when there is no single one."""
    named = (_other(node, "table") for node in _conjuncts(when) if node.operators == ("==",))
    tables = (literal_text(node) for node in named if node is not None)
    return next((table for table in tables if table is not None), None)


def pinned_sides(when: str) -> Mapping[str, bool]:
    """Whether a row has to be there before and after a write: `before == null && …` gives `{"before": False}`."""
    return {
        side: node.operators == ("!=",)
        for node in _conjuncts(when)
        if node.operators in (("==",), ("!=",))
        for side in SIDES
        if (other := _other(node, side)) is not None and other.text == "null"
    }


def _conjuncts(when: str) -> Iterator[Node]:
    """What must all hold; nothing of a text without a tree."""
    try:
        yield from _flat(parse(when))
    except ConditionInvalid:
        return


def _flat(node: Node) -> Iterator[Node]:
    if set(node.operators) != {"&&"}:
        yield node
        return
    for part in node.parts:
        yield from _flat(part)


def _other(node: Node, name: str) -> Node | None:
    """What a comparison compares a name with."""
    one, other = node.parts
    if one.kind != "name":
        one, other = other, one
    return other if one.kind == "name" and one.text == name else None
