"""The functions of the tool servers that the plans lead to."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from benchmarks.faults.mutation import Original
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
    tools: tuple[str, ...]
    """The tools that come to it, the nearest first."""

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
        """The tool that comes to it by the fewest calls: itself, where it is one."""
        return self.tools[0]

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
    leads: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for tool in sorted(called & _tools(files)):
        for name, calls in _distances(tool, uses).items():
            leads[name].append((calls, tool))
    for component, text, node in found:
        tools = tuple(tool for _, tool in sorted(leads[node.name]))
        if tools:
            yield Function(component, text, node, tools)


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


def _distances(start: str, uses: Mapping[str, set[str]]) -> Mapping[str, int]:
    """How many calls away from a function each one is that it comes to."""
    found, left = {start: 0}, [start]
    while left:
        here = left.pop(0)
        for name in sorted(uses[here] & uses.keys()):
            if name not in found:
                found[name] = found[here] + 1
                left.append(name)
    return found
