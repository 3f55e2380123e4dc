"""The source of an outside tool server as a proposer reads it: its Python files, and what a call of a tool may run."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from worlds.patch import is_patchable
from worlds.servers import Servers, ServerUnavailable
from worlds.source import LibraryInvalid
from worlds.toolserver_body import OutsideBody

MOST_FILES = 200
MOST_LISTED = 20_000
MOST_FILE = 200_000
MOST_BYTES = 2_000_000
FARTHER = 0.85
"""What a step further from the tool takes from how suspicious a function is."""
FARTHEST = 5
"""Steps from a tool."""
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True)
class Unit:
    """A function, a method, or the names that one statement at module or class level binds."""

    path: str
    outer: str
    """The function or class at module level in which it stands; empty for a statement there."""
    name: str
    first: int
    last: int
    uses: frozenset[str]
    """All names and attributes that it speaks of."""


@dataclass(frozen=True)
class OutsideSource:
    """Path, from the source folder, → text."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, body: OutsideBody) -> OutsideSource | None:
        """None where the source is not here, or may not be repaired."""
        try:
            settings = Servers.installed().named(body.server)
            path = settings.source_path
            if path is None or not settings.capabilities["repair"]:
                return None
            return cls(dict(_texts(path)))
        except (LibraryInvalid, ServerUnavailable, OSError):
            return None

    @cached_property
    def units(self) -> Sequence[Unit]:
        return [unit for path, text in self.texts.items() for unit in _units(path, text)]

    @cached_property
    def _named(self) -> Mapping[str, Sequence[Unit]]:
        found: dict[str, list[Unit]] = {}
        for unit in self.units:
            found.setdefault(unit.name, []).append(unit)
        return found

    def reached(self, tool: str) -> dict[Unit, int]:
        """What a call of the tool may run, with how many steps away: over-estimated, since names are all there is."""
        found = {unit: 0 for unit in self._named.get(tool, ()) if unit.outer == tool}
        waiting = list(found)
        while waiting:
            unit = waiting.pop(0)
            for name in sorted(unit.uses):
                for other in self._named.get(name, ()):
                    if other not in found and found[unit] < FARTHEST:
                        found[other] = found[unit] + 1
                        waiting.append(other)
        return found


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    root = path if path.is_dir() else path.parent
    listed = islice(path.rglob("*.py"), MOST_LISTED) if path.is_dir() else [path]
    left, number = MOST_BYTES, 0
    for file in sorted(listed):
        name = file.relative_to(root).as_posix()
        if not is_patchable(name) or file.is_symlink() or not file.is_file():
            continue
        size = file.stat().st_size
        if size > MOST_FILE or size > left or number >= MOST_FILES:
            continue
        text = _text(file)
        if text:
            left, number = left - size, number + 1
            yield name, text


def _text(file: Path) -> str:
    """Empty for what no patch could be of, as it would be stored."""
    try:
        text = file.read_bytes().decode()
    except UNREADABLE:
        return ""
    is_odd = "\x00" in text or "\r" in text or unicodedata.normalize("NFC", text) != text
    return "" if is_odd else text


def _units(path: str, text: str) -> Iterator[Unit]:
    try:
        tree = ast.parse(text)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                yield from _of_class(path, node)
            else:
                yield from _of_statement(path, node, "")
    except UNREADABLE:
        return


def _of_class(path: str, node: ast.ClassDef) -> Iterator[Unit]:
    """Its methods; whoever speaks of the class may run what Python runs by itself."""
    for inner in node.body:
        is_function = isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and not getattr(inner, "name", "__").startswith("__"):
            yield from _of_statement(path, inner, node.name)
        else:
            yield Unit(path, node.name, node.name, *_span(inner), _uses(inner))
    bases = frozenset(name for base in node.bases for name in _uses(base))
    yield Unit(path, node.name, node.name, node.lineno, node.lineno, bases)


def _of_statement(path: str, node: ast.stmt, outer: str) -> Iterator[Unit]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield Unit(path, outer or node.name, node.name, *_span(node), _uses(node))
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield Unit(path, outer, target.id, *_span(node), _uses(node))


def _span(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _uses(node: ast.AST) -> frozenset[str]:
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    attributes = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    return frozenset(names | attributes)
