"""A condition's text with its tree: where each node stands, and the text with one node of it changed.

Nodes are changed by position, so that whatever an edit does not touch stays as its author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from triage.proposers.conditions.printed import bracketed, printed
from worlds.cel_tree import Node, parse, walk

TOKEN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+|\W""", re.DOTALL
)
OPENING = {"(": ")", "[": "]", "{": "}"}
WORD_BEFORE_BRACKET = re.compile(r"\w+$")
RECEIVING = {"chain", "choice", "field", "index", "macro"}
"""Kinds of nodes that begin with a part of theirs."""
Span = tuple[int, int]


class ConditionText:
    """Raises `worlds.cel_errors.ConditionInvalid` for a text without a tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = parse(text)

    @cached_property
    def parents(self) -> dict[int, tuple[Node, int]]:
        """Node (by identity) → the node around it, and which part of that it is."""
        return {
            id(part): (node, number)
            for node in walk(self.root)
            for number, part in enumerate(node.parts)
        }

    def parent(self, node: Node) -> Node | None:
        """The node around a node."""
        known = self.parents.get(id(node))
        return known[0] if known else None

    def ancestors(self, node: Node) -> Iterator[Node]:
        """The nodes around a node, the nearest first."""
        around = self.parent(node)
        while around is not None:
            yield around
            around = self.parent(around)

    def said(self, node: Node) -> str:
        """A node of the text as it stands there; any other written out, white space made plain."""
        return " ".join(printed(node, self._verbatim).split())

    def replaced(self, node: Node, other: Node) -> str:
        """The text with another node in the place of one of its own."""
        around, number = self.parents.get(id(node), (None, 0))
        made = bracketed(other, printed(other, self._verbatim), around, number)
        if around is None:
            return made
        start, end = self._outer(node)
        return self.text[:start] + made + self.text[end:]

    def span(self, node: Node) -> Span:
        """Where a node stands, without brackets around it."""
        return self._spans[id(node)]

    def _verbatim(self, node: Node) -> str | None:
        span = self._spans.get(id(node))
        return self.text[span[0] : span[1]] if span else None

    # Positions: the tree knows where nodes begin

    @cached_property
    def _tokens(self) -> list[Span]:
        found = TOKEN.finditer(self.text)
        return [match.span() for match in found if match.group("blank") is None]

    @cached_property
    def _closing(self) -> dict[int, int]:
        """Where each bracket is closed again."""
        stack: list[int] = []
        pairs: dict[int, int] = {}
        for start, _ in self._tokens:
            sign = self.text[start]
            if sign in OPENING:
                stack.append(start)
            elif stack and sign == OPENING[self.text[stack[-1]]]:
                pairs[stack.pop()] = start
        return pairs

    @cached_property
    def _spans(self) -> dict[int, Span]:
        found: dict[int, Span] = {}
        self._locate(self.root, found, 0)
        return found

    def _locate(self, node: Node, found: dict[int, Span], after: int) -> None:
        """Of a node and all in it, which stand at `after` or behind it."""
        begins = node.kind not in RECEIVING and not node.method
        place = _place(node)
        inner = max(after, place) if begins and place is not None else after
        for part in node.parts:
            self._locate(part, found, inner)
            inner = found[id(part)][1]
        if place is None and node.kind == "literal":
            start = self._after(after, node.text)
            found[id(node)] = (start, start + len(node.text))
            return
        start, end = node.at, self._end(node, found)
        if not begins:
            start = self._outer_of(found[id(node.parts[0])])[0]
        found[id(node)] = (start, end)

    def _end(self, node: Node, found: dict[int, Span]) -> int:
        if node.kind in ("literal", "name"):
            return node.at + len(node.text)
        if node.kind in ("chain", "choice", "sign"):
            return self._outer_of(found[id(node.parts[-1])])[1]
        if node.kind in ("list", "map"):
            return self._closing[node.at] + 1
        at = node.at
        if node.kind != "call" or node.method:
            at = self._outer_of(found[id(node.parts[0])])[1]
        if node.kind == "field":
            return self.text.index(node.text, self._after(at, ".") + 1) + len(node.text)
        return self._closing[self._after(at, "[" if node.kind == "index" else "(")] + 1

    def _after(self, at: int, sign: str) -> int:
        """Where the first such token stands from a place on."""
        return next(
            start for start, end in self._tokens if start >= at and self.text[start:end] == sign
        )

    def _outer(self, node: Node) -> Span:
        return self._outer_of(self._spans[id(node)])

    def _outer_of(self, span: Span) -> Span:
        """With all brackets that stand around nothing else, and are not those of a call."""
        start, end = span
        while True:
            before = next((each for each in reversed(self._tokens) if each[1] <= start), None)
            if before is None or self.text[before[0]] != "(" or self._is_of_call(before[0]):
                return start, end
            after = next((each for each in self._tokens if each[0] >= end), None)
            if after is None or self._closing.get(before[0]) != after[0]:
                return start, end
            start, end = before[0], after[1]

    def _is_of_call(self, at: int) -> bool:
        word = WORD_BEFORE_BRACKET.search(self._code_before(at))
        return word is not None and word.group() != "in"

    def _code_before(self, at: int) -> str:
        last = next((each for each in reversed(self._tokens) if each[1] <= at), None)
        return self.text[last[0] : last[1]] if last else ""


def _place(node: Node) -> int | None:
    """Where the tree says that a node stands; of `true` and `false`, and what begins with them, it does not."""
    return node.at
