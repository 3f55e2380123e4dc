"""Python source of tool servers, changed by splicing: what is not changed stays byte for byte as it was.

Looked at is only what the plans of the domain reach: the tools that they call and what those use of their server.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from benchmarks.faults.mutation import Original, Site

Edit = tuple[int, int, str]
"""From byte, to byte, new text."""


@dataclass(frozen=True, eq=False)
class Module:
    """One file of a tool server."""

    component: str
    text: str

    @cached_property
    def data(self) -> bytes:
        return self.text.encode()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, and where the last one ends."""
        found = [0]
        for line in self.data.splitlines(keepends=True):
            found.append(found[-1] + len(line))
        return found

    @cached_property
    def names(self) -> Mapping[str, ast.stmt]:
        """What the module defines, by name."""
        found: dict[str, ast.stmt] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for each in (n for target in targets for n in ast.walk(target)):
                    if isinstance(each, ast.Name):
                        found[each.id] = node
        return found

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[end_line - 1] + end_column,
        )

    def said(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        """The whole lines of a statement."""
        return self.starts[node.lineno - 1], self.starts[node.end_lineno or node.lineno]

    def put(self, node: ast.expr | ast.stmt, text: str) -> Edit:
        """Another text in a node's place."""
        return (*self.span(node), text)

    def cut(self, node: ast.stmt) -> Edit:
        """A statement gone, with its lines."""
        return (*self.lines(node), "")

    def before(self, node: ast.stmt, *texts: str) -> Edit:
        """New lines before a statement, indented as it is."""
        start = self.lines(node)[0]
        return start, start, "".join(" " * node.col_offset + text + "\n" for text in texts)

    def moved_after(self, node: ast.stmt, other: ast.stmt) -> list[Edit]:
        """A statement that stands after another one now."""
        (start, end), (_, place) = self.lines(node), self.lines(other)
        return [(start, end, ""), (place, place, self.data[start:end].decode())]

    def edited(self, *edits: Edit) -> str:
        """The source with these edits, which do not overlap."""
        data = self.data
        for start, end, text in sorted(edits, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data.decode()


@dataclass(frozen=True, eq=False)
class Spot:
    """A function, or a constant, that some plan comes through."""

    module: Module
    name: str
    node: ast.stmt
    tool: str
    """The tool by which it is reached in most plans."""

    @property
    def body(self) -> list[ast.stmt]:
        """The statements of a function, without its docstring; none of a constant."""
        if not isinstance(self.node, ast.FunctionDef):
            return []
        first = self.node.body[0]
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        return self.node.body[1:] if is_text else self.node.body

    @property
    def is_tool(self) -> bool:
        return self.tool == self.name

    def nodes(self) -> Iterator[ast.AST]:
        """Everything in the body, or in a constant; nothing that stands inside an f-string."""
        for root in self.body or ([] if isinstance(self.node, ast.FunctionDef) else [self.node]):
            yield from walk(root)

    def names_of_fields(self) -> set[int]:
        """The ids of texts and numbers that are keys of dicts, indexes, limits of slices or time-outs."""
        found: list[ast.AST] = []
        for node in self.nodes():
            if isinstance(node, ast.Dict):
                found += [key for key in node.keys if key]
            elif isinstance(node, ast.Subscript):
                found += ast.walk(node.slice)
            elif isinstance(node, ast.keyword) and node.arg == "timeout":
                found.append(node.value)
        return set(map(id, found))

    def site(self, node: ast.expr | ast.stmt, what: str, *edits: Edit) -> Site:
        place = f"{self.name} line {node.lineno}:{node.col_offset}: {what}"
        changed = partial(self.module.edited, *edits)
        return Site(self.module.component, place, changed, touches=self.tool)


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """Like `ast.walk`, but not into f-strings, whose parts have no exact place."""
    yield root
    if not isinstance(root, ast.JoinedStr):
        for child in ast.iter_child_nodes(root):
            yield from walk(child)


def blocks(spot: Spot) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a function, outer ones first."""
    if spot.body:
        yield spot.body
    for node in spot.nodes():
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def loaded(*roots: ast.AST) -> set[str]:
    """The names that are read."""
    return {n.id for root in roots for n in ast.walk(root) if isinstance(n, ast.Name)} - (
        stored(*roots)
    )


def mentioned(*roots: ast.AST) -> set[str]:
    """All names."""
    return {n.id for root in roots for n in ast.walk(root) if isinstance(n, ast.Name)}


def stored(*roots: ast.AST) -> set[str]:
    """The names that are given a value, comprehensions' own among them."""
    return {
        n.id
        for root in roots
        for n in ast.walk(root)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def parameters(node: ast.stmt) -> dict[str, str]:
    """Of a function: the names, with their hints."""
    if not isinstance(node, ast.FunctionDef):
        return {}
    args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return {a.arg: ast.unparse(a.annotation) if a.annotation else "" for a in args}


def called_tools(original: Original) -> Counter[str]:
    """How often plans call each tool."""
    return Counter(
        step["call"]
        for intent in original.intents.values()
        for plan in intent.get("plans", {}).values()
        for step in plan
        if "call" in step
    )


@functools.cache
def spots(original: Original) -> Sequence[Spot]:
    """All that plans come through, in the order of the files."""
    found: list[Spot] = []
    for modules in servers(original):
        reached = _reached(modules, called_tools(original))
        for module in modules:
            seen: set[int] = set()
            for name, node in module.names.items():
                seen |= {id(node)} if isinstance(node, ast.ClassDef) else set()
                if name in reached and id(node) not in seen:
                    seen.add(id(node))
                    found.append(Spot(module, name, node, reached[name]))
    return found


@functools.cache
def servers(original: Original) -> Sequence[Sequence[Module]]:
    """The modules of each tool server."""
    found: dict[str, list[Module]] = defaultdict(list)
    for component, text in original.sources.items():
        found[component.split("/")[0]].append(Module(component, text))
    return list(found.values())


def _reached(modules: Sequence[Module], called: Counter[str]) -> dict[str, str]:
    """What each tool that plans call makes use of, with the most frequent tool that does."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for name, node in module.names.items():
            uses[name] |= _used(node)
    found: dict[str, str] = {}
    for tool, _ in sorted(called.items(), key=lambda each: (-each[1], each[0])):
        todo = [tool] if tool in uses else []
        while todo:
            name = todo.pop()
            if name not in found or (name == tool and found[name] != tool):
                found[name] = tool
                todo += [each for each in uses[name] if each in uses]
    return found


def _used(node: ast.AST) -> set[str]:
    attributes = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
    return mentioned(node) | attributes


SQL_WRITE = re.compile(r"\s*(UPDATE|INSERT|DELETE)\b")


def sql_of(node: ast.AST) -> str:
    """The beginning of an SQL text, or nothing."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text and isinstance(node, ast.Constant) else ""


def is_write(node: ast.AST, *verbs: str) -> bool:
    """Whether a node is itself a call that writes rows: by `db`, or by SQL (verbs `update`, `insert`, `delete`)."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    wanted = verbs or ("update", "insert", "put", "delete")
    if node.func.attr == "execute" and node.args:
        match = SQL_WRITE.match(sql_of(node.args[0]))
        return match is not None and match.group(1).lower() in wanted
    owner = node.func.value
    return isinstance(owner, ast.Name) and owner.id == "db" and node.func.attr in wanted


@functools.cache
def writers(original: Original) -> frozenset[str]:
    """Functions that write, themselves or by what they call."""
    nodes = {n: node for ms in servers(original) for m in ms for n, node in m.names.items()}
    found = {name for name, node in nodes.items() if any(map(is_write, ast.walk(node)))}
    uses = {name: mentioned(node) for name, node in nodes.items()}
    while True:
        more = {name for name, names in uses.items() if names & found} - found
        if not more:
            return frozenset(found)
        found |= more


@functools.cache
def writes(original: Original, node: ast.AST) -> bool:
    """Whether a statement or expression writes, itself or by what it calls."""
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any(is_write(c) or mentioned(c.func) & writers(original) for c in calls)
