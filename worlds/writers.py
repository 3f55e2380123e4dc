"""Which names of a tool server's source reach a write."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from worlds.bindings import defined
from worlds.hosts import WRITES
from worlds.signature import last_name


def writers(statements: Sequence[ast.stmt]) -> set[str]:
    """The names of a module that reach a write, directly or through others of the module."""
    uses: dict[str, set[str]] = {}
    found: set[str] = set()
    for node in statements:
        used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        for name in defined(node):
            uses.setdefault(name, set()).update(used)
            if _writes(node):
                found.add(name)
    while True:
        more = {name for name, used in uses.items() if name not in found and used & found}
        if not more:
            return found
        found |= more


def _writes(node: ast.AST) -> bool:
    """Whether the node names a writing function of `db`, or hands `db` on as a whole."""
    read = 0
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and last_name(inner.value) == "db":
            if inner.attr in WRITES:
                return True
            read += isinstance(inner.value, ast.Name)
        read -= isinstance(inner, ast.Name) and inner.id == "db"
    return read < 0
