"""Reads that somebody could make who knows a little: one leads to values for the next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from worlds.hosts import Host
from worlds.known import is_worded
from worlds.records import Records
from worlds.step import Episode
from worlds.toolserver import Tool
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 60
VALUES = 2_000
"""Values kept for use as arguments."""
FAILED = 3
"""Calls for which one counts that led to nothing new."""
CHOICES = 40
"""Values looked at for the argument of a tool that takes one."""
COMBINED = 600
"""Combinations looked at for one that takes several."""
WORD = re.compile(r"[#@\w][\w.@#:+-]*\w|\w")
SUFFIXES = ("_ids", "_id", "_number", "_code", "_name")
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}

HINT = 6
"""How much nearer a value is that the plan used under that name, or a row that it touched has: what to try first, and
nothing else."""
NEAREST = -9.0

Values = dict[tuple[str, str], tuple[str, Any, int]]
"""Name and value as text → name under which it was seen, the value, how far it is fetched."""


class Reading:
    """Calls reading tools at the start of an attempt, with what was heard and read so far; the most fitting first."""

    def __init__(self, world: World, session: ToolSession, episode: Episode) -> None:
        """What the episode used and touched is tried first."""
        self.world, self.session = world, session
        self.hints = {hint for place in episode.touched for hint in _hints(world, place)}
        self.hints |= {hint for step in episode.steps for hint in _named("", step.args)}
        self.tools = [(name, tool) for name, (_, _, tool) in world.tools.items() if _is_read(tool)]
        self.records = Records(world.base)
        self._values: Values = {}
        self._tried: set[str] = set()
        self._made: dict[str, int] = {}

    def hear(self, text: str) -> None:
        """Take in words that may be arguments."""
        for word in WORD.findall(text):
            plain = word.rstrip(".,:")
            distinct = any(mark.isdigit() or mark in "#@_" for mark in plain)
            self._keep("", plain, 2 if distinct else 3 if plain[:1].isupper() else 6)

    def learn(self, value: Any, name: str = "") -> None:
        """Take in a result."""
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._keep(name, key, 2 if any(mark.isdigit() for mark in key) else 5)
                self.learn(item, key)
        elif isinstance(value, list):
            for item in value:
                self.learn(item, name)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            self._keep(name, value, 4)

    def _keep(self, name: str, value: Any, rank: int) -> None:
        if len(self._values) < VALUES:
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
            known = len(self._values)
            result = self._called(tool, args)
            self.learn(result)
            if len(self._values) == known:
                self._made[tool] += FAILED
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
        most = CHOICES if len(required) < 2 else int(COMBINED ** (1 / len(required)))
        choices = [self._choices(each, properties.get(each, {}))[:most] for each in required]
        nearest = sorted(product(*choices), key=lambda chosen: sum(rank for rank, _ in chosen))
        for chosen in nearest[:COMBINED]:
            args = {each: value for each, (_, value) in zip(required, chosen, strict=True)}
            is_new = _spelled(name, args) not in self._tried and not _repeats(chosen)
            if is_new and tool.refuse(args) is None:
                far = sum(rank for rank, _ in chosen) / len(chosen) if chosen else NEAREST
                yield far + self._made.get(name, 0) / 8, name, args
                return

    def _choices(self, name: str, schema: Mapping[str, Any]) -> list[tuple[int, Any]]:
        if "enum" in schema:
            return [(0, value) for value in schema["enum"]]
        if schema.get("type") == "array":
            return [(rank, [value]) for rank, value in self._choices(name, schema.get("items", {}))]
        types = TYPES.get(str(schema.get("type")), (str,))
        fitting = [
            (_rank(name, seen, rank) - HINT * ((_stem(name), _plain(value)) in self.hints), value)
            for seen, value, rank in self._values.values()
            if isinstance(value, types)
        ]
        return sorted(fitting, key=lambda choice: choice[0])


def _rank(argument: str, seen: str, rank: int) -> int:
    """How well a value that was seen under a name fits an argument: the less, the better."""
    if seen == argument:
        return min(rank, 4) - 4
    return min(rank, 4) - 3 if seen and _stem(seen) == _stem(argument) else rank


def _is_read(tool: Tool) -> bool:
    """Whether it reads by what it is given: what takes words of one's own looks nothing up."""
    return not tool.writes and not any(map(is_worded, tool.schema.get("required", [])))


def _hints(world: World, place: str) -> Iterator[tuple[str, str]]:
    """Names and values that stand in a row."""
    table, _, key = place.partition("/")
    yield from _named(table, world.base.tables.get(table, {}).get(key, {}))


def _named(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield _stem(name), _plain(key)
            yield from _named(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _named(name, item)
    elif value is not None:
        yield _stem(name), _plain(value)


def _plain(value: Any) -> str:
    return str(value).casefold()


@lru_cache(maxsize=4_096)
def _stem(name: str) -> str:
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name.removesuffix("s")


def _repeats(chosen: tuple[tuple[int, Any], ...]) -> bool:
    """Whether one value is used twice: rarely what a tool asks for."""
    said = [json.dumps(value) for _, value in chosen]
    return len(set(said)) < len(said)


def _spelled(tool: str, args: Mapping[str, Any]) -> str:
    return json.dumps([tool, args], sort_keys=True)
