"""Signs of comparison: a bound that takes in one more or less, or the wrong way round; equal for different; `in` for
`==`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
from worlds.cel_gates import is_list
from worlds.cel_tree import Node

ONE_MORE: Mapping[str, str] = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
TURNED: Mapping[str, str] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE: Mapping[str, str] = {"==": "!=", "!=": "=="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def comparison_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each comparison with another sign."""
    for node in code.nodes:
        if node.kind != "chain" or len(node.operators) != 1:
            continue
        sign = node.operators[0]
        if sign in ONE_MORE:
            yield from _bounds(code, node, sign)
        elif sign in OPPOSITE:
            yield _signed(code, node, OPPOSITE[sign], 0.4 if sign == "!=" else 0.35)
        if sign == "==" and is_list(code.shape(node.parts[1])):
            yield _signed(code, node, "in", 0.6)
        if sign == "in" and node.parts[1].kind in ("literal", "field", "name"):
            likely = 0.1 if is_list(code.shape(node.parts[1])) else 0.4
            yield _signed(code, node, "==", likely)


def _bounds(code: ConditionCode, node: Node, sign: str) -> Iterator[ConditionEdit]:
    for other, usual in (
        (ONE_MORE[sign], 0.38),
        (TURNED[sign], 0.34),
        (TURNED[ONE_MORE[sign]], 0.2),
    ):
        said = _speaks_of(code, other) and not _speaks_of(code, sign)
        authority = code.cites if said else ""
        yield _signed(code, node, other, min(0.8, usual + 0.25) if said else usual, authority)


def _speaks_of(code: ConditionCode, sign: str) -> bool:
    said = code.wording.bound()
    return sign in said or MIRRORED[sign] in said


def _signed(
    code: ConditionCode, node: Node, sign: str, likelihood: float, authority: str = ""
) -> ConditionEdit:
    says = f"Ask for `{sign}` instead of `{node.operators[0]}` in `{code.said(node)}`"
    return code.edit(node, replace(node, operators=(sign,)), says, likelihood, authority)
