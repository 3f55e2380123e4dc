"""The static gate: what a tool server's source may not say, found without running it.

What gets past it is still held by the sandbox; the gate says early, and with a place, what would fail
there, or what would carry something from one call to the next behind the records' back.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass

from worlds.bindings import (
    DEFINITIONS,
    binding,
    bindings_of,
    bound,
    defined,
    is_container,
    mutable_defaults,
)

IMPORTS = (
    "base64", "bisect", "collections", "copy", "dataclasses", "datetime", "decimal", "functools",
    "hashlib", "itertools", "json", "math", "random", "re", "time", "typing", "unicodedata",
)  # fmt: skip
"""The modules that the sandbox has and that reach nothing outside it."""

GIVEN = frozenset({"db", "clock", "money"})
"""Names that the host gives."""

FORBIDDEN = frozenset({
    "open", "eval", "exec", "compile", "__import__", "input", "globals", "locals", "vars", "dir",
    "breakpoint", "setattr", "delattr", "memoryview", "exit", "quit", "help",
})  # fmt: skip
MUTATORS = frozenset({
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add",
    "discard", "sort", "reverse", "appendleft", "popleft", "extendleft", "rotate", "subtract",
    "difference_update", "intersection_update", "symmetric_difference_update",
})  # fmt: skip
REARRANGERS = frozenset({"shuffle", "insort", "insort_left", "insort_right"})
"""Functions of the allowed modules that change the list they are given."""


INSIDE = frozenset({"get", "values", "items"})
"""Methods whose result gives access to what the container holds."""

LONGEST = 500_000

UNSUPPORTED: dict[str, str] = {
    "Yield": "yield is not supported: build and return a list",
    "YieldFrom": "yield is not supported: build and return a list",
    "Delete": "del is not supported: use pop, or build a new dict or list",
    "AsyncFunctionDef": "async functions are not supported: write a plain def",
    "Await": "await is not supported: calls to db and clock are plain calls",
    "AsyncFor": "async for is not supported",
    "AsyncWith": "async with is not supported",
    "TryStar": "except* is not supported: use except",
    "TypeAlias": "type aliases are not supported: write the type where it is used",
    "Global": "module-level names are constants: keep what must last in the records, through db",
}


@dataclass(frozen=True, order=True)
class SourceProblem:
    """What is wrong in a source, and where."""

    line: int
    column: int
    """From 1, as editors count."""
    symbol: str
    """The top-level function or class it stands in, or empty."""
    message: str


TOO_DEEP = SourceProblem(1, 1, "", "the source cannot be read: it is nested too deeply")


def parse(source: str) -> ast.Module | SourceProblem:
    """The source as a tree, or why it cannot be read."""
    if len(source) > LONGEST:
        return SourceProblem(1, 1, "", f"the source is longer than {LONGEST} characters")
    try:
        return ast.parse(source)
    except SyntaxError as error:
        return SourceProblem(error.lineno or 1, error.offset or 1, "", f"syntax error: {error.msg}")
    except (RecursionError, MemoryError):
        return TOO_DEEP
    except ValueError as error:
        return SourceProblem(1, 1, "", f"the source cannot be read: {error}")


def check(tree: ast.Module) -> list[SourceProblem]:
    """What the gate finds, in the order of the source."""
    gate = _Gate(tree)
    for statement in tree.body:
        symbol = statement.name if isinstance(statement, DEFINITIONS) else ""
        gate.walk(statement, _Scope(symbol))
    return sorted(set(gate.problems))


class _Scope:
    """Where a statement stands: in which definition, and which of its names are the function's own."""

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol
        self.inside = False
        self.own: set[str] = set()
        self.shared: set[str] = set()
        """Names of the function that stand for module state or a part of it."""
        self.containers: set[str] = set()
        """Those that stand for a whole list, dict or set, which `+=` changes in place."""
        self.methods: set[str] = set()
        """Names that stand for a method that changes module state."""


