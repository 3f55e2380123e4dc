"""The static gate: what a tool server's source may not say, found without running it.

What gets past it is still held by the sandbox; the gate says early, and with a place, what would fail
there, or what would carry something from one call to the next behind the records' back.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

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


def parse(source: str) -> ast.Module | SourceProblem:
    """The source as a tree, or why it cannot be read."""
    if len(source) > LONGEST:
        return SourceProblem(1, 1, "", f"the source is longer than {LONGEST} characters")
    try:
        return ast.parse(source)
    except SyntaxError as error:
        return SourceProblem(error.lineno or 1, error.offset or 1, "", f"syntax error: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return SourceProblem(
            1, 1, "", f"the source cannot be read: {str(error) or 'nested too deeply'}"
        )


def check(tree: ast.Module) -> list[SourceProblem]:
    """What the gate finds, in the order of the source."""
    gate = _Gate(tree)
    for statement in tree.body:
        symbol = statement.name if isinstance(statement, _DEFINITIONS) else ""
        gate.walk(statement, _Scope(symbol))
    return sorted(set(gate.problems))


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (*_DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)


class _Scope:
    """Where a statement stands: in which definition, and which of its names are the function's own."""

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol
        self.inside = False
        self.own: set[str] = set()
        self.shared: set[str] = set()
        """Names of the function that stand for module state: aliases, and mutable defaults."""


class _Gate:
    def __init__(self, tree: ast.Module) -> None:
        self.problems: list[SourceProblem] = []
        self.state = {name.id for node in tree.body for name in _bound(node)}
        self.names = self.state | GIVEN | set(_defined(tree))
        for node in tree.body:
            for name in _bound(node):
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
        bindings = _bindings(node)
        inner.own = scope.own | set(bindings)
        inner.shared = (scope.shared - set(bindings)) | _mutable_defaults(node.args)
        for name, values in bindings.items():
            if values and all(value and self._root(value, inner) for value in values):
                inner.shared.add(name)
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
        if isinstance(called, ast.Attribute) and called.attr in MUTATORS:
            root = self._root(called.value, scope)
            if scope.inside and root:
                self._add(node, scope, f"{ast.unparse(called)}() changes {_STATE.format(root)}")
        elif isinstance(called, ast.Name) and called.id in ("getattr", "hasattr"):
            self._reached(node, scope)
        elif isinstance(called, ast.Name) and called.id == "next" and node.args and scope.inside:
            root = self._root(node.args[0], scope)
            if root:
                self._add(node, scope, f"next() moves {_STATE.format(root)}")

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
        if scope.inside and isinstance(target, ast.Name) and target.id in scope.shared:
            self._add(node, scope, f"{target.id} {_STATE.format(target.id)} is changed in place")

    def _root(self, node: ast.expr, scope: _Scope, names: set[str] | None = None) -> str:
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


def _mutable_defaults(arguments: ast.arguments) -> set[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(positional[::-1], arguments.defaults[::-1], strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    mutable = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    return {argument.arg for argument, default in pairs if isinstance(default, mutable)}


def _bound(node: ast.AST) -> Iterator[ast.Name]:
    """Names that a module-level statement assigns (not those of functions, classes and imports)."""
    if isinstance(node, (*_DEFINITIONS, ast.Lambda)):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _bound(child)


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, _DEFINITIONS):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)


def _bindings(
    function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> dict[str, list[ast.expr | None]]:
    """Each name of the function with what it is bound to (None: something that is no module state)."""
    found: dict[str, list[ast.expr | None]] = {
        argument.arg: [None]
        for argument in ast.walk(function.args)
        if isinstance(argument, ast.arg)
    }
    body = function.body if isinstance(function.body, list) else [function.body]
    globals_: set[str] = set()
    for node in (inner for statement in body for inner in _own_nodes(statement)):
        if isinstance(node, ast.Global):
            globals_.update(node.names)
        for name, value in _binding(node):
            found.setdefault(name, []).append(value)
    return {name: values for name, values in found.items() if name not in globals_}


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def _binding(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _targets(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        yield from _targets(node.target, node.value)
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _targets(node.target, node.iter)
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _targets(node.optional_vars, None)
    elif isinstance(node, _NAMED) and node.name:
        yield node.name, None


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from _targets(item, value)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)
