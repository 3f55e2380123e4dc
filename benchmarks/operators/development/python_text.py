"""Python source with its tree: where a node stands in the text, and the text with something else there.

All that is not replaced stays byte for byte. Nothing within an f-string is looked at: Python 3.11 does not say where
in the text its parts stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

FunctionNode = ast.FunctionDef
Span = tuple[int, int]

SAFE_ALONE = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.JoinedStr,
)  # fmt: skip
"""Expressions that need no brackets wherever they stand."""
MIRRORED: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=",
}  # fmt: skip
SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


class PythonText:
    """A source that can be read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._raw = text.encode()
        lines = self._raw.splitlines(keepends=True)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """What each node stands in."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> Span:
        """Where a node stands, in bytes."""
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0),
        )

    def said(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self._raw[start:end].decode()

    def between(self, start: int, end: int) -> str:
        """The text of a span."""
        return self._raw[start:end].decode()

    def operand(self, node: ast.expr) -> str:
        """The text of an expression as it may stand beside an operator."""
        said = self.said(node)
        return said if isinstance(node, SAFE_ALONE) else f"({said})"

    def spliced(self, *changes: tuple[Span, str]) -> str:
        """The text with other text at these spans, which do not overlap."""
        raw = self._raw
        for (start, end), new in sorted(changes, reverse=True):
            raw = raw[:start] + new.encode() + raw[end:]
        return raw.decode()

    def replaced(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg, new: str) -> str:
        """The text with other text in place of a node."""
        return self.spliced((self.span(node), new))

    def lines_of(self, first: ast.stmt, last: ast.stmt | None = None) -> Span:
        """The whole lines of a statement, or of several."""
        end = (last or first).end_lineno or first.lineno
        return self._starts[first.lineno - 1], self._starts[end]

    def indent(self, node: ast.stmt) -> str:
        """The white space before a statement."""
        return " " * node.col_offset

    def before(self, node: ast.stmt, new: str) -> str:
        """The text with whole lines put before a statement."""
        start = self._starts[node.lineno - 1]
        return self.spliced(((start, start), new))

    def block_of(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        parent = self.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                return block
        return [node]

    def without(self, node: ast.stmt) -> str:
        """The text without a statement; `pass` where nothing would be left."""
        alone = len(self.block_of(node)) == 1
        return self.spliced((self.lines_of(node), f"{self.indent(node)}pass\n" if alone else ""))


def inside(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it but what stands within f-strings."""
    yield node
    if not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from inside(child)


def names_in(node: ast.AST) -> set[str]:
    """All names and attributes in a piece of code, within f-strings too."""
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def has_call(node: ast.AST) -> bool:
    """Whether anything is called in a piece of code."""
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def called_name(node: ast.AST) -> str:
    """`db.update` of `db.update(…)`, `_save` of `_save(…)`; empty for anything but a call of a name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return ""
    return ast.unparse(node.func)


def comparisons(node: ast.AST) -> Iterator[ast.Compare]:
    """The comparisons of two things in a piece of code."""
    for each in inside(node):
        if isinstance(each, ast.Compare) and len(each.ops) == 1:
            yield each


def negated(text: PythonText, test: ast.expr) -> str:
    """An expression that holds when the other does not, as people write it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return text.said(test.operand)
    return f"not {text.operand(test)}"


def docstring_of(node: FunctionNode) -> ast.Constant | None:
    """The docstring of a function as a node."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first.value if isinstance(first.value.value, str) else None
    return None


def statements(node: FunctionNode) -> Sequence[ast.stmt]:
    """The statements of a function after its docstring."""
    return node.body[1:] if docstring_of(node) else node.body
