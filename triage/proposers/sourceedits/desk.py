"""A function with the rows it has in hand, and whether they are saved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from triage.proposers.sourceedits.outline import Outline, bound_in, called, loaded
from triage.proposers.sourceedits.place import Place, places
from triage.proposers.sourceedits.rows import Rows, db_call
from triage.proposers.sourceedits.sourcecode import SourceCode


@dataclass(frozen=True, eq=False)
class Desk:
    """A function and the rows it has in hand."""

    place: Place
    rows: Rows
    tables: dict[str, str]
    """Variable → table of its row."""

    @property
    def outline(self) -> Outline:
        return self.place.outline

    def saves(self, name: str) -> bool:
        """Whether a variable is handed to something that writes."""
        for node in ast.walk(self.place.node):
            if isinstance(node, ast.Call) and self.writes(node):
                given = [*node.args, *(each.value for each in node.keywords)]
                if any(name in _whole(each) for each in given):
                    return True
        return False

    def writes(self, node: ast.AST) -> bool:
        """Whether a call writes, itself or by what it calls."""
        call = db_call(node)
        return call.writes if call else called(node) in self.outline.writers

    def is_saved(self, node: ast.AST) -> bool:
        """Whether an expression is part of what is given to something that writes, or is bound to a name that is."""
        while node in self.outline.parents and not isinstance(node, ast.stmt):
            node = self.outline.parents[node]
            if self.writes(node):
                return True
        return any(self.saves(name) for name in bound_in(node))


def desks(source: SourceCode) -> Iterator[Desk]:
    """Those of the functions under suspicion."""
    rows = None
    for place in places(source):
        rows = rows or Rows(place.outline, source.domain)
        yield Desk(place, rows, rows.variables(place.node))


def _whole(node: ast.expr) -> set[str]:
    """The names that are handed over as they are, or laid into a dict, and not by a field of them."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Subscript):
        return set() if isinstance(node.slice, ast.Constant) else loaded(node.slice)
    return set().union(*(_whole(c) for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)))
