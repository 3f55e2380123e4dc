"""What a condition compares with: numbers and words of what it is meant to say, values that schemas and rows have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit
from triage.proposers.conditions.wording import nearness
from worlds.cel_tree import Node, literal_text

SIGNS = {"<", "<=", ">", ">=", "==", "!=", "in"}
FILTERED = {"find", "start_find", "count"}
MOST = 6
"""Values in the place of one."""


def number_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each number as another: one that the wording names, one more and one less, whole or with a point."""
    for node in code.nodes:
        number = _number(node)
        if number is not None:
            yield from _said(code, node, number)
            yield from _near(code, node, number)


def _number(node: Node) -> float | None:
    if node.kind != "literal" or node.text[0] in "\"'" or node.text in ("true", "false", "null"):
        return None
    try:
        return float(node.text)
    except ValueError:
        return None


def _said(code: ConditionCode, node: Node, number: float) -> Iterator[ConditionEdit]:
    wording = code.wording
    if number in wording.numbers or number in wording.lengths:
        return
    lengths = _measured(code, node)
    meant = [*(wording.lengths if lengths else ()), *wording.numbers]
    for place, other in enumerate(sorted(dict.fromkeys(meant), key=lambda n: _distance(n, number))):
        if place < MOST:
            likelihood = 0.85 * 0.8**place
            yield _numbered(code, node, other, likelihood, code.cites)


def _measured(code: ConditionCode, node: Node) -> bool:
    """Whether a number is compared with a length of time."""
    around = code.tree.parent(node) if code.tree else None
    said = code.said(around).lower() if around is not None else ""
    return any(word in said for word in ("minutes", "days", "hours", "between", "duration"))


def _distance(one: float, other: float) -> tuple[bool, float]:
    if not one or not other:
        return True, abs(one - other)
    return False, max(one / other, other / one)


def _near(code: ConditionCode, node: Node, number: float) -> Iterator[ConditionEdit]:
    is_named = number in code.wording.numbers or number in code.wording.lengths
    near = (number + 1, number - 1)
    for other in near if not _is_term(code, node) else filter(None, near):
        yield _numbered(code, node, other, 0.08 if is_named else 0.3)
    for factor in (60, 24, 7, 1_440, 100, 10) if number and not is_named else ():
        for other in (number * factor, number / factor):
            if other.is_integer():
                yield _numbered(code, node, other, 0.06)
    if not number:
        return
    yield _numbered(code, node, -number, 0.1)


def _is_term(code: ConditionCode, node: Node) -> bool:
    """Whether it is added or subtracted: nobody writes `- 0`."""
    return bool(set(_around(code, node).operators) & {"+", "-"})


def _numbered(
    code: ConditionCode, node: Node, number: float, likelihood: float, authority: str = ""
) -> ConditionEdit:
    has_point = "." in node.text or not number.is_integer()
    text = repr(number) if has_point else str(int(number))
    around = code.tree.parent(node) if code.tree else None
    says = f"Ask for {text} instead of {node.text} in `{code.said(around or node)}`"
    return code.edit(node, replace(node, text=text), says, likelihood, authority)


def number_type_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Whole numbers among those with a point, where a condition failed."""
    if not code.failed:
        return
    for node in code.nodes:
        if _number(node) is not None and node.text.lstrip("-").isdigit():
            made = replace(node, text=f"{node.text}.0")
            yield code.edit(node, made, f"Write {node.text} with a point", 0.35)
        elif node.kind == "chain" and set(node.operators) & {
            "<",
            "<=",
            ">",
            ">=",
            "+",
            "-",
            "*",
            "/",
        }:
            for part in node.parts:
                if part.kind in ("field", "call", "macro"):
                    made = Node("call", "double", (part,))
                    yield code.edit(
                        part, made, f"Take `{code.said(part)}` as a number with a point", 0.2
                    )


def text_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Each text that something is compared with as another that is a value of it."""
    for node, what, allowed, rows in _compared(code):
        text = literal_text(node)
        if text is None:
            continue
        known = {text, *_siblings(code, node)}
        values = [each for each in (allowed or rows) if isinstance(each, str) and each not in known]
        is_wrong = allowed is not None and text not in allowed
        own = code.wording.likeness(text)
        ranked = sorted(values, key=lambda each: -_worth(code, text, each))
        for place, value in enumerate(ranked[:MOST]):
            words = code.wording.likeness(value)
            is_said = words > own
            usual = max(0.3, nearness(value, text)) * 0.9**place if is_wrong else 0.3
            authority = (
                code.cites
                if is_said
                else f"{what} has the values {', '.join(map(str, allowed))}"
                if is_wrong and allowed
                else ""
            )
            says = f"Ask for '{value}' instead of '{text}' in `{code.said(_around(code, node))}`"
            likelihood = min(0.9, usual + 0.3 * is_said) if allowed else usual * 0.7
            yield code.edit(
                node, replace(node, text=f"'{_escaped(value)}'"), says, likelihood, authority
            )


