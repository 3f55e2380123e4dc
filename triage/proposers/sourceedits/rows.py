"""Which rows a function has in hand: the tables of its variables, and its calls of `db`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from triage.proposers.sourceedits.outline import Outline, called, parameters, said, statements
from worlds.domain import Domain, Table
from worlds.hosts import WRITES

ONE = frozenset({"get", "insert", "update", "put"})
"""Functions of `db` that give a row."""
THROUGH = frozenset({"sorted", "list", "reversed"})
"""Functions that give the rows they are given."""


@dataclass(frozen=True)
class DbCall:
    """A call of `db`."""

    node: ast.Call
    method: str
    table: str
    """Empty where it is not written down."""

    @property
    def writes(self) -> bool:
        return self.method in WRITES

    @property
    def last(self) -> ast.expr | None:
        """What is written, or what is looked for."""
        return self.node.args[-1] if len(self.node.args) > 1 else None


def db_calls(node: ast.AST) -> Iterator[DbCall]:
    """All in a node."""
    for each in ast.walk(node):
        found = db_call(each)
        if found is not None:
            yield found


def db_call(node: ast.AST) -> DbCall | None:
    """A node as a call of `db`, where it is one."""
    name = called(node)
    if not name.startswith("db.") or not isinstance(node, ast.Call):
        return None
    first = node.args[0] if node.args else None
    table = first.value if isinstance(first, ast.Constant) else ""
    return DbCall(node, name[3:], table if isinstance(table, str) else "")


def fields_of(table: Table) -> frozenset[str]:
    """The names that rows of a table have."""
    properties = table.schema_.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    return frozenset({table.key, *(name for name in named if isinstance(name, str))})


class Rows:
    """The tables of what a module's functions give, and of a function's variables."""

    def __init__(self, outline: Outline, domain: Domain) -> None:
        self.domain = domain
        self._fields = {name: fields_of(table) for name, table in domain.tables.items()}
        self.of_function: dict[str, str] = {}
        for _ in range(2):  # a helper of a helper
            for name, node in outline.functions.items():
                table = self._given(node)
                if table:
                    self.of_function[name] = table

    def _given(self, function: ast.FunctionDef) -> str:
        returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
        own = self.variables(function) if returned else {}
        tables = {self.table(value, own) for value in returned}
        return tables.pop() if len(tables) == 1 else ""

    def variables(self, function: ast.FunctionDef) -> dict[str, str]:
        """Variable → table of the row it holds."""
        found = {name: t for name in parameters(function) if (t := self._guess(function, name))}
        many: dict[str, str] = {}
        for each in statements(function):
            for target, value in _bindings(each):
                one, several = self.table(value, found), self._tables(value, found, many)
                if one:
                    found[target] = one
                if several:
                    many[target] = several
            if isinstance(each, ast.For) and isinstance(each.target, ast.Name):
                table = self._tables(each.iter, found, many)
                if table:
                    found[each.target.id] = table
        return found

    def table(self, node: ast.expr, variables: Mapping[str, str]) -> str:
        """The table of the row that an expression gives, as far as one can tell; else empty."""
        call = db_call(node)
        if call is not None:
            return call.table if call.method in ONE else ""
        if isinstance(node, ast.Name):
            return variables.get(node.id, "")
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            inner = db_call(node.value)
            return inner.table if inner and inner.method == "find" else ""
        return self.of_function.get(called(node), "")

    def _tables(self, node: ast.expr, one: Mapping[str, str], many: Mapping[str, str]) -> str:
        """The table of the rows that an expression lists."""
        call = db_call(node)
        if call is not None and call.method == "find":
            return call.table
        if isinstance(node, ast.Name):
            return many.get(node.id, "")
        if isinstance(node, ast.Call) and called(node) in THROUGH and node.args:
            return self._tables(node.args[0], one, many)
        if isinstance(node, ast.ListComp) and said(node.elt) == said(node.generators[0].target):
            return self._tables(node.generators[0].iter, one, many)
        return ""

    def _guess(self, function: ast.FunctionDef, name: str) -> str:
        """The table of a parameter, by the fields that are read of it."""
        read = {
            each.slice.value
            for each in ast.walk(function)
            if isinstance(each, ast.Subscript)
            and isinstance(each.value, ast.Name)
            and each.value.id == name
            and isinstance(each.slice, ast.Constant)
            and isinstance(each.slice.value, str)
        }
        fitting = [t for t, fields in self._fields.items() if len(read) > 1 and read <= fields]
        keyed = [t for t in fitting if self.domain.tables[t].key in read]
        alike = [t for t in fitting if name.rstrip("s") in (t.rstrip("s"), t[: len(name)])]
        chosen = keyed or alike or fitting
        return chosen[0] if len(chosen) == 1 else ""

    def holding(self, fields: set[str]) -> list[str]:
        """The tables whose rows have all of these fields."""
        return [name for name, own in self._fields.items() if fields and fields <= own]

    def key(self, table: str) -> str:
        """The field that keys a table's rows; empty where there is no such table."""
        return self.domain.tables[table].key if table in self.domain.tables else ""

    def fields(self, table: str) -> frozenset[str]:
        """The fields of a table's rows."""
        return self._fields.get(table, frozenset())

    def has(self, table: str, fields: set[str]) -> bool:
        """Whether rows of a table have all of these fields."""
        return bool(fields) and fields <= self.fields(table)


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The variables that an assignment gives values to, each with its value."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets: list[ast.expr] = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets
    else:
        return
    for target in targets:
        value = statement.value
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for name, each in zip(target.elts, value.elts, strict=False):
                if isinstance(name, ast.Name):
                    yield name.id, each


def keys_of(node: ast.expr | None) -> set[str]:
    """The keys that a dict says as text."""
    if not isinstance(node, ast.Dict):
        return set()
    return {k.value for k in node.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)}
