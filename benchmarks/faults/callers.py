"""Which tools a change of a server's source can matter to: those from which a changed function can be reached."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def reached(before: Iterable[str], after: Iterable[str]) -> set[str] | None:
    """The names of functions and methods that are others than before, or lead to such, by the names that they mention;
    None where anything outside of functions changed, which may matter to all. Each text is one file."""
    try:
        old, new = Names(before), Names(after)
    except SyntaxError:
        return None
    if old.outside != new.outside:
        return None
    found = {
        name for name in {*old.bodies, *new.bodies} if old.bodies.get(name) != new.bodies.get(name)
    }
    waiting = list(found)
    while waiting:
        callers = new.callers.get(waiting.pop(), set()) - found
        found |= callers
        waiting += callers
    return found


class Names:
    """The functions of some files by name, and who mentions whom. Functions of one name are taken as one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.outside: set[str] = set()
        self.bodies: Mapping[str, set[str]] = defaultdict(set)
        self.callers: Mapping[str, set[str]] = defaultdict(set)
        for text in texts:
            for node in ast.parse(text).body:
                self._read(node)

    def _read(self, node: ast.stmt) -> None:
        if isinstance(node, ast.ClassDef):
            for child in node.body:
                self._read(child)
        elif isinstance(node, FUNCTIONS):
            self.bodies[node.name].add(ast.dump(node))
            for name in _mentioned(node):
                self.callers[name].add(node.name)
        else:
            self.outside.add(ast.dump(node))


def _mentioned(node: ast.AST) -> set[str]:
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