class _Gate:
    def __init__(self, tree: ast.Module) -> None:
        self.problems: list[SourceProblem] = []
        self.state = {name.id for node in tree.body for name in bound(node)}
        self.names = GIVEN.union(*map(defined, tree.body))
        self.definitions = {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
        self.called: set[ast.expr] = set()
        self.methods: set[str] = set()
        assigned = [pair for node in tree.body for pair in binding(node)]
        self.containers = {name for name, value in assigned if value and is_container(value)}
        self.methods = {n for n, value in assigned if value and self._is_method(value, _Scope(""))}
        for node in tree.body:
            for name in bound(node):
                if name.id in GIVEN:
                    self._add(name, _Scope(""), f"{name.id} is given by the host: use another name")

    def walk(self, node: ast.AST, scope: _Scope) -> None:
        self._node(node, scope)
        inner = self._entered(node, scope)
        for child in ast.iter_child_nodes(node):
            self.walk(child, inner)

    def _entered(self, node: ast.AST, scope: _Scope) -> _Scope:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return scope
        inner = _Scope(scope.symbol)
        inner.inside = True
        bindings = bindings_of(node)
        inner.own = scope.own | set(bindings)
        defaults = {name for name in mutable_defaults(node.args) if bindings[name] == [None]}
        inner.shared = (scope.shared - set(bindings)) | defaults
        inner.containers = (scope.containers - set(bindings)) | defaults
        inner.methods = scope.methods - set(bindings)
        for name, values in bindings.items():
            if all(value and self._root(value, inner) for value in values):
                inner.shared.add(name)
            if all(value and self._is_whole(value, inner) for value in values):
                inner.containers.add(name)
            if all(value and self._is_method(value, inner) for value in values):
                inner.methods.add(name)
        return inner

    def _node(self, node: ast.AST, scope: _Scope) -> None:
        name = type(node).__name__
        if name in UNSUPPORTED:
            self._add(node, scope, UNSUPPORTED[name])
        checker = getattr(self, f"_on_{name.lower()}", None)
        if checker is not None:
            checker(node, scope)

    def _on_import(self, node: ast.Import, scope: _Scope) -> None:
        for alias in node.names:
            self._imported(node, scope, alias.name)

    def _on_importfrom(self, node: ast.ImportFrom, scope: _Scope) -> None:
        self._imported(node, scope, "." * node.level + (node.module or ""))
        if any(alias.name == "*" for alias in node.names):
            self._add(node, scope, "import * is not supported: name what is imported")

    def _imported(self, node: ast.AST, scope: _Scope, module: str) -> None:
        if module in GIVEN:
            self._add(node, scope, f"{module} is given by the host: use it without an import")
        elif module not in IMPORTS:
            allowed = ", ".join(IMPORTS)
            self._add(node, scope, f"the import of {module} is not allowed; allowed are {allowed}")

    def _on_name(self, node: ast.Name, scope: _Scope) -> None:
        if node.id in FORBIDDEN and node.id not in self.names | scope.own:
            self._add(node, scope, f"{node.id} is not allowed in a tool server")
        elif node.id in ("getattr", "hasattr") and node not in self.called:
            self._add(node, scope, f"{node.id} can only be called, under its own name")
        elif node.id.startswith("__") and node.id != "__name__":
            self._add(node, scope, f"names that begin with two underscores are reserved: {node.id}")

    def _on_attribute(self, node: ast.Attribute, scope: _Scope) -> None:
        if node.attr.startswith("__"):
            self._add(node, scope, f"the attribute {node.attr} is not allowed in a tool server")
        if isinstance(node.ctx, ast.Store):
            self._stored(node, scope)

    def _on_subscript(self, node: ast.Subscript, scope: _Scope) -> None:
        if isinstance(node.ctx, ast.Store):
            self._stored(node, scope)

    def _stored(self, node: ast.Attribute | ast.Subscript, scope: _Scope) -> None:
        root = self._root(node.value, scope, self.names)
        if scope.inside and root:
            self._add(node, scope, f"{ast.unparse(node)} = … changes {_STATE.format(root)}")

    def _on_call(self, node: ast.Call, scope: _Scope) -> None:
        called = node.func
        self.called.add(called)
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if name in ("getattr", "hasattr") and isinstance(called, ast.Name):
            self._reached(node, scope)
        if not scope.inside:
            return
        if self._is_method(called, scope):
            target = called.value if isinstance(called, ast.Attribute) else called
            words = _STATE.format(ast.unparse(target))
            self._add(node, scope, f"{ast.unparse(called)}() changes {words}")
        root = self._root(node.args[0], scope) if node.args else ""
        if root and name in REARRANGERS:
            self._add(node, scope, f"{name}() changes {_STATE.format(root)}")
        if root and name == "next":
            self._add(node, scope, f"next() moves {_STATE.format(root)}")

    def _is_method(self, node: ast.expr, scope: _Scope) -> bool:
        """Whether it stands for a method that changes module state: `CACHE.append`, or a name for that."""
        if isinstance(node, ast.Name):
            return node.id in scope.methods or (
                node.id in self.methods and node.id not in scope.own
            )
        if not isinstance(node, ast.Attribute) or node.attr not in MUTATORS:
            return False
        kept = isinstance(node.value, ast.Attribute) and self._root(
            node.value, scope, self.definitions
        )
        return bool(kept or self._root(node.value, scope))

    def _is_whole(self, node: ast.expr, scope: _Scope) -> bool:
        """Whether it stands for a whole list, dict or set of the module."""
        if not isinstance(node, ast.Name):
            return False
        module = node.id in self.containers and node.id not in scope.own
        return module or node.id in scope.containers

    def _reached(self, node: ast.Call, scope: _Scope) -> None:
        name = node.args[1] if len(node.args) > 1 else None
        if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
            self._add(node, scope, "getattr needs the attribute's name as plain text")
        elif name.value.startswith("__"):
            self._add(node, scope, f"the attribute {name.value} is not allowed in a tool server")

    def _on_classdef(self, node: ast.ClassDef, scope: _Scope) -> None:
        if node.bases or node.keywords:
            self._add(node, scope, f"class {node.name} has a base: inheritance is not supported")

    def _on_functiondef(self, node: ast.FunctionDef, scope: _Scope) -> None:
        for mark in node.decorator_list:
            called = mark.func if isinstance(mark, ast.Call) else mark
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in ("cache", "lru_cache", "cached_property"):
                self._add(mark, scope, f"{name} keeps results from one call to the next")

    def _on_raise(self, node: ast.Raise, scope: _Scope) -> None:
        raised = node.exc
        if isinstance(raised, ast.Call) and len(raised.args) + len(raised.keywords) > 1:
            name = ast.unparse(raised.func)
            message = f"{name} with more than one argument is not supported: raise it with one text"
            self._add(node, scope, message)

    def _on_augassign(self, node: ast.AugAssign, scope: _Scope) -> None:
        target = node.target
        if not scope.inside or not isinstance(target, ast.Name):
            return
        module = target.id in self.state and target.id not in scope.own
        if module or target.id in scope.containers:
            self._add(node, scope, f"{ast.unparse(node)} changes {_STATE.format(target.id)}")

    def _root(self, node: ast.expr, scope: _Scope, names: Collection[str] | None = None) -> str:
        """The name of the module state that an expression stands for or reaches into, or empty."""
        while True:
            if isinstance(node, (ast.Subscript, ast.Attribute)):
                node = node.value
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in INSIDE
            ):
                node = node.func.value
            else:
                break
        if not isinstance(node, ast.Name):
            return ""
        module = node.id in (self.state if names is None else names) and node.id not in scope.own
        return node.id if module or node.id in scope.shared else ""

    def _add(self, node: ast.AST, scope: _Scope, message: str) -> None:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        self.problems.append(SourceProblem(line, column + 1, scope.symbol, message))


_STATE = (
    "{} for the calls that follow: module-level names are constants, what must last goes through db"
)
