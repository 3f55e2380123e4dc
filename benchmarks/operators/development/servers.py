"""The functions of the tool servers that the plans lead to."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchmarks.mutation import Original
from benchmarks.operators.development.python_text import FunctionNode, PythonText, names_in

BESIDE_THE_POINT = ("__init__.py", "__main__.py", "server.py")
"""Files of an outside server in which it is started, not in which it does its work."""


@dataclass(frozen=True)
class Function:
    """A function that a tool of the plans is, or that such a tool comes to."""

    component: str
    """The name of its source in `Original.sources`."""
    text: PythonText
    node: FunctionNode
    tools: frozenset[str]
    """The tools that come to it."""

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def is_tool(self) -> bool:
        """Whether plans call it."""
        return self.name in self.tools

    @property
    def is_outside(self) -> bool:
        """Whether it is part of an outside server."""
        return "/" in self.component

    @property
    def touches(self) -> str:
        """The one tool that comes to it, if there is but one."""
        if self.is_tool:
            return self.name
        return next(iter(self.tools)) if len(self.tools) == 1 else ""

    def place(self, node: ast.expr | ast.stmt, what: str = "") -> str:
        """`cancel_order 40:8`, perhaps with more."""
        return f"{self.name} {node.lineno}:{node.col_offset}{what and f' {what}'}"


@lru_cache(maxsize=8)
def functions(original: Original) -> Sequence[Function]:
    """Those of all tool servers of a domain, in the order of their sources."""
    servers: dict[str, dict[str, PythonText]] = defaultdict(dict)
    for component, source in original.sources.items():
        if not component.endswith(BESIDE_THE_POINT):
            servers[component.split("/")[0]][component] = PythonText(source)
    called = {step["call"] for step in plan_steps(original) if "call" in step}
    return [each for files in servers.values() for each in _reached(files, called)]


def plan_steps(original: Original) -> Iterator[Mapping[str, Any]]:
    """Every step of every plan."""
    for intent in original.intents.values():
        for plan in intent.get("plans", {}).values():
            yield from plan


def _reached(files: Mapping[str, PythonText], called: set[str]) -> Iterator[Function]:
    found = [(component, text, node) for component, text in files.items() for node in _all(text)]
    uses: dict[str, set[str]] = defaultdict(set)
    for _, _, node in found:
        uses[node.name] |= names_in(node)
    leads: dict[str, set[str]] = defaultdict(set)
    for tool in sorted(called & _tools(files)):
        for name in _closure(tool, uses):
            leads[name].add(tool)
    for component, text, node in found:
        if leads[node.name]:
            yield Function(component, text, node, frozenset(leads[node.name]))


def _tools(files: Mapping[str, PythonText]) -> set[str]:
    return {
        node.name
        for text in files.values()
        for node in text.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


def _all(text: PythonText) -> Iterator[FunctionNode]:
    for node in text.tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        yield from (each for each in members if isinstance(each, ast.FunctionDef))


def _closure(start: str, uses: Mapping[str, set[str]]) -> set[str]:
    found, left = {start}, [start]
    while left:
        new = {name for name in uses[left.pop()] if name in uses} - found
        found |= new
        left += sorted(new)
    return found
