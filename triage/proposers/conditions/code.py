"""A condition as editors see it: its text and tree, what its names are, what it is meant to say, and its neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from triage.proposers.conditions.conditiontext import ConditionText
from triage.proposers.conditions.edit import ConditionEdit
from triage.proposers.conditions.printed import printed
from triage.proposers.conditions.wording import Wording
from worlds.cel_errors import ConditionInvalid
from worlds.cel_gates import Names
from worlds.cel_tree import Node, walk
from worlds.cel_values import Shape
from worlds.conditions import compile_condition
from worlds.contract import Contract, contract_of
from worlds.definitions import Definitions
from worlds.domain import Domain
from worlds.records import values_at

ROWS = 1_000
"""Of a table, whose values are looked at."""
VALUES = 12
"""Of a field."""
SHOWN = 90


@dataclass(frozen=True)
class Neighbour:
    """A condition that says something of the same kind, and where it stands."""

    text: str
    where: str
    weight: float = 1.0
    """How near it is, in (0, 1]."""


@dataclass(frozen=True)
class ConditionCode:
    """A condition with its surroundings."""

    text: str
    domain: Domain
    names: Mapping[str, Shape]
    """What it sees, as `worlds.conditions.compile_condition` takes it."""
    functions: Collection[str] = ()
    definitions: Definitions | None = None
    means: str = ""
    """What it is meant to say, in prose: the quote of its clause, the text of its invariant, the instruction."""
    cites: str = ""
    """Where that stands."""
    neighbours: Sequence[Neighbour] = ()
    tables: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Rows that there are."""
    known: Mapping[str, Shape] = field(default_factory=dict)
    """Shapes that only who knows the environments can tell: that of the actor."""
    failed: bool = False
    """Whether it failed with an error where it was asked."""
    absent: Collection[str] = ()
    """Names of which it is certain that they are null wherever it is asked: `before`, of an insert."""

    # The tree

    @cached_property
    def tree(self) -> ConditionText | None:
        """None where the text has none."""
        try:
            return ConditionText(self.text)
        except (ConditionInvalid, RecursionError):
            return None

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """All nodes, the outermost first."""
        return list(walk(self.tree.root)) if self.tree else []

    @cached_property
    def wording(self) -> Wording:
        """The words of what it is meant to say."""
        return Wording(self.means)

    def said(self, node: Node) -> str:
        """A node as a reader is shown it."""
        text = self.tree.said(node) if self.tree else printed(node)
        return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"

    def edit(
        self, node: Node, other: Node, says: str, likelihood: float, authority: str = ""
    ) -> ConditionEdit:
        """The condition with another node in the place of one of its own."""
        assert self.tree is not None  # noqa: S101  # there was a node
        text = self.tree.replaced(node, other)
        return ConditionEdit(text, says, likelihood, authority)

    # Shapes

    @cached_property
    def contract(self) -> Contract:
        """Of its domain."""
        return contract_of(self.domain)

    @cached_property
    def given(self) -> Mapping[str, Shape]:
        """All names that it may use."""
        defined = dict.fromkeys(name for level in self._defined.levels.values() for name in level)
        return {**defined, **self.names, **self.known}

    @property
    def _defined(self) -> Definitions:
        return self.definitions or self.domain.definitions

    @cached_property
    def _shapes(self) -> _Shapes:
        shapes = _Shapes(self.text, self.contract, self.given, self.functions)
        if self.tree:
            shapes.check(self.tree.root)
        return shapes

    def shape(self, node: Node) -> Shape:
        """What is known of a node's value, also where names in it are wrong."""
        return self._shapes.shapes.get(id(node))

    def bound(self, node: Node) -> Mapping[str, Shape]:
        """The variables of comprehensions around a node, with the shapes of what they run over."""
        return self._shapes.bound.get(id(node), {})

    def table(self, shape: Shape) -> str | None:
        """The table whose rows have a shape."""
        if shape is None:
            return None
        known = self.contract.shapes.items()
        return next((name for name, each in known if each is shape), None)

    def properties(self, shape: Shape) -> Mapping[str, Any]:
        """The fields of a shape."""
        found = shape.get("properties") if shape else None
        return found if isinstance(found, Mapping) else {}

    def values(self, table: str, path: str) -> Sequence[Any]:
        """Values that rows have at a path, each once, the most frequent first."""
        counts: dict[Any, int] = {}
        for row in self.tables.get(table, ())[:ROWS]:
            for value in values_at(row, path):
                if isinstance(value, (str, int, float)):
                    counts[value] = counts.get(value, 0) + 1
        return sorted(counts, key=lambda value: -counts[value])[:VALUES]

    def compiles(self, text: str) -> bool:
        """Whether a text would be taken in the place of this condition."""
        try:
            compile_condition(text, self.domain, self.names, self.functions, self.definitions)
        except (ConditionInvalid, RecursionError):
            return False
        return True


class _Shapes(Names):
    """Goes on where a name is wrong: nothing is known of its value."""

    def __init__(
        self, text: str, contract: Contract, names: Mapping[str, Shape], functions: Collection[str]
    ) -> None:
        super().__init__(text, contract, names, functions)
        self.bound: dict[int, Mapping[str, Shape]] = {}

    def check(self, node: Node) -> Shape:
        self.bound[id(node)] = {name: self.scope.get(name) for name in self._bound}
        try:
            return super().check(node)
        except (ConditionInvalid, RecursionError):
            self.shapes[id(node)] = None
            return None


def operands(node: Node, operator: str) -> Sequence[Node]:
    """What a chain of one operator joins; of anything else, itself alone."""
    return node.parts if set(node.operators) == {operator} else (node,)


def joined(parts: Sequence[Node], operator: str) -> Node:
    """Several conditions as one, chains of the operator flattened."""
    flat = [each for part in parts for each in operands(part, operator)]
    return (
        flat[0]
        if len(flat) == 1
        else Node("chain", "", tuple(flat), 0, (operator,) * (len(flat) - 1))
    )


def propositions(code: ConditionCode) -> Iterator[Node]:
    """The nodes of which truth is asked: the whole, what `&&`, `||` and `!` join, and what is said of each element."""
    if code.tree is None:
        return
    waiting = [code.tree.root]
    while waiting:
        node = waiting.pop(0)
        yield node
        waiting += _propositions_in(node)


def _propositions_in(node: Node) -> Iterator[Node]:
    if (node.kind == "chain" and node.operators[0] in ("&&", "||")) or (
        node.kind == "sign" and node.text == "!"
    ):
        yield from node.parts
    elif node.kind == "choice":
        yield node.parts[0]
    else:
        yield from (
            part
            for each in walk(node)
            if each.kind == "macro" and each.text != "map"
            for part in each.parts[1:]
        )
