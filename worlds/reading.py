"""Reads that somebody could make who knows a little: one leads to values for the next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from worlds.hosts import Host
from worlds.records import Records
from worlds.toolserver import Tool
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 60
CHOICES = 12
"""Values looked at for one argument."""
COMBINED = 60
"""Combinations looked at for one tool at a time."""
WORD = re.compile(r"[#@\w][\w.@#:+-]*\w|\w")
SUFFIXES = ("_ids", "_id", "_number", "_code", "_name")
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}

Values = dict[tuple[str, str], tuple[str, Any, int]]
"""Name and canonical value → name under which it was seen, the value, how far it is fetched."""


class Reading:
    """Calls reading tools at the start of an attempt, with what was heard and read so far; the most fitting first."""

    def __init__(self, world: World, session: ToolSession) -> None:
        self.world, self.session = world, session
        self.tools = [(name, tool) for name, (_, _, tool) in world.tools.items() if not tool.writes]
        self.records = Records(world.base)
        self._values: Values = {}
        self._tried: set[str] = set()
        self._made: dict[str, int] = {}

    def hear(self, text: str) -> None:
        """Take in words that may be arguments."""
        for word in WORD.findall(text):
            plain = word.rstrip(".,:")
            distinct = any(mark.isdigit() or mark in "#@_" for mark in plain)
            self._keep("", plain, 2 if distinct else 3)

    def learn(self, value: Any, name: str = "") -> None:
        """Take in a result."""
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._keep(name, key, 2)
                self.learn(item, key)
        elif isinstance(value, list):
            for item in value:
                self.learn(item, name)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            self._keep(name, value, 4)

    def _keep(self, name: str, value: Any, rank: int) -> None:
        self._values.setdefault((name, json.dumps(value)), (name, value, rank))

    def results(self) -> Iterator[Any]:
        """What one call after another returns, learnt already; ends after so many calls, or when none is left."""
        for _ in range(CALLS):
            call = self._best()
            if call is None:
                return
            tool, args = call
            self._tried.add(_spelled(tool, args))
            self._made[tool] = self._made.get(tool, 0) + 1
            result = self._called(tool, args)
            self.learn(result)
            yield result

    def _called(self, tool: str, args: dict[str, Any]) -> Any:
        _, server, _ = self.world.tools[tool]
        host = Host(self.records.fork(), self.world.base.clock.now)
        self.session.ready(server, host)
        outcome = self.session.call(server, tool, args, host)
        return outcome.value if outcome.status == "ok" else None

    def _best(self) -> tuple[str, dict[str, Any]] | None:
        offers = [offer for name, tool in self.tools for offer in self._offers(name, tool)]
        if not offers:
            return None
        _, name, args = min(offers, key=lambda offer: offer[0])
        return name, args

    def _offers(self, name: str, tool: Tool) -> Iterator[tuple[float, str, dict[str, Any]]]:
        """The best untried call of a tool."""
        required = tool.schema.get("required", [])
        properties = tool.schema.get("properties", {})
        choices = [self._choices(each, properties.get(each, {})) for each in required]
        for chosen in islice(product(*choices), COMBINED):
            args = {each: value for each, (_, value) in zip(required, chosen, strict=True)}
            if _spelled(name, args) not in self._tried and tool.refuse(args) is None:
                yield (
                    max([0, *(rank for rank, _ in chosen)]) + self._made.get(name, 0) / 8,
                    name,
                    args,
                )
                return

    def _choices(self, name: str, schema: Mapping[str, Any]) -> list[tuple[int, Any]]:
        if "enum" in schema:
            return [(0, value) for value in schema["enum"]][:CHOICES]
        if schema.get("type") == "array":
            return [(rank, [value]) for rank, value in self._choices(name, schema.get("items", {}))]
        types = TYPES.get(str(schema.get("type")), (str,))
        fitting = [
            (_rank(name, seen, rank), value)
            for seen, value, rank in self._values.values()
            if isinstance(value, types)
        ]
        return sorted(fitting, key=lambda choice: choice[0])[:CHOICES]


def _rank(argument: str, seen: str, rank: int) -> int:
    """How well a value that was seen under a name fits an argument: 0 is best."""
    if seen == argument:
        return 0
    return 1 if seen and _stem(seen) == _stem(argument) else rank


def _stem(name: str) -> str:
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name.removesuffix("s")


def _spelled(tool: str, args: Mapping[str, Any]) -> str:
    return json.dumps([tool, args], sort_keys=True)
