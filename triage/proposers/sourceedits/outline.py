"""A tool server's source as Python's own parser sees it: what editors of statements look for, and look at in others.

It is a hundred times cheaper than the tree with which a source is edited, and says names and calls more plainly.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from worlds.bindings import defined
from worlds.writers import writers

BLOCKS = ("body", "orelse", "finalbody")


class Outline:
    """Raises `SyntaxError`, `ValueError` or `RecursionError` for what is no Python."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self._lines = [line.encode() for line in text.split("\n")]

    @staticmethod
    @lru_cache(maxsize=16)
    def of(text: str) -> Outline | None:
        """None for what is no Python, or nested too deep to be walked."""
        try:
            made = Outline(text)
            ast.unparse(made.tree)
            return made
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def functions(self) -> Mapping[str, ast.FunctionDef]:
        """Those at module level, by name."""
        return {each.name: each for each in self.tree.body if isinstance(each, ast.FunctionDef)}

    @cached_property
    def names(self) -> frozenset[str]:
        """What the module binds."""
        return frozenset(name for node in self.tree.body for name in defined(node))

    @cached_property
    def constants(self) -> Mapping[str, ast.Assign | ast.AnnAssign]:
        """The statements that give module-level names their values, where one alone does."""
        found: dict[str, ast.Assign | ast.AnnAssign] = {}
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found[target.id] = node  # type: ignore[assignment]
        return found

    @cached_property
    def writers(self) -> frozenset[str]:
        """The functions that reach a write."""
        return frozenset(writers(self.tree.body))

    @cached_property
    def parents(self) -> Mapping[ast.AST, ast.AST]:
        """The node around each."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def calls(self) -> Mapping[str, Sequence[tuple[ast.FunctionDef, ast.Call]]]:
        """Called name → the calls of it, each with the function in which it stands."""
        found: dict[str, list[tuple[ast.FunctionDef, ast.Call]]] = {}
        for function in self.functions.values():
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and called(node):
                    found.setdefault(called(node), []).append((function, node))
        return found

    @cached_property
    def comprehensions(
        self,
    ) -> Mapping[str, Sequence[tuple[ast.FunctionDef, ast.comprehension]]]:
        """What comprehensions with conditions go through, as plain Python → these, each with its function."""
        found: dict[str, list[tuple[ast.FunctionDef, ast.comprehension]]] = {}
        for function in self.functions.values():
            for node in ast.walk(function):
                if isinstance(node, ast.comprehension) and node.ifs:
                    found.setdefault(said(node.iter), []).append((function, node))
        return found

    def code(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node; the lines of a statement as they would stand at module level."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        text = [line.decode() for line in lines]
        if isinstance(node, ast.stmt):
            text = [text[0], *(_outdented(line, node.col_offset) for line in text[1:])]
        return "\n".join(text)

    def replaced(self, node: ast.expr, code: str) -> str:
        """The source with other code in the place of an expression."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = [*self._lines[:first], self._lines[first][: node.col_offset]]
        after = [self._lines[last][node.end_col_offset :], *self._lines[last + 1 :]]
        return (b"\n".join(before) + code.encode() + b"\n".join(after)).decode()

    def around(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement in which a node stands, itself too."""
        while not isinstance(node, ast.stmt):
            if node not in self.parents:
                return None
            node = self.parents[node]
        return node

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements among which one stands."""
        around = self.parents.get(statement)
        for name in (*BLOCKS, "handlers"):
            block = getattr(around, name, None)
            if isinstance(block, list) and statement in block:
                return block
        return [statement]

    def is_in_text(self, node: ast.AST) -> bool:
        """Whether it stands within an f-string, where Python before 3.12 does not know the place."""
        while not isinstance(node, ast.stmt) and node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.JoinedStr):
                return True
        return False


def _outdented(line: str, columns: int) -> str:
    return line[columns:] if not line[:columns].strip() else line


def blocks(node: ast.AST) -> Iterator[Sequence[ast.stmt]]:
    """All blocks in a node, outer before inner, those of inner definitions left out."""
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for each in block:
                if not isinstance(each, (ast.FunctionDef, ast.ClassDef)):
                    yield from blocks(each)
    for handler in getattr(node, "handlers", []):
        yield from blocks(handler)


def statements(node: ast.AST) -> list[ast.stmt]:
    """All statements in a node, in the order of the text, without docstrings."""
    found = [each for block in blocks(node) for each in block if not is_text(each)]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def parameters(function: ast.FunctionDef) -> list[str]:
    """The names of what a function takes."""
    given = function.args
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def bound_in(node: ast.AST) -> set[str]:
    """The names that stand for something after a node, those of its comprehensions left out."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
        return set()
    own = {node.id} if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else set()
    return own.union(*(bound_in(child) for child in ast.iter_child_nodes(node)))


def locals_of(function: ast.FunctionDef) -> set[str]:
    """What a function binds: parameters, assignments, loops, comprehensions too."""
    stored = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)
    }
    return {*parameters(function), *stored}


def loaded(node: ast.AST) -> set[str]:
    """The names that a node reads, those left out that it binds itself in comprehensions and lambdas."""
    own: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.comprehension):
            own |= {name.id for name in ast.walk(each.target) if isinstance(name, ast.Name)}
        if isinstance(each, ast.Lambda):
            own |= {arg.arg for arg in each.args.args}
    used = {e.id for e in ast.walk(node) if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load)}
    return used - own


def said(node: ast.AST | None) -> str:
    """A node in one line of plain Python, for comparing."""
    return "" if node is None else ast.unparse(node)


def called(node: ast.AST) -> str:
    """`f` or `db.get` where it is a call of that name, else empty."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Name):
        return node.func.id
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return f"{node.func.value.id}.{node.func.attr}"
    return ""
