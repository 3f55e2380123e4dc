"""Comparisons that ask for the wrong thing: a bound that is in or out, a direction, an opposite."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from triage.proposers.sourceedits.changed import changed, leaf, short
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.evidence import refusal_of
from triage.proposers.sourceedits.rowtypes import rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode

OTHERS: dict[str, tuple[tuple[str, float], ...]] = {
    "<": (("<=", 0.2), (">", 0.14), (">=", 0.08)),
    "<=": (("<", 0.2), (">=", 0.14), (">", 0.08)),
    ">": ((">=", 0.2), ("<", 0.14), ("<=", 0.08)),
    ">=": ((">", 0.2), ("<=", 0.14), ("<", 0.08)),
    "==": (("!=", 0.17), (">=", 0.04), ("<=", 0.04)),
    "!=": (("==", 0.17),),
    "in": (("not in", 0.17),),
    "not in": (("in", 0.17),),
    "is": (("is not", 0.17),),
    "is not": (("is", 0.17),),
}
"""What else an operator was meant to be, and how likely."""
MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
DOES_OTHERWISE = 0.45
AS_TOLD = 0.5
TOLD = {
    ("<=", "<"): r"\b(less than|fewer than|shorter than|at least|or more|or later)\b",
    (
        ">=",
        ">",
    ): r"\b(more than|at most|exceeds?|longer than|older than|within|or less|or fewer|only \d+)\b",
    ("<", "<="): r"\bmust be (more|greater|later|larger) than\b|\b(positive|no later than)\b",
    (">", ">="): r"\bmust be (less|fewer|earlier|smaller) than\b",
}
"""Of a refusal's condition: from which operator to which, where its message says so."""


def comparisons(source: SourceCode) -> Iterator[Edit]:
    """Other operators, first those with which others compare the same, and those that a message tells."""
    elsewhere = _elsewhere(source)
    for node in source.suspects(cst.Comparison):
        left: cst.BaseExpression = node.left
        for target in node.comparisons:
            yield from _operators(source, node, left, target, elsewhere)
            left = target.comparator


def _operators(
    source: SourceCode,
    node: cst.Comparison,
    left: cst.BaseExpression,
    target: cst.ComparisonTarget,
    elsewhere: dict[tuple[str, str], dict[str, str]],
) -> Iterator[Edit]:
    span = source.code(target.operator)
    operator = " ".join(span.split())
    sides = leaf(source.code(left)), leaf(source.code(target.comparator))
    known = elsewhere.get(sides, {}) if all(sides) else {}
    refusal = refusal_of(source, node)
    for other, usual in OTHERS.get(operator, ()):
        likelihood, authority = usual, ""
        pattern = TOLD.get((operator, other))
        told = re.search(pattern, refusal) if pattern and refusal else None
        if told:
            likelihood, authority = AS_TOLD, f"the message says “{short(refusal)}”"
        elif other in known and operator not in known:
            likelihood, authority = DOES_OTHERWISE, known[other]
            if other in ("==", "!="):
                likelihood /= 2  # one asks for it, the other refuses it
        code = span.replace(span.strip(), other)
        says = f"Compare with `{other}` instead of `{operator}`"
        yield changed(source, target.operator, code, likelihood, authority, says)


def _elsewhere(source: SourceCode) -> dict[tuple[str, str], dict[str, str]]:
    """By what is compared: the operators in use outside the focus, and the code that uses each."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for text in (source.text, *source.neighbours):
        for name, function in rowtypes(text).functions.items():
            if text is source.text and name in source.focus:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Compare) and len(node.ops) == 1:
                    _note(found, name, node)
    return found


def _note(found: dict[tuple[str, str], dict[str, str]], function: str, node: ast.Compare) -> None:
    operator = SYMBOLS.get(type(node.ops[0]))
    if operator is None:
        return
    code = ast.unparse(node)
    sides = leaf(ast.unparse(node.left)), leaf(ast.unparse(node.comparators[0]))
    authority = f"`{function}` compares so: `{short(code)}`"
    if all(sides):
        found.setdefault(sides, {}).setdefault(operator, authority)
        found.setdefault(sides[::-1], {}).setdefault(MIRRORED[operator], authority)
