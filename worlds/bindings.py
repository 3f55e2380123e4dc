"""Which names a piece of Python binds, and to what, read from its tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMED = (*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
CONTAINERS = frozenset({"list", "dict", "set", "deque", "Counter", "defaultdict"})


def mutable_defaults(arguments: ast.arguments) -> set[str]:
    """The parameters whose default is a container, which all calls share."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(positional[::-1], arguments.defaults[::-1], strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {argument.arg for argument, default in pairs if default and is_container(default)}


def is_container(node: ast.expr) -> bool:
    """Whether it makes a list, a dict or a set."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return isinstance(node, MUTABLE) or name in CONTAINERS


def bound(node: ast.AST) -> Iterator[ast.Name]:
    """Names that a module-level statement assigns (not those of functions, classes and imports)."""
    if isinstance(node, (*DEFINITIONS, ast.Lambda)):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from bound(child)


def defined(node: ast.stmt) -> set[str]:
    """The names that a module-level statement defines, in whatever way."""
    if isinstance(node, DEFINITIONS):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {name.id for name in bound(node)}


def bindings_of(
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
        for name, value in binding(node):
            found.setdefault(name, []).append(value)
    return {name: values for name, values in found.items() if name not in globals_}


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from _own_nodes(child)


def binding(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that a node binds, each with what to (None: nothing that could be module state)."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _targets(target, node.value)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        yield from _targets(node.target, node.value)
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _targets(node.target, _part(node.iter))
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _targets(node.optional_vars, None)
    elif isinstance(node, _NAMED) and node.name:
        yield node.name, None


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        values: list[ast.expr | None] = [_part(value)] * len(target.elts)
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            values = [*value.elts]
        for item, part in zip(target.elts, values, strict=True):
            yield from _targets(item, part)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)


def _part(container: ast.expr | None) -> ast.expr | None:
    """What iteration takes out of a container, as an expression."""
    return container and ast.Subscript(container, ast.Constant(0), ast.Load())
