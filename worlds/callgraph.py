"""What each tool of a server may run, and what the server's functions read and write, told by its source alone."""

from __future__ import annotations

import ast
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from worlds.bindings import DEFINITIONS, bindings_of, defined
from worlds.hosts import WRITES
from worlds.patchedcopy import settings_of
from worlds.servers import ServerSettings, ServerUnavailable
from worlds.source import LibraryInvalid
from worlds.sourcecheck import SourceProblem, parse
from worlds.toolserver_body import AnyServerBody, OutsideBody, ToolServerBody
from worlds.writers import writers

READS = frozenset({"get", "find"})
MOST_FILES = 500
"""Of an outside server's source folder."""


@dataclass(frozen=True)
class Function:
    """A function of a tool server, or a class, whose methods count as its own."""

    name: str
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    """Tables that it names itself, as plain text; those that its helpers name are theirs."""
    can_write: bool = False
    """Whether it reaches a function of `db` that changes records, itself or through a helper."""
    inner: frozenset[str] = frozenset()
    """Functions and methods that stand inside it."""


@dataclass(frozen=True)
class CallGraph:
    """The functions of a server by name, and for each those that it may run: over-estimated rather than missed."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    _reaches: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def reached(self, tool: str) -> frozenset[str]:
        """All functions that a call of the tool may run, itself too; empty where it is not known."""
        return self._reaches.get(tool, frozenset())


def callgraph(body: AnyServerBody) -> CallGraph:
    """The graph of a tool server; empty where its source is broken or not here. Nothing of it is executed."""
    key = body.digest if isinstance(body, ToolServerBody) else _behaviour(body)
    if key is None:
        return CallGraph()
    known = _KNOWN.pop(key, None) or _graph(body)
    _KNOWN[key] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known


_KNOWN: OrderedDict[str, CallGraph] = OrderedDict()
KEPT = 256


def _graph(body: AnyServerBody) -> CallGraph:
    sources = [body.source] if isinstance(body, ToolServerBody) else _outside(body)
    trees = [tree for source in sources if not isinstance(tree := parse(source), SourceProblem)]
    try:
        return _of([node for tree in trees for node in tree.body])
    except RecursionError:
        return CallGraph()


def _of(nodes: list[ast.stmt]) -> CallGraph:
    """Names of several files that are the same are taken for one function."""
    changing = writers(nodes)
    found: dict[str, Function] = {}
    uses: dict[str, set[str]] = {}
    for node in nodes:
        used = set(_used(node))
        for name in defined(node):
            uses.setdefault(name, set()).update(used)
        if isinstance(node, DEFINITIONS):
            found[node.name] = _function(node, can_write=node.name in changing)
    reaches = {name: _closure(name, uses, found) for name in found}
    return CallGraph(found, reaches)


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, *, can_write: bool
) -> Function:
    asked = list(_asked(node))
    inner = {each.name for each in ast.walk(node) if isinstance(each, DEFINITIONS)}
    return Function(
        node.name,
        frozenset(table for what, table in asked if what in READS),
        frozenset(table for what, table in asked if what in WRITES),
        can_write,
        frozenset(inner - {node.name}),
    )


def _used(node: ast.stmt) -> Iterator[str]:
    """Names that a module-level statement uses and does not bind itself."""
    own = bindings_of(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id not in own:
            yield inner.id


def _asked(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Function of `db` and table, of each call that says its table as plain text."""
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute):
            continue
        named = next((each.value for each in inner.keywords if each.arg == "table"), None)
        table = inner.args[0] if inner.args else named
        is_db = isinstance(inner.func.value, ast.Name) and inner.func.value.id == "db"
        if is_db and isinstance(table, ast.Constant) and isinstance(table.value, str):
            yield inner.func.attr, table.value


def _closure(
    name: str, uses: Mapping[str, set[str]], functions: Mapping[str, Function]
) -> frozenset[str]:
    """Through constants too: a table of functions runs any of them."""
    seen, waiting = {name}, [name]
    while waiting:
        more = uses.get(waiting.pop(), set()) & uses.keys() - seen
        seen |= more
        waiting += more
    reached = seen & functions.keys()
    return frozenset(reached.union(*(functions[each].inner for each in reached)))


# Outside servers, whose source the installation's settings may tell


def _settings(body: OutsideBody) -> ServerSettings | None:
    try:
        return settings_of(body)
    except (LibraryInvalid, ServerUnavailable):
        return None


def _behaviour(body: OutsideBody) -> str | None:
    settings = _settings(body)
    return settings.identity if settings is not None and settings.source_path else None


def _outside(body: OutsideBody) -> list[str]:
    settings = _settings(body)
    path = settings.source_path if settings is not None else None
    if path is None:
        return []
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    return [_read(file.read_bytes()) for file in files[:MOST_FILES] if file.suffix == ".py"]


def _read(content: bytes) -> str:
    return content.decode(errors="replace")
