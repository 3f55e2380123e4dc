"""Whether two conditions exclude each other, as far as their trees alone prove it.

Each side is taken apart into what must hold together (facts, under `&&`, `||`, `!` and `? :`); the two exclude each
other when every way of meeting both has two facts that no value meets. Nothing is evaluated, and what is not
understood is a value that may be anything: the answer "no" means "not proven".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Literal

from worlds.cel_tree import Node, literal_text

WAYS_LIMIT = 64
"""Alternatives that a condition is taken apart into; with more, nothing is proven."""
EXACT = 2**53
"""Numbers beyond may be rounded when they are compared, and are left alone."""

Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]
Value = tuple[str, Fraction | str | bool | None]
"""The kind of a literal (`number`, `text`, `bool`, `null`), and what it says."""

NEGATED: dict[str, Operator] = {
    "==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "in": "not in",
}  # fmt: skip
TURNED: dict[str, Operator] = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
SIGNS = {
    "==": frozenset("="), "!=": frozenset("<>?"), "<": frozenset("<"), "<=": frozenset("<="),
    ">": frozenset(">"), ">=": frozenset(">="),
}  # fmt: skip
"""How the left side may stand to the right one; `?`: neither less, equal nor greater (not a number)."""
UPPER, LOWER = ("<", "<="), (">", ">=")
TRUE: Value = ("bool", True)


@dataclass(frozen=True)
class Fact:
    """Something that must hold: a term compared with literals, or (`other`) with another term."""

    term: str
    operator: Operator
    values: tuple[Value, ...] = ()
    other: str = ""
    negated: bool = False
    """Whether it came from a negation: then a number that is none meets it too."""
    read_from: frozenset[str] = frozenset()
    """Terms of which a field is read, so that they cannot be null."""


Way = frozenset[Fact]


class _TooMany(Exception):
    """More alternatives than are looked at."""


def contradictory(one: Node, other: Node) -> bool:
    """Whether no state and no values make both true. Names mean the same in both. False: not proven."""
    try:
        ways = _joined(list(_ways(one, negate=False)), list(_ways(other, negate=False)))
    except _TooMany:
        return False
    return all(_impossible(way) for way in ways)


# Taking a condition apart


def _ways(node: Node, *, negate: bool) -> list[Way]:
    if node.kind == "sign" and node.text == "!":
        return _ways(node.parts[0], negate=not negate)
    if node.kind == "chain" and node.operators[0] in ("&&", "||"):
        either = (node.operators[0] == "||") is not negate
        sides = [_ways(part, negate=negate) for part in node.parts]
        return _any_of(sides) if either else _all_of(sides)
    if node.kind == "choice":
        condition, first, second = node.parts
        yes = _joined(_ways(condition, negate=False), _ways(first, negate=negate))
        no = _joined(_ways(condition, negate=True), _ways(second, negate=negate))
        return _any_of([yes, no])
    if node.kind == "literal" and node.text in ("true", "false"):
        return [frozenset()] if (node.text == "true") is not negate else []
    return [frozenset({_fact(node, negate=negate)})]


def _any_of(sides: list[list[Way]]) -> list[Way]:
    return _few([way for side in sides for way in side])


def _all_of(sides: list[list[Way]]) -> list[Way]:
    ways: list[Way] = [frozenset()]
    for side in sides:
        ways = _joined(ways, side)
    return ways


def _joined(one: list[Way], other: list[Way]) -> list[Way]:
    if len(one) * len(other) > WAYS_LIMIT:
        raise _TooMany
    return [first | second for first in one for second in other]


def _few(ways: list[Way]) -> list[Way]:
    if len(ways) > WAYS_LIMIT:
        raise _TooMany
    return ways


def _fact(node: Node, *, negate: bool) -> Fact:
    read_from = frozenset(_read_from(node))
    fact = _comparison(node)
    if fact is None:  # true, or false: a condition that is neither does not hold
        fact = Fact(spelled(node), "==", (("bool", not negate),))
    elif negate:
        fact = replace(fact, operator=NEGATED[fact.operator], negated=True)
    return replace(fact, read_from=read_from)


def _comparison(node: Node) -> Fact | None:
    if node.kind != "chain" or len(node.operators) != 1:
        return None
    left, right, operator = *node.parts, node.operators[0]
    if operator == "in":
        return _membership(left, right)
    if operator not in TURNED:
        return None
    low, high = literal(left), literal(right)
    if low is not None and high is None:
        return Fact(spelled(right), TURNED[operator], (low,))
    if high is not None and low is None:
        return Fact(spelled(left), NEGATED[NEGATED[operator]], (high,))
    one, other = spelled(left), spelled(right)
    if one > other:
        return Fact(other, TURNED[operator], other=one)
    return Fact(one, NEGATED[NEGATED[operator]], other=other)


def _membership(left: Node, right: Node) -> Fact | None:
    if right.kind != "list":
        return None
    values = [literal(part) for part in right.parts]
    if None in values or literal(left) is not None:
        return None
    return Fact(spelled(left), "in", tuple(value for value in values if value is not None))


def literal(node: Node) -> Value | None:
    """What a literal says; None for anything else, and for text with escapes."""
    if node.kind == "sign" and node.text == "-":
        inner = literal(node.parts[0])
        number = inner[1] if inner is not None else None
        return ("number", -number) if isinstance(number, Fraction) else None
    if node.kind != "literal":
        return None
    if node.text in ("true", "false"):
        return "bool", node.text == "true"
    if node.text == "null":
        return "null", None
    text = literal_text(node)
    return ("text", text) if text is not None else _number(node.text)


def _number(text: str) -> Value | None:
    try:
        if "x" in text.lower():
            number = Fraction(int(text.rstrip("uU"), 16))
        elif text.rstrip("uU").lstrip("-").isdigit():
            number = Fraction(int(text.rstrip("uU")))
        else:
            number = Fraction(float(text))
    except (ValueError, OverflowError):
        return None
    return ("number", number) if abs(number) <= EXACT else None


def spelled(node: Node, bound: tuple[str, ...] = ()) -> str:
    """One text for one tree, however it is spaced, quoted, or its loops' variables are named."""
    value = literal(node)
    if value is not None:
        return f"{value[0]}:{value[1]}"
    if node.kind == "name" and node.text in bound:
        return f"${len(bound) - bound[::-1].index(node.text)}"
    if node.kind == "index" and literal_text(node.parts[1]) is not None:
        return f"field.{literal_text(node.parts[1])}({spelled(node.parts[0], bound)})"
    inner = (*bound, node.variable) if node.kind == "macro" else bound
    parts = [spelled(part, inner if number else bound) for number, part in enumerate(node.parts)]
    return f"{node.kind}.{node.text}{''.join(node.operators)}({','.join(parts)})"


