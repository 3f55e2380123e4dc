"""The agent that reads all it can and repeats everything: it finds facts without understanding the request."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from worlds.agent import Briefing, ToolCard
from worlds.intent import Finish
from worlds.step import Action, Call, Step

CALLS = 40
"""Calls an attempt makes at most."""

PER_TOOL = 8
"""Calls of one tool at most, so that each tool gets its turn."""

VALUES = 200
"""Values kept for use as arguments."""

WORD = re.compile(r"[#@\w][\w.@#:+-]*\w|\w")


class Parrot:
    """Calls every reading tool with the values it has come across, then says all that it heard."""

    name: ClassVar[str] = "parrot"
    attempts: ClassVar[int] = 1

    def __init__(self) -> None:
        self.tools: list[ToolCard] = []
        self.values: dict[type, list[Any]] = {str: [], int: [], float: [], bool: [True, False]}
        self.by_name: dict[str, list[Any]] = {}
        self.tried: set[str] = set()
        self.calls: dict[str, int] = {}
        self.heard: list[str] = []

    def begin(self, briefing: Briefing, seed: int, attempt: int) -> Action:  # noqa: ARG002  # no chance in it
        """Take in the words of the opening, then read."""
        self.tools = [tool for tool in briefing.tools if tool.reads_only]
        self.heard.append(briefing.opening)
        self._learn_text(briefing.opening)
        return self._next()

    def go_on(self, steps: Sequence[Step]) -> Action:
        """Take in what came, and read on."""
        for step in steps:
            if step.status == "ok":
                self.heard.append(json.dumps(step.result, ensure_ascii=False))
                self._learn(step.result, "")
        return self._next()

    def _next(self) -> Action:
        if sum(self.calls.values()) < CALLS:
            for tool in self.tools:
                call = self._fresh_call(tool)
                if call:
                    return call
        return Finish(outcome="done", message="\n".join(self.heard))

    def _fresh_call(self, tool: ToolCard) -> Call | None:
        if self.calls.get(tool.name, 0) >= PER_TOOL:
            return None
        for args in itertools.islice(self._arguments(tool), 500):
            key = json.dumps([tool.name, args], sort_keys=True)
            if key not in self.tried:
                self.tried.add(key)
                self.calls[tool.name] = self.calls.get(tool.name, 0) + 1
                return Call(tool=tool.name, args=args)
        return None

    def _arguments(self, tool: ToolCard) -> Iterator[dict[str, Any]]:
        required = tool.parameters.get("required", [])
        properties = tool.parameters.get("properties", {})
        choices = [self._choices(name, properties.get(name, {})) for name in required]
        for values in itertools.product(*choices):
            yield dict(zip(required, values, strict=True))

    def _choices(self, name: str, schema: dict[str, Any]) -> list[Any]:
        """Values for a parameter: those seen under its very name first."""
        if "enum" in schema:
            return list(schema["enum"])
        kinds = {"string": str, "integer": int, "number": float, "boolean": bool}
        if schema.get("type") == "array":
            return [[value] for value in self._choices(name, schema.get("items", {}))]
        kind = kinds.get(schema.get("type", ""), str)
        named = [value for value in self.by_name.get(name, ()) if isinstance(value, kind)]
        return [*named, *(value for value in self.values[kind] if value not in named)]

    def _learn(self, value: Any, name: str) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                self._keep(key, "")
                self._learn(item, key)
        elif isinstance(value, list):
            for item in value:
                self._learn(item, name)
        elif isinstance(value, (str, int, float)):
            self._keep(value, name)

    def _learn_text(self, text: str) -> None:
        for word in WORD.findall(text):
            self._keep(word.rstrip(".,:"), "")

    def _keep(self, value: Any, name: str) -> None:
        known = self.values[type(value)]
        if len(known) < VALUES and value not in known:
            known.append(value)
        if name and value not in self.by_name.setdefault(name, []):
            self.by_name[name].append(value)
