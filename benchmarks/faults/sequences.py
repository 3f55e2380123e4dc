"""Fixed sequences of calls of a domain's tools: what the sound tools return and store there is what changed ones are
compared with.

`benchmarks/sequences/DOMAIN.json` holds them, one a line, drawn once by a fixed seed:

    python -m benchmarks.faults.sequences DOMAIN…

draws them anew, from the calls that the plans of the library make: as they are, with arguments exchanged for others
that the same argument has elsewhere or that rows hold, with options set, cut short, or repeated.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.reference import Reference
from benchmarks.faults.answerkeys import LIBRARY
from worlds.body import Part
from worlds.canonical import canonical
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.folder import DomainFolder
from worlds.hosts import Host
from worlds.library import read
from worlds.records import Base, Records
from worlds.replay import actions_of
from worlds.step import Call
from worlds.template import TemplateUnfilled, render
from worlds.toolsession import AnyServer, ToolSession
from worlds.world import ASK_USER, World

FOLDER = Path(__file__).parents[1] / "sequences"
COUNT = 500
SEED = 20261130
MOST_CALLS = 5
"""Of a plan: its last ones, among which it writes."""
CUT_SHORT, REPEATED, ANOTHER = 0.15, 0.2, 0.3
"""How often a plan's first calls are left out, its last one is made twice, a call of another tool follows."""
OPTION, ODD = 0.25, 0.1
"""How often what is changed is an option that is set; how often a value is an odd one."""
OTHERS = ["", "nobody", "X-999", -1, 0, 1, 10_000, True, None, "2026-01-01"]
"""Values that arguments are given now and then, and that mostly lead nowhere."""

Given = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


class CallSequence(Part):
    """Calls one after another, from the start of a records set."""

    records: str
    toolservers: tuple[str, ...]
    calls: list[Given]


def read_sequences(domain: str) -> list[CallSequence]:
    """The sequences of a domain. Raises FileNotFoundError."""
    lines = (FOLDER / f"{domain}.json").read_text().splitlines()
    return [CallSequence.model_validate(json.loads(line.rstrip(","))) for line in lines[1:-1]]


def outcomes(
    base: Base,
    servers: Iterable[AnyServer],
    calls: Sequence[Given],
    session: ToolSession,
) -> list[Any]:
    """What each call came to, as `[status, value]`, and last the state diff. Refusals have no value: their wording is
    free. Nothing is called at a server that lacks the tool, or with arguments that do not fit its schema."""
    tools = {tool.name: (server, tool) for server in servers for tool in server.tools.values()}
    host = Host(Records(base), base.clock.now)
    said: list[Any] = []
    try:
        for name, args in calls:
            server, tool = tools.get(name, (None, None))
            if server is None or tool is None or tool.refuse(args):
                said.append(["invalid", None])
                continue
            session.ready(server, host)
            outcome = session.call(server, name, args, host)
            said.append([outcome.status, outcome.value if outcome.status == "ok" else None])
            host.clock += base.clock.per_call
    finally:
        session.end_attempt()
    return [*said, host.records.diff()]


@dataclass(frozen=True)
class Came:
    """What came of a sequence."""

    says: str
    """Text that differs where the keys forbid a difference."""
    fits: bool
    """Whether every call was to a tool that there is, with arguments that fit its schema."""


def compared(
    said: list[Any], calls: Sequence[Given], places: Mapping[str, Collection[str]]
) -> Came:
    """What came of a sequence, as the keys forbid differences: in whether each call went well, in what a right episode
    goes by in its result (`places`, by tool), and in what is stored in the end."""
    values = [
        [status, [_at(value, place) for place in sorted(places.get(tool, ()))]]
        for (status, value), (tool, _) in zip(said[:-1], calls, strict=True)
    ]
    return Came(canonical([*values, said[-1]]), all(status != "invalid" for status, _ in said[:-1]))


def _at(value: Any, place: str) -> Any:
    """What stands at a place of a result, in a list; an empty one where nothing does."""
    try:
        return [render(f"{{it{place}}}", {"it": value})]
    except TemplateUnfilled:
        return []


