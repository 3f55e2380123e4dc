"""Where a tool server's source raises exceptions: what tells a business refusal from a crash.

The sandbox says where an exception was raised, exactly as long as it passes through no `try`. What passes
through one, unhandled, comes with a place inside the `try` and without the frames below: then the words of
the raise statements have to tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FEWEST = 5
"""Fixed characters of a message below which it might be anybody's."""

Place = tuple[int, int]
"""Line and column from 1, the column in characters."""


@dataclass(frozen=True)
class Raise:
    """A raise statement of the source, other than a bare one."""

    first: Place
    """Where the sandbox says that what it raises was raised …"""
    last: Place
    """… at the latest: another place only for `raise A if … else B`."""
    function: str
    """The function it stands in, empty for module level."""
    words: tuple[str, ...]
    """The fixed parts of its message; anything may stand between two of them. Empty if none is fixed."""

    def says(self, message: str) -> bool:
        """Whether a message can be this statement's."""
        if sum(map(len, self.words)) < FEWEST or not message.startswith(self.words[0]):
            return False
        if len(self.words) == 1:
            return message == self.words[0]
        at = len(self.words[0])
        for word in self.words[1:-1]:
            found = message.find(word, at)
            if found < 0:
                return False
            at = found + len(word)
        return len(message) - len(self.words[-1]) >= at and message.endswith(self.words[-1])


@dataclass(frozen=True)
class Raises:
    """All raise statements of a source, and the lines that stand inside a `try`."""

    statements: tuple[Raise, ...] = ()
    tried: frozenset[int] = frozenset()

    @classmethod
    def of(cls, tree: ast.Module, source: str) -> Raises:
        """Those of a module."""
        lines = [line.encode() for line in source.split("\n")]
        tries = (node for node in ast.walk(tree) if isinstance(node, ast.Try))
        tried = (range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in tries)
        return cls(
            tuple(_statements(tree, "", lines)), frozenset(line for span in tried for line in span)
        )

    def behind(self, place: Place, message: str) -> Raise | None:
        """The statement that raised what came with this place and message; None when none did."""
        exact = (each for each in self.statements if each.first <= place <= each.last)
        worded = (each for each in self.statements if place[0] in self.tried and each.says(message))
        return next(exact, None) or next(worded, None)


def _statements(node: ast.AST, function: str, lines: list[bytes]) -> Iterator[Raise]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        function = node.name
    if isinstance(node, ast.Raise) and node.exc is not None:
        raised = node.exc
        first = _place(lines, raised.lineno, raised.col_offset)
        last = first
        if isinstance(raised, ast.IfExp):
            last = _place(lines, raised.end_lineno or 0, raised.end_col_offset or 0)
        words = _words(raised.args[0]) if isinstance(raised, ast.Call) and raised.args else ()
        yield Raise(first, last, function, tuple(words))
    for child in ast.iter_child_nodes(node):
        yield from _statements(child, function, lines)


def _place(lines: list[bytes], line: int, offset: int) -> Place:
    """The tree counts bytes, the sandbox characters."""
    return line, len(lines[line - 1][:offset].decode(errors="replace")) + 1


def _words(node: ast.expr) -> list[str]:
    """The fixed parts of a text, in order, with an empty one where it begins or ends with something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return _joined([_words(part) for part in node.values])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([_words(node.left), _words(node.right)])
    return ["", ""]


def _joined(parts: list[list[str]]) -> list[str]:
    words = [""]
    for part in parts:
        words[-1] += part[0] if part else ""
        words += part[1:]
    return words
