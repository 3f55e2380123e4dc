"""A condition's text as a small tree, and the first gate: what has no tree is refused with its position.

The grammar is cel-python's; the evaluator is another library with a parser of its own. What is evaluated is
therefore written anew from this tree (`worlds.cel_source`), and the few spellings of text on which the two could
differ (raw, bytes and triple-quoted literals, control characters) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from celpy.celparser import CELParseError, CELParser
from lark import Token, Tree
from lark.exceptions import UnexpectedToken

from worlds.cel_errors import ConditionInvalid

TEXT_LIMIT = 4_000
DEPTH_LIMIT = 40
"""Brackets, members and signs inside one another: more than people write, less than a parser's stack."""

PARSED_KEPT = 1_024

MACROS = {"all": 2, "exists": 2, "exists_one": 2, "existsOne": 2, "filter": 2, "map": 3}
"""Comprehensions, with the most arguments that they take (a variable, then expressions)."""

NodeKind = Literal[
    "literal", "name", "field", "index", "call", "macro", "list", "map", "sign", "chain", "choice"
]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PLAIN_TEXT = re.compile(
    r"""(["'])(?!\1\1)(?:[^\\\n]|\\[abfnrtv"'\\?`]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[0-3][0-7]{2})*\1"""
)
_CHAINS = ("conditionalor", "conditionaland", "relation", "addition", "multiplication")
_LEVELS = {*_CHAINS, "expr", "unary", "member", "primary", "paren_expr"}
_OPERATORS = {
    "conditionalor": "||", "conditionaland": "&&",
    "relation_lt": "<", "relation_le": "<=", "relation_gt": ">", "relation_ge": ">=",
    "relation_eq": "==", "relation_ne": "!=", "relation_in": "in",
    "addition_add": "+", "addition_sub": "-",
    "multiplication_mul": "*", "multiplication_div": "/", "multiplication_mod": "%",
}  # fmt: skip


Scope = frozenset[str]
"""The variables of comprehensions that stand around a place."""


@dataclass(frozen=True, eq=False)
class Node:
    """One piece of a condition. `parts` by kind: field (target), index (target, index), call (arguments, the
    receiver first), macro (range, expressions), map (key, value, key, value …), chain (operands of `operators`)."""

    kind: NodeKind
    text: str
    """The literal, name, field, function, macro or sign."""
    parts: tuple[Node, ...] = ()
    at: int = 0
    operators: tuple[str, ...] = ()
    variable: str = ""
    """The name that a macro binds."""
    method: bool = False
    """Whether a call was written `receiver.name(…)`."""


@lru_cache(maxsize=PARSED_KEPT)
def parse(text: str) -> Node:
    """The tree of a condition, made once; raises ConditionInvalid."""
    if len(text) > TEXT_LIMIT:
        raise ConditionInvalid(
            f"a condition has at most {TEXT_LIMIT} characters, this one {len(text)}", text
        )
    control = _CONTROL.search(text)
    if control:
        raise ConditionInvalid("there is a control character", text, control.start())
    try:
        tree = CELParser().parse(text)
    except CELParseError as error:
        cause = error.__context__
        ended = isinstance(cause, UnexpectedToken) and cause.token.type == "$END"
        raise _syntax_error(text, None if ended else error.line, error.column) from None
    return _Reader(text).node(tree, 0)


def _syntax_error(text: str, line: int | None, column: int | None) -> ConditionInvalid:
    if not line or not column or line < 1 or column < 1:
        return ConditionInvalid("the syntax is wrong: it ends too early", text, len(text))
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    at = min(starts[line - 1] + column - 1, len(text))
    near = re.match(r"\w+|\W", text[at:])
    what = f"unexpected {near.group()!r}" if near else "it ends too early"
    return ConditionInvalid(f"the syntax is wrong: {what}", text, at)


