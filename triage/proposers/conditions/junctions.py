"""What conditions are made of: `and` for `or`, a part too many, a part that is missing and that others have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from triage.proposers.conditions.code import (
    ConditionCode,
    Neighbour,
    joined,
    operands,
    propositions,
)
from triage.proposers.conditions.edit import ConditionEdit
from triage.proposers.conditions.printed import printed
from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import Node, parse

OTHER = {"&&": "||", "||": "&&"}
BORROWED = 24
"""Parts of neighbours that are tried."""


def junction_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each `&&` as `||` and back, in other brackets, and each of its parts left out."""
    for node in code.nodes:
        if node.kind == "chain" and node.operators[0] in OTHER:
            yield from _exchanged(code, node)
            yield from _lacking(code, node)


def _exchanged(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    sign, other = node.operators[0], OTHER[node.operators[0]]
    count = len(node.operators)
    says = f"Join by `{other}` instead of `{sign}` in `{code.said(node)}`"
    yield code.edit(node, replace(node, operators=(other,) * count), says, 0.33)
    for place in range(count) if count > 1 else ():
        left, right = joined(node.parts[: place + 1], sign), joined(node.parts[place + 1 :], sign)
        yield code.edit(node, Node("chain", "", (left, right), 0, (other,)), says, 0.12)
        pair = Node("chain", "", node.parts[place : place + 2], 0, (other,))
        parts = (*node.parts[:place], pair, *node.parts[place + 2 :])
        yield code.edit(node, joined(parts, sign), says, 0.2)
    yield from _regrouped(code, node)


def _regrouped(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    """`a || b && c` for `(a || b) && c`, and back."""
    sign = node.operators[0]
    for place, part in enumerate(node.parts):
        if part.kind != "chain" or part.operators[0] != OTHER[sign]:
            continue
        before, after = node.parts[:place], node.parts[place + 1 :]
        says = f"Set the brackets otherwise in `{code.said(node)}`"
        if before:
            first = joined((*before, part.parts[0]), sign)
            yield code.edit(node, joined((first, *part.parts[1:], *after), OTHER[sign]), says, 0.14)
        if after:
            last = joined((part.parts[-1], *after), sign)
            yield code.edit(
                node, joined((*before, *part.parts[:-1], last), OTHER[sign]), says, 0.14
            )


def _lacking(code: ConditionCode, node: Node) -> Iterator[ConditionEdit]:
    for place, part in enumerate(node.parts):
        rest = (*node.parts[:place], *node.parts[place + 1 :])
        says = f"Ask no longer for `{code.said(part)}`"
        likelihood = 0.12 if node.operators[0] == "&&" else 0.16
        yield code.edit(node, joined(rest, node.operators[0]), says, likelihood)


def borrowed_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """With a part that neighbours have, as one more thing to be asked, or one more that will do."""
    if code.tree is None:
        return
    known = {printed(part) for node in code.nodes for part in (node, *node.parts)}
    for part, neighbour in islice(_parts(code, known), BORROWED):
        yield from _with(code, part, neighbour)


def _parts(code: ConditionCode, known: set[str]) -> Iterator[tuple[Node, Neighbour]]:
    for neighbour in sorted(code.neighbours, key=lambda each: -each.weight):
        try:
            tree = parse(neighbour.text)
        except (ConditionInvalid, RecursionError):
            continue
        for part in _operands(tree):
            text = printed(part)
            if text not in known and code.compiles(text):
                known.add(text)
                yield part, neighbour


def _operands(tree: Node) -> Iterator[Node]:
    for sign in ("&&", "||"):
        if tree.kind == "chain" and tree.operators[0] == sign:
            for part in operands(tree, sign):
                yield from _operands(part)
            return
    if tree.kind != "literal":
        yield tree


def _with(code: ConditionCode, part: Node, neighbour: Neighbour) -> Iterator[ConditionEdit]:
    assert code.tree is not None  # noqa: S101  # the caller looked
    said = f"{neighbour.where} asks for `{code.said(part)}`"
    words = code.wording.likeness(printed(part))
    places = [node for node in islice(propositions(code), 6) if not _is_operand(code, node)]
    for node in places:
        depth = 1.0 if node is code.tree.root else 0.5
        for sign, usual in (("&&", 0.22), ("||", 0.2)):
            says = f"Ask {'also' if sign == '&&' else 'instead, where it holds,'} for `{code.said(part)}`"
            likelihood = usual * depth * neighbour.weight * (0.7 + 0.8 * words)
            yield code.edit(node, joined((node, part), sign), says, likelihood, said)


def _is_operand(code: ConditionCode, node: Node) -> bool:
    around = code.tree.parent(node) if code.tree else None
    return around is not None and around.kind == "chain" and around.operators[0] in OTHER


def varied_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """With one of its own alternatives once more, said of the other side of the write: `a == after.x || a ==
    before.x`."""
    exchanged = {"before": "after", "after": "before"}
    for node in propositions(code):
        if _is_operand(code, node):
            continue
        parts = operands(node, "||")
        for place, part in enumerate(parts):
            other = _renamed(part, exchanged)
            if part.kind == "chain" and part.operators[0] in OTHER:
                continue
            if printed(other) != printed(part):
                likelihood = 0.38 if len(parts) > 1 else 0.2
                made = (*parts[: place + 1], other, *parts[place + 1 :])
                says = f"Let `{code.said(other)}` do, too"
                yield code.edit(node, joined(made, "||"), says, likelihood)


def _renamed(node: Node, names: dict[str, str]) -> Node:
    if node.kind == "name" and node.text in names:
        return replace(node, text=names[node.text])
    parts = tuple(_renamed(part, names) for part in node.parts)
    return node if parts == node.parts else replace(node, parts=parts)
