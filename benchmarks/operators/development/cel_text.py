"""Conditions as text: where comparisons and parts of a conjunction stand, and the text with others there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from celpy.celparser import CELParser
from lark import Token, Tree

SIGNS = {
    "relation_lt": "<", "relation_le": "<=", "relation_gt": ">", "relation_ge": ">=",
    "relation_eq": "==", "relation_ne": "!=",
}  # fmt: skip
ONE_MORE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
TEXT = re.compile(r"'([^'\\]*)'")


@dataclass(frozen=True)
class Comparison:
    """`left sign right` at a place of a condition."""

    start: int
    end: int
    left: str
    sign: str
    right: str

    def within(self, text: str, said: str) -> str:
        """The condition with other text in place of the comparison."""
        return text[: self.start] + said + text[self.end :]

    def signed(self, text: str, sign: str) -> str:
        """The condition with another sign here."""
        return self.within(text, f"{self.left} {sign} {self.right}")

    def turned(self, text: str) -> str:
        """The condition with the sides of this comparison exchanged."""
        return self.within(text, f"{self.right} {MIRRORED[self.sign]} {self.left}")


@lru_cache(maxsize=4_096)
def comparisons(text: str) -> tuple[Comparison, ...]:
    """All comparisons of a condition, in the order of the text."""
    found = []
    for tree in _parsed(text).iter_subtrees():
        if tree.data == "relation" and len(tree.children) == 2:
            half, right = tree.children
            if isinstance(half, Tree) and isinstance(right, Tree) and half.data in SIGNS:
                left = half.children[0]
                sides = _said(text, left), _said(text, right)
                start, end = _span(tree)
                found.append(Comparison(start, end, sides[0], SIGNS[half.data], sides[1]))
    return tuple(sorted(found, key=lambda c: (c.start, c.end)))


def numbers_moved(text: str) -> Iterator[tuple[int, str]]:
    """The condition with each number that something is compared with one higher, and where that stands."""
    for each in comparisons(text):
        if re.fullmatch(r"\d+(\.0)?", each.right) and each.sign in ONE_MORE:
            whole, dot, rest = each.right.partition(".")
            new = f"{each.left} {each.sign} {int(whole) + 1}{dot}{rest}"
            yield each.start, each.within(text, new)


def _parsed(text: str) -> Tree[Token]:
    tree: Tree[Token] = CELParser().parse(text)
    return tree


def _tree(child: Any) -> Tree[Token]:
    tree: Tree[Token] = child
    return tree


def _span(tree: Tree[Token]) -> tuple[int, int]:
    return tree.meta.start_pos, tree.meta.end_pos


def _said(text: str, child: Any) -> str:
    start, end = _span(_tree(child))
    return text[start:end]
