"""What a tool server and its neighbours ask of a table's rows again and again: conditions, and matches of `db.find`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from triage.proposers.sourceedits.rowtypes import RowTypes, rowtypes
from triage.proposers.sourceedits.sourcecode import SourceCode

PLAIN = (ast.Constant, ast.List, ast.Tuple, ast.Set)


@dataclass
class Idioms:
    """By table."""

    asked: dict[str, Counter[str]] = field(default_factory=dict)
    """Conditions on one row and on nothing else but names of the module, the row written as `ROW`."""
    filtered: dict[str, Counter[str]] = field(default_factory=dict)
    """Those by which rows are picked out of many."""
    matched: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    """Fields and plain values with which rows are looked for."""
    where: dict[tuple[str, object], str] = field(default_factory=dict)
    """Table with condition or match → a function that has it."""


ROW = "__row__"


def idioms(source: SourceCode) -> Idioms:
    """Those of all functions, of the neighbours too; conditions that name what this module has not are left out."""
    found = Idioms()
    known = set(module_names(source.text))
    for text in (source.text, *source.neighbours):
        types = rowtypes(text)
        for name, function in types.functions.items():
            for node in ast.walk(function):
                picks = isinstance(node, ast.comprehension)
                for table, condition in _conditions(types, name, node, known):
                    counts = found.filtered if picks else found.asked
                    _count(counts, found.where, table, condition, name)
                for table, match in _matches(node):
                    _count(found.matched, found.where, table, match, name)
    return found


def _count(counts: dict[str, Counter], where: dict, table: str, what: object, name: str) -> None:  # type: ignore[type-arg]
    counts.setdefault(table, Counter())[what] += 1
    where.setdefault((table, what), name)


def _conditions(
    types: RowTypes, function: str, node: ast.AST, known: set[str]
) -> Iterator[tuple[str, str]]:
    tests = node.ifs if isinstance(node, ast.comprehension) else [getattr(node, "test", None)]
    for test in tests:
        for part in _conjuncts(test):
            yield from _about_one_row(types, function, part, known)


def _conjuncts(test: ast.expr | None) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for each in test.values:
            yield from _conjuncts(each)
    elif isinstance(test, (ast.Compare, ast.Subscript, ast.UnaryOp)):
        yield test


def _about_one_row(
    types: RowTypes, function: str, test: ast.expr, known: set[str]
) -> Iterator[tuple[str, str]]:
    names = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    rows = {n: types.tables(function, n) for n in names - known}
    if len(rows) != 1 or any(isinstance(n, (ast.NamedExpr, ast.Lambda)) for n in ast.walk(test)):
        return
    ((row, tables),) = rows.items()
    for table in tables:
        yield table, ast.unparse(_Renamed(row).visit(ast.parse(ast.unparse(test), mode="eval")))


class _Renamed(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(ROW) if node.id == self.name else node


def _matches(node: ast.AST) -> Iterator[tuple[str, tuple[str, str]]]:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="db"), attr="find"),
            args=[ast.Constant(value=str(table)), ast.Dict(keys=keys, values=values), *_],
        ):
            for key, value in zip(keys, values, strict=True):
                if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                    continue
                if isinstance(value, PLAIN):
                    yield table, (key.value, ast.unparse(value))


def module_names(text: str) -> Iterator[str]:
    for node in rowtypes(text).tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        for name in ast.walk(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ():
            if isinstance(name, ast.Name):
                yield name.id
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (each.asname or each.name for each in node.names)
    yield from ("db", "clock", "money", "len", "any", "all", "sum", "min", "max", "str", "int")