class Drawing:
    """Draws the sequences of one domain."""

    def __init__(self, folder: DomainFolder) -> None:
        self.folder = folder
        self.random = random.Random(f"{SEED} {folder.slug}")  # noqa: S311  # nothing secret
        self.played: dict[tuple[str, tuple[str, ...]], list[list[Call]]] = defaultdict(list)
        self.pool: dict[tuple[str, str], list[Any]] = defaultdict(list)
        self.schemas: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
        self.used: Counter[str] = Counter()
        sizes = {
            slug: sum(map(len, file.body.tables.values())) for slug, file in folder.records.items()
        }
        self.records = sorted(sizes, key=sizes.__getitem__)[:2]

    def draw(self) -> list[CallSequence]:
        """`COUNT` sequences, each once, alike many for each group of tool servers."""
        for spec in self.folder.all_environments():
            if spec.records in self.records:
                self._learn(spec)
        groups = sorted({servers for _, servers in self.played})
        found: dict[str, CallSequence] = {}
        while len(found) < COUNT:
            servers = groups[len(found) % len(groups)]
            records = self.random.choice([r for r in self.records if self.played.get((r, servers))])
            calls = self._changed(records, servers)
            made = CallSequence(records=records, toolservers=servers, calls=calls)
            found.setdefault(canonical(made.model_dump(mode="json")), made)
        return list(found.values())

    def _learn(self, spec: EnvironmentSpec) -> None:
        world = World(self.folder.bundle(spec))
        with ToolSession() as session:
            episode = play(world, Reference.of(world), session)
        calls = [each for each in actions_of(episode.steps) if isinstance(each, Call)]
        calls = [call for call in calls if call.tool != ASK_USER][-MOST_CALLS:]
        if calls:
            self.played[spec.records, spec.toolservers].append(calls)
        for call in calls:
            for argument, value in call.args.items():
                self.pool[spec.records, argument].append(value)
        self.schemas[spec.toolservers] = {
            name: tool.schema for name, (_, _, tool) in world.tools.items()
        }

    def _changed(self, records: str, servers: tuple[str, ...]) -> list[Given]:
        """Calls of a plan with some things changed, or none; of six plans the one with the tool used least."""
        plans = [self.random.choice(self.played[records, servers]) for _ in range(6)]
        plan = min(plans, key=lambda calls: min(self.used[call.tool] for call in calls))
        self.used.update(call.tool for call in plan)
        made = [(call.tool, dict(call.args)) for call in plan]
        way = self.random.random()
        if way < CUT_SHORT and len(made) > 1:
            made = made[self.random.randrange(1, len(made)) :]
        elif way < CUT_SHORT + REPEATED:
            made.append((made[-1][0], dict(made[-1][1])))
        elif way < CUT_SHORT + REPEATED + ANOTHER:
            made.append(self._another(records, servers))
        for _ in range(self.random.choice([0, 1, 1, 2])):
            name, args = self.random.choice(made)
            if self.random.random() < OPTION:
                self._option(records, args, self.schemas[servers][name])
            else:
                self._exchange(records, args)
        return made

    def _another(self, records: str, servers: tuple[str, ...]) -> Given:
        """A call of any tool, with values for all that it must have."""
        name = self.random.choice(sorted(self.schemas[servers]))
        args: dict[str, Any] = {}
        schema = self.schemas[servers][name]
        for argument in schema.get("required", []):
            args[argument] = self._value(records, argument, schema["properties"][argument])
        return name, args

    def _exchange(self, records: str, args: dict[str, Any]) -> None:
        if not args:
            return
        argument = self.random.choice(sorted(args))
        others = self.pool[records, argument] + list(self._rows(records, argument))
        is_odd = self.random.random() < ODD
        args[argument] = self.random.choice(OTHERS if is_odd else others or OTHERS)

    def _rows(self, records: str, argument: str) -> Iterator[Any]:
        """What rows hold in a field of an argument's name, or as the key of a table of that name."""
        for table, rows in self.folder.records[records].body.tables.items():
            key = self.folder.domain.body.tables[table].key
            keyed = table.rstrip("s") in argument
            yield from (row[argument] for row in rows[:40] if argument in row)
            yield from (row[key] for row in rows[:40] if keyed)

    def _option(self, records: str, args: dict[str, Any], schema: dict[str, Any]) -> None:
        if schema["properties"]:
            argument = self.random.choice(sorted(schema["properties"]))
            args[argument] = self._value(records, argument, schema["properties"][argument])

    def _value(self, records: str, argument: str, schema: dict[str, Any]) -> Any:
        """A value that the argument may well have."""
        if schema.get("type") == "boolean":
            return self.random.random() < 0.5
        known = schema.get("enum") or self.pool[records, argument]
        return self.random.choice(known or list(self._rows(records, argument)) or OTHERS)


def main() -> None:
    """Draw the sequences of domains anew."""
    for folder in read(LIBRARY, sys.argv[1:]):
        lines = [canonical(each.model_dump(mode="json")) for each in Drawing(folder).draw()]
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{folder.slug}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
        print(f"{folder.slug}: {len(lines)} sequences")


if __name__ == "__main__":
    main()
