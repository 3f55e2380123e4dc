"""What is asked to be false where it should be true, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from triage.proposers.conditions.code import ConditionCode, propositions
from triage.proposers.conditions.edit import ConditionEdit
from worlds.cel_tree import Node

COMPARED = {"==", "!=", "<", "<=", ">", ">="}
"""These have signs of their own for the opposite (`triage.proposers.conditions.comparisons`)."""
WHOLE, WITHIN = 0.9, 0.5


def negation_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each negation taken away, and one added where there is none."""
    root = code.tree.root if code.tree else None
    for node in code.nodes:
        if node.kind == "sign" and node.text == "!":
            yield _plain(code, node, root)
    for node in propositions(code):
        if node.kind != "sign" and not set(node.operators) & COMPARED and node.text != "true":
            yield _negated(code, node, root)


def _plain(code: ConditionCode, node: Node, root: Node | None) -> ConditionEdit:
    """Nobody writes the opposite of a whole conjunction on purpose: `!(a && b)` says too little to be meant."""
    inner = node.parts[0]
    is_composed = inner.kind == "chain" and inner.operators[0] in ("&&", "||", *COMPARED)
    likelihood = WHOLE if node is root and is_composed else 0.7 if node is root else WITHIN
    return code.edit(
        node, inner, f"Ask for `{code.said(inner)}` instead of its opposite", likelihood
    )


def _negated(code: ConditionCode, node: Node, root: Node | None) -> ConditionEdit:
    is_composed = node.kind == "chain" and node.operators[0] in ("&&", "||")
    likelihood = 0.08 if is_composed and node is not root else 0.2 if is_composed else 0.35
    likelihood = (
        0.2 if node.kind == "name" else likelihood
    )  # what it stands for is defined elsewhere
    says = f"Ask for the opposite of `{code.said(node)}`"
    return code.edit(node, Node("sign", "!", (node,)), says, likelihood)
