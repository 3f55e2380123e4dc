"""A tool server's source as editors see it: its tree, and the text with one place of it changed.

Edits are spliced into the text by position, so that whatever they do not touch stays byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import indent
from typing import TypeVar

import libcst as cst
from libcst.metadata import (
    ByteSpanPositionProvider,
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
)

from worlds.domain import Domain

Node = TypeVar("Node", bound=cst.CSTNode)
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


@dataclass(frozen=True)
class SourceCode:
    """Raises `libcst.ParserSyntaxError` when its tree is first asked for."""

    text: str
    domain: Domain
    """Its tables are what the code reads and writes."""
    focus: Mapping[str, float] = field(default_factory=dict)
    """Function → how suspicious it is, in (0, 1]; edits are made in these alone, and at module level where "" is
    among them."""
    lines: Mapping[int, float] = field(default_factory=dict)
    """Line → how suspicious, in (0, 1], as failing attempts execute it; empty = nobody knows. A line of a function
    that is not in it was not executed where it fails."""
    neighbours: Sequence[str] = ()
    """Sources of other tool servers of the domain, from which statements may be borrowed."""
    given: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Tool → the arguments that plans give it; empty = nobody knows."""
    read: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Tool → the keys that plans read of its result, as templates do: `order_id`, `orders[0].order_id`."""

    # The tree

    @cached_property
    def module(self) -> cst.Module:
        return self._wrapper.module

    @cached_property
    def _wrapper(self) -> MetadataWrapper:
        return MetadataWrapper(cst.parse_module(self._bytes), unsafe_skip_copy=True)

    @cached_property
    def _bytes(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _spans(self) -> Mapping[cst.CSTNode, object]:
        return self._wrapper.resolve(ByteSpanPositionProvider)

    @cached_property
    def _positions(self) -> Mapping[cst.CSTNode, object]:
        return self._wrapper.resolve(PositionProvider)

    @cached_property
    def _parents(self) -> Mapping[cst.CSTNode, cst.CSTNode]:
        return self._wrapper.resolve(ParentNodeProvider)

    @cached_property
    def functions(self) -> Mapping[str, cst.FunctionDef]:
        """Those at module level, by name."""
        return {
            node.name.value: node for node in self.module.body if isinstance(node, cst.FunctionDef)
        }

    @cached_property
    def statements(self) -> Mapping[int, Statement]:
        """By the line on which each begins; the outermost of those that begin on one."""
        found: dict[int, Statement] = {}
        for node in self._all(self.module):
            if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
                found.setdefault(self.line(node), node)
        return found

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node."""
        return self._parents.get(node)

    def line(self, node: cst.CSTNode) -> int:
        """The first line of a node, from 1."""
        return self._positions[node].start.line  # type: ignore[attr-defined, no-any-return]

    def function(self, node: cst.CSTNode) -> str:
        """The module-level function (or class) in which a node stands; empty at module level."""
        around: cst.CSTNode | None = node
        name = ""
        while around is not None:
            if isinstance(around, (cst.FunctionDef, cst.ClassDef)):
                name = around.name.value
            around = self.parent(around)
        return name

    def statement(self, node: cst.CSTNode) -> Statement | None:
        """The innermost statement in which a node stands, itself too."""
        around: cst.CSTNode | None = node
        while around is not None and not isinstance(
            around, (cst.SimpleStatementLine, cst.BaseCompoundStatement)
        ):
            around = self.parent(around)
        return around

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node, without what stands before and after it."""
        start, end = self._span(node)
        return self._bytes[start:end].decode()

    def start(self, node: cst.CSTNode) -> int:
        """How many bytes of the text stand before a node."""
        return self._span(node)[0]

    # What is under suspicion

    def suspicion(self, node: cst.CSTNode) -> float:
        """How suspicious the place of a node is, in [0, 1]: 0 outside the focus, and where failing attempts never
        come."""
        name = self.function(node)
        weight = self.focus.get(name, 0.0)
        if not weight or not self.lines or not name:
            return weight  # what stands at module level is executed before any attempt
        statement = self.statement(node)
        line = self.line(node if statement is None else statement)
        return weight * max(self.lines.get(line, 0.0), self.lines.get(self.line(node), 0.0))

    def suspects(self, kind: type[Node]) -> Iterator[Node]:
        """The nodes of a kind that are under suspicion, in the order of the text."""
        for node in self._suspicious:
            if isinstance(node, kind):
                yield node

    @cached_property
    def _suspicious(self) -> Sequence[cst.CSTNode]:
        # A walk of the whole tree takes a large part of a second, and every editor asks several times.
        return [
            node
            for statement in self.module.body
            if self.focus.get(self.function(statement), 0.0)
            for node in self._all(statement)
            if self.suspicion(node)
        ]

    def all(self, kind: type[Node], within: cst.CSTNode | None = None) -> Iterator[Node]:
        """All nodes of a kind, in the order of the text, suspicious or not."""
        for node in self._all(within or self.module):
            if isinstance(node, kind):
                yield node

    def _all(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        yield node
        for child in node.children:
            yield from self._all(child)

    # The text with one place changed

    def replaced(self, node: cst.CSTNode, code: str) -> str:
        """With other code in the place of an expression."""
        start, end = self._span(node)
        return (self._bytes[:start] + code.encode() + self._bytes[end:]).decode()

    def inserted(self, statement: Statement, code: str, *, after: bool = False) -> str:
        """With statements (written without indentation, several lines as they would stand at module level) before a
        statement, or after it and all that stands inside it."""
        start, end = self._lines_of(statement)
        at = end if after else start
        return self._with(at, at, code, self._indentation(statement))

    def rewritten(self, statement: Statement, code: str) -> str:
        """With other statements (as for `inserted`; empty = none) in the place of a statement, comments above it
        kept. A block that would be left empty gets a `pass`."""
        start, end = self._lines_of(statement)
        if not code.strip() and self._is_alone(statement):
            code = "pass"
        return self._with(start, end, code, self._indentation(statement))

    def _with(self, start: int, end: int, code: str, indentation: str) -> str:
        lines = self.text.split("\n")
        made = indent(code.strip("\n"), indentation).split("\n") if code.strip() else []
        return "\n".join([*lines[:start], *made, *lines[end:]])

    def _is_alone(self, statement: Statement) -> bool:
        block = self.parent(statement)
        return isinstance(block, cst.IndentedBlock) and len(block.body) == 1

    def _lines_of(self, statement: Statement) -> tuple[int, int]:
        """Its first line, from 0, and the line after its last."""
        where = self._positions[statement]
        first, last = where.start.line - 1, where.end.line  # type: ignore[attr-defined]
        if where.end.column == 0:  # type: ignore[attr-defined]
            last -= 1  # a block ends where the next line begins
        return first, last

    def _indentation(self, statement: Statement) -> str:
        line = self.text.split("\n")[self.line(statement) - 1]
        return line[: len(line) - len(line.lstrip())]

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        span = self._spans[node]
        return span.start, span.start + span.length  # type: ignore[attr-defined]