class _Reader:
    """Turns the grammar's tree, a node for each level of precedence, into one with a node for each thing said."""

    def __init__(self, text: str) -> None:
        self.text = text

    def node(self, tree: Tree[Token], depth: int) -> Node:
        while tree.data in _LEVELS and len(tree.children) == 1:
            tree = _trees(tree)[0]
        if depth > DEPTH_LIMIT:
            raise ConditionInvalid(
                f"a condition nests at most {DEPTH_LIMIT} levels deep",
                self.text,
                tree.meta.start_pos,
            )
        if tree.data in _CHAINS:
            return self._chain(tree, depth)
        build = getattr(self, f"_{tree.data}", None)
        if build is None:
            raise ConditionInvalid(
                "conditions have no such expression", self.text, tree.meta.start_pos
            )
        node: Node = build(tree, tree.meta.start_pos, depth + 1)
        return node

    def _chain(self, tree: Tree[Token], depth: int) -> Node:
        level, start = tree.data, tree.meta.start_pos
        operands: list[Tree[Token]] = []
        operators: list[str] = []
        while tree.data == level and len(tree.children) == 2:
            left, right = _trees(tree)
            operands.append(right)
            operators.append(_OPERATORS[level if left.data == level else left.data])
            tree = left if left.data == level else _trees(left)[0]
        operands.append(tree)
        parts = tuple(self.node(operand, depth + 1) for operand in reversed(operands))
        return Node("chain", "", parts, start, tuple(reversed(operators)))

    def _expr(self, tree: Tree[Token], at: int, depth: int) -> Node:
        return Node("choice", "", self._nodes(tree, depth), at)

    def _unary(self, tree: Tree[Token], at: int, depth: int) -> Node:
        sign, operand = _trees(tree)
        text = "!" if sign.data == "unary_not" else "-"
        return Node("sign", text, (self.node(operand, depth),), at)

    def _member_dot(self, tree: Tree[Token], at: int, depth: int) -> Node:
        return Node("field", str(tree.children[1]), self._nodes(tree, depth), at)

    def _member_index(self, tree: Tree[Token], at: int, depth: int) -> Node:
        return Node("index", "", self._nodes(tree, depth), at)

    def _member_dot_arg(self, tree: Tree[Token], at: int, depth: int) -> Node:
        name = str(tree.children[1])
        parts = self._arguments(tree, depth)
        receiver = self.node(_trees(tree)[0], depth)
        if name in MACROS:
            return self._macro(name, receiver, parts, at)
        return Node("call", name, (receiver, *parts), at, method=True)

    def _macro(self, name: str, receiver: Node, parts: tuple[Node, ...], at: int) -> Node:
        if not 2 <= len(parts) <= MACROS[name] or parts[0].kind != "name":
            raise ConditionInvalid(
                f"{name} takes a new name and what to say about it", self.text, at
            )
        return Node("macro", name, (receiver, *parts[1:]), at, variable=parts[0].text)

    def _ident_arg(self, tree: Tree[Token], at: int, depth: int) -> Node:
        return Node("call", str(tree.children[0]), self._arguments(tree, depth), at)

    def _ident(self, tree: Tree[Token], at: int, _depth: int) -> Node:
        return Node("name", str(tree.children[0]), (), at)

    def _list_lit(self, tree: Tree[Token], at: int, depth: int) -> Node:
        return Node("list", "", self._arguments(tree, depth), at)

    def _map_lit(self, tree: Tree[Token], at: int, depth: int) -> Node:
        entries = tuple(node for inits in _trees(tree) for node in self._nodes(inits, depth))
        return Node("map", "", entries, at)

    def _literal(self, tree: Tree[Token], at: int, _depth: int) -> Node:
        token = tree.children[0]
        text = str(token)
        if text[-1] in "\"'" and not _PLAIN_TEXT.fullmatch(text):
            raise ConditionInvalid(
                "text is written plainly: 'so' or \"so\", with escapes such as \\' and \\n",
                self.text,
                at,
            )
        return Node("literal", text, (), at)

    def _arguments(self, tree: Tree[Token], depth: int) -> tuple[Node, ...]:
        lists = [child for child in _trees(tree) if child.data == "exprlist"]
        return tuple(node for each in lists for node in self._nodes(each, depth))

    def _nodes(self, tree: Tree[Token], depth: int) -> tuple[Node, ...]:
        return tuple(self.node(child, depth) for child in _trees(tree))


def _trees(tree: Tree[Token]) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree)]


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    yield node
    for part in node.parts:
        yield from walk(part)


def scoped_names(node: Node, bound: Scope = frozenset()) -> Iterator[tuple[Node, Scope]]:
    """The names that no comprehension binds, fields apart, each with the variables around it."""
    if node.kind == "name" and node.text not in bound:
        yield node, bound
    inner = bound | {node.variable} if node.variable else bound
    for number, part in enumerate(node.parts):
        yield from scoped_names(part, bound if number == 0 else inner)


def free_names(node: Node) -> Scope:
    """What a condition must be given."""
    return frozenset(name.text for name, _ in scoped_names(node))


def literal_text(node: Node) -> str | None:
    """What a text literal without escapes says; None for anything else."""
    if node.kind != "literal" or node.text[-1] not in "\"'" or "\\" in node.text:
        return None
    return node.text[1:-1]