def _read_from(node: Node) -> Iterator[str]:
    """The terms whose fields are read whenever the node is evaluated without an error."""
    if node.kind == "choice" or node.text == "has":
        return
    if node.kind == "chain" and node.operators[0] in ("&&", "||"):
        return
    if node.kind in ("field", "index"):
        yield spelled(node.parts[0])
    for part in node.parts[:1] if node.kind == "macro" else node.parts:
        yield from _read_from(part)


# Two facts that no value meets


def _impossible(way: Way) -> bool:
    nothing = any(fact.operator == "in" and not fact.values for fact in way)
    return nothing or any(_exclude(one, other) for one, other in combinations(way, 2))


def _exclude(one: Fact, other: Fact) -> bool:
    if _is_null(one) and one.term in other.read_from:
        return True
    if _is_null(other) and other.term in one.read_from:
        return True
    if one.term != other.term or one.other != other.other:
        return False
    if one.other:
        return not _signs(one) & _signs(other)
    return _apart(one, other)


def _is_null(fact: Fact) -> bool:
    return fact.operator == "==" and fact.values == (("null", None),)


def _signs(fact: Fact) -> frozenset[str]:
    signs = SIGNS[fact.operator]
    return signs | {"?"} if fact.negated and fact.operator != "==" else signs


def _apart(one: Fact, other: Fact) -> bool:
    for exact, wide in ((one, other), (other, one)):
        if exact.operator in ("==", "in"):
            return not any(_meets(value, wide) for value in exact.values)
    if one.operator not in UPPER + LOWER or other.operator not in UPPER + LOWER:
        return False
    if one.negated and other.negated:
        return False
    return _bounds_apart(one, other)


def _meets(value: Value, fact: Fact) -> bool:
    """Whether a term of this value meets the fact; also where that cannot be told."""
    if fact.operator in ("==", "in"):
        return value in fact.values
    if fact.operator in ("!=", "not in"):
        return value not in fact.values
    if value[0] != fact.values[0][0]:
        return fact.negated
    return _compared(value, fact.operator, fact.values[0])


def _compared(one: Value, operator: Operator, other: Value) -> bool:
    """Whether `one` stands so to `other`; true where literals of their kind have no order."""
    if one[1] == other[1]:
        return operator in ("<=", ">=")
    less = _less(one[1], other[1])
    return less is None or less is (operator in UPPER)


def _less(one: Fraction | str | bool | None, other: Fraction | str | bool | None) -> bool | None:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return one < other
    return one < other if isinstance(one, str) and isinstance(other, str) else None


def _bounds_apart(one: Fact, other: Fact) -> bool:
    """Whether an upper bound lies below a lower one."""
    if (one.operator in UPPER) == (other.operator in UPPER):
        return False
    upper, lower = (one, other) if one.operator in UPPER else (other, one)
    (high,), (low,) = upper.values, lower.values
    if high[0] != low[0]:
        return not one.negated and not other.negated
    if high == low:
        return (upper.operator, lower.operator) != ("<=", ">=")
    return _compared(high, "<", low)
