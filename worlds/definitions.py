"""Names that a rule gives to conditions, written out wherever its clauses use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from worlds.cel_errors import ConditionInvalid
from worlds.cel_tree import DEPTH_LIMIT, Node, parse

Scope = frozenset[str]
Written = tuple[str, int]
"""A text written out, and how many definitions stood on one another in it."""


class Definitions:
    """The definitions of a rule: name → condition. One may use others, in any order, but not itself."""

    def __init__(self, define: Mapping[str, str]) -> None:
        self._define = define
        self._known: dict[str, str] = {}
        """Texts already written out: every world of a rule asks for the same ones."""
        self._meanings: dict[str, Written] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._define)

    def written_out(self, text: str) -> str:
        """`text` with each defined name replaced by what it stands for; raises ConditionInvalid."""
        if not self._define:
            return text
        if text not in self._known:
            self._known[text], _ = self._written(text, ())
        return self._known[text]

    def _written(self, text: str, within: tuple[str, ...]) -> Written:
        uses = sorted(self._uses(parse(text), frozenset()), key=lambda use: use[0].at)
        pieces, end, height = [], 0, 0
        for node, bound in uses:
            meaning, below = self._meaning(node, text, within)
            hidden = bound & _free(parse(meaning), frozenset())
            if hidden:
                said = f"the variable {min(hidden)!r} hides a name that {node.text!r} stands on"
                raise ConditionInvalid(said, text, node.at)
            # The line ends a comment, which would go on behind the bracket.
            pieces += [text[end : node.at], f"({meaning}\n)" if "//" in meaning else f"({meaning})"]
            end, height = node.at + len(node.text), max(height, below + 1)
        return "".join([*pieces, text[end:]]), height

    def _meaning(self, node: Node, text: str, within: tuple[str, ...]) -> Written:
        name = node.text
        if name in within:
            raise ConditionInvalid(f"{name!r} is defined by itself", text, node.at)
        height = self._meanings[name][1] if name in self._meanings else 0
        if len(within) + height >= DEPTH_LIMIT:
            said = f"definitions stand at most {DEPTH_LIMIT} deep on one another"
            raise ConditionInvalid(said, text, node.at)
        if name not in self._meanings:
            self._meanings[name] = self._written(self._define[name], (*within, name))
        return self._meanings[name]

    def _uses(self, node: Node, bound: Scope) -> Iterator[tuple[Node, Scope]]:
        for name, scope in _names(node, bound):
            if name.text in self._define:
                yield name, scope


def _names(node: Node, bound: Scope) -> Iterator[tuple[Node, Scope]]:
    """The names that no comprehension binds, each with the variables around it."""
    if node.kind == "name" and node.text not in bound:
        yield node, bound
    inner = bound | {node.variable} if node.variable else bound
    for number, part in enumerate(node.parts):
        yield from _names(part, bound if number == 0 else inner)


def _free(node: Node, bound: Scope) -> Scope:
    return frozenset(name.text for name, _ in _names(node, bound))