def _worth(code: ConditionCode, text: str, value: str) -> float:
    return nearness(text, value) + 2 * code.wording.likeness(value)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")


def _around(code: ConditionCode, node: Node) -> Node:
    around = code.tree.parent(node) if code.tree else None
    return around if around is not None else node


def _siblings(code: ConditionCode, node: Node) -> set[str]:
    around = _around(code, node)
    return {text for part in around.parts if around.kind == "list" and (text := literal_text(part))}


Compared = tuple[Node, str, list[Any] | None, list[Any]]
"""A literal, what it is compared with, the values that the schema allows that, and values that rows have."""


def _compared(code: ConditionCode) -> Iterator[Compared]:
    for node in code.nodes:
        if node.kind == "chain" and len(node.operators) == 1 and node.operators[0] in SIGNS:
            for one, other in (node.parts, node.parts[::-1]):
                literals = other.parts if other.kind == "list" else (other,)
                for literal in literals if one.kind != "literal" else ():
                    yield (literal, code.said(one), _allowed(code.shape(one)), _of_field(code, one))
        elif node.kind == "call" and node.text in FILTERED and len(node.parts) == 2:
            yield from _matched(code, node)


def _matched(code: ConditionCode, node: Node) -> Iterator[Compared]:
    table, match = literal_text(node.parts[0]), node.parts[1]
    if table is None or match.kind != "map":
        return
    fields = code.properties(code.contract.shapes.get(table))
    for key, value in zip(match.parts[::2], match.parts[1::2], strict=True):
        path = literal_text(key)
        if path is not None:
            allowed = _allowed(fields.get(path))
            yield value, f"{table}.{path}", allowed, list(code.values(table, path))


def _of_field(code: ConditionCode, node: Node) -> list[Any]:
    if node.kind != "field":
        return []
    table = code.table(code.shape(node.parts[0]))
    return list(code.values(table, node.text)) if table else []


def _allowed(shape: Any) -> list[Any] | None:
    values = shape.get("enum") if isinstance(shape, Mapping) else None
    return list(values) if isinstance(values, list) else None


def membership_edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Lists of allowed values with one more, or one less; an equality that lets one more do."""
    for node in code.nodes:
        if node.kind != "chain" or node.operators not in (("in",), ("==",)):
            continue
        one, other = node.parts
        allowed = _allowed(code.shape(one))
        if node.operators == ("in",) and other.kind == "list":
            yield from _fewer(code, other)
            yield from _more(code, node, other, allowed or [])
        elif node.operators == ("==",) and literal_text(other) is not None and allowed:
            yield from _more(code, node, Node("list", "", (other,)), allowed)


def _more(
    code: ConditionCode, node: Node, listed: Node, allowed: list[Any]
) -> Iterator[ConditionEdit]:
    there = {literal_text(part) for part in listed.parts}
    for value in [each for each in allowed if isinstance(each, str) and each not in there][:MOST]:
        made = replace(listed, parts=(*listed.parts, Node("literal", f"'{_escaped(value)}'")))
        words = code.wording.likeness(value)
        authority = code.cites if words else ""
        says = f"Let '{value}' do, too, in `{code.said(node)}`"
        chain = replace(node, operators=("in",), parts=(node.parts[0], made))
        yield code.edit(node, chain, says, 0.2 + 0.3 * words, authority)


def _fewer(code: ConditionCode, listed: Node) -> Iterator[ConditionEdit]:
    for place, part in enumerate(listed.parts[:MOST] if len(listed.parts) > 1 else ()):
        rest = (*listed.parts[:place], *listed.parts[place + 1 :])
        yield code.edit(
            listed,
            replace(listed, parts=rest),
            f"Leave out {code.said(part)} in `{code.said(listed)}`",
            0.15,
        )
