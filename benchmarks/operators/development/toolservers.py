"""Faults of tool servers in what they write and in what they refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache, partial

from benchmarks.faults.mutation import Original, Site, fault
from benchmarks.operators.development.python_text import (
    called_name,
    inside,
)
from benchmarks.operators.development.servers import Function, functions

WRITES = ("db.insert", "db.update", "db.put", "db.delete", "self.store.insert", "self.store.update")
ONE_MORE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
}  # fmt: skip
REFUSALS = ("ValueError", "ToolError")


def _writes(function: Function) -> Iterator[ast.Call]:
    for node in inside(function.node):
        if isinstance(node, ast.Call) and called_name(node) in WRITES:
            yield node


@fault("write-dropped", "toolserver", "What a tool should save is told and not saved.")
def write_dropped(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for call in _writes(each):
            changed = partial(_unsaved, each, call)
            yield Site(each.component, each.place(call), changed, each.touches)
        for line in _writing_lines(original, each):
            changed = partial(each.text.without, line)
            yield Site(each.component, each.place(line, "line"), changed, each.touches)


def _unsaved(function: Function, call: ast.Call) -> str:
    """The source in which a write is what it would have given, and nothing more."""
    text, said = function.text, [function.text.said(each) for each in call.args]
    parent = text.parents[call]
    if isinstance(parent, ast.Expr):
        return text.without(parent)
    match called_name(call):
        case "db.update":
            return text.replaced(call, f"{{**db.get({said[0]}, {said[1]}), **{said[2]}}}")
        case "self.store.update":
            fields = ", ".join(text.said(each) for each in call.keywords)
            return text.replaced(call, f"{said[0]}.model_copy(update=dict({fields}))")
        case _:
            return text.replaced(call, said[-1])


def _writing_lines(original: Original, function: Function) -> Iterator[ast.stmt]:
    """The statements of a function that are nothing but a call of one that writes."""
    writers = _writers(original)
    for node in inside(function.node):
        if isinstance(node, ast.Expr) and called_name(node.value).split(".")[-1] in writers:
            yield node


@lru_cache(maxsize=8)
def _writers(original: Original) -> frozenset[str]:
    return frozenset(each.name for each in functions(original) if any(_writes(each)))


@fault("write-doubled", "toolserver", "What a tool should write once it writes twice.")
def write_doubled(original: Original) -> Iterator[Site]:
    for each in functions(original):
        keys = _new_keys(each)
        for call in _writes(each):
            if called_name(call) == "db.insert" and each.text.said(call.args[0]) in keys:
                changed = partial(_inserted_twice, original, each, call)
                yield Site(each.component, each.place(call), changed, each.touches)
        for line in _writing_lines(original, each):
            changed = partial(_said_twice, each, line)
            yield Site(each.component, each.place(line, "line"), changed, each.touches)


def _new_keys(function: Function) -> dict[str, str]:
    """By table, as written, the call that makes a new key for it."""
    return {
        function.text.said(node.args[0]): function.text.said(node)
        for node in inside(function.node)
        if isinstance(node, ast.Call) and called_name(node) == "db.next_id"
    }


def _inserted_twice(original: Original, function: Function, call: ast.Call) -> str:
    table = function.text.said(call.args[0])
    field = original.key_field(table.strip('"'))
    first, key = function.text.said(call), _new_keys(function)[table]
    return function.text.replaced(call, f'db.insert({table}, {{**{first}, "{field}": {key}}})')


def _said_twice(function: Function, line: ast.stmt) -> str:
    start, end = function.text.lines_of(line)
    return function.text.before(line, function.text.between(start, end))


def _refusals(function: Function) -> Iterator[ast.If]:
    for node in inside(function.node):
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise):
            raised = node.body[-1].exc
            is_first = node not in getattr(function.text.parents[node], "orelse", [])
            if is_first and raised is not None and called_name(raised) in REFUSALS:
                yield node


def _asks_for_none(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is)


@fault("guard-removed", "toolserver", "What a tool must refuse it lets pass.")
def guard_removed(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for node in _refusals(each):
            if not _asks_for_none(node.test):
                changed = partial(each.text.without, node)
                yield Site(each.component, each.place(node), changed, each.touches)


@fault("crash-on-missing", "toolserver", "A tool crashes where a value is not there.")
def crash_on_missing(original: Original) -> Iterator[Site]:
    for each in functions(original):
        for node in inside(each.node):
            if isinstance(node, ast.IfExp) and _falls_back(node):
                changed = partial(each.text.replaced, node, each.text.operand(node.body))
                yield Site(each.component, each.place(node), changed, each.touches)
        for guard in _refusals(each):
            if _asks_for_none(guard.test):
                changed = partial(each.text.without, guard)
                yield Site(each.component, each.place(guard), changed, each.touches)


def _falls_back(node: ast.IfExp) -> bool:
    """Whether a choice gives something empty where what it needs is not there."""
    empty = isinstance(node.orelse, ast.Constant) and node.orelse.value in (None, "", False)
    return empty and ast.unparse(node.test) in ast.unparse(node.body)
