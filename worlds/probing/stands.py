"""The calls that plans make, and the moments at which they make them: what probes start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from worlds.agent import Agent
from worlds.bundle import Bundle
from worlds.episode import STEPS
from worlds.intent import Finish
from worlds.play import Play
from worlds.probing.near import Near
from worlds.probing.paths import schema_at
from worlds.probing.rows import Spread
from worlds.probing.variants import Seen
from worlds.records import Base
from worlds.relations.arguments import made
from worlds.step import Call
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import Tool, ToolServer
from worlds.toolsession import ToolSession
from worlds.world import World

SEQUELS = 5
"""Times that a tool is called after each other one, on the same rows."""
TWICE = 0.4
"""Share of calls after another one that are after themselves."""
MADE_UP = 20
"""Calls that a tool is begun with where no plan calls it."""


@dataclass(frozen=True)
class Stand:
    """A call, and the attempt as it stood before it, which is only ever forked."""

    environment: str
    play: Play
    call: Call

    def made(self) -> Play:
        """The attempt after the call."""
        after = self.play.fork()
        after.act(self.call)
        return after


@dataclass
class Plans:
    """What the plans of a domain do."""

    session: ToolSession
    seed: int
    tools: dict[str, tuple[str, Tool]] = field(default_factory=dict)
    """The writing ones by name, with their server's slug."""
    calls: dict[str, list[Stand]] = field(default_factory=dict)
    """By tool, of those that read too."""
    seen: Seen = field(default_factory=Seen)
    start: tuple[str, Play] | None = None
    """The first environment, and how it begins."""

    def __post_init__(self) -> None:
        self._spreads: dict[str, Spread] = {}

    def walk(
        self, environment: str, bundle: Bundle, plan: Callable[[World], Agent]
    ) -> Iterator[tuple[Stand, Play]]:
        """Play a plan; its calls of writing tools, and the attempt as each left it, to be looked at before the next."""
        world = World(_unaudited(bundle))
        for name, (slug, server, tool) in world.tools.items():
            if tool.writes and isinstance(server, ToolServer):
                self.tools.setdefault(name, (slug, tool))
        if world.unbound is not None or world.plan_key is None:
            return
        agent, play = plan(world), Play(world, self.session)
        if self.start is None:
            self.start = environment, play.fork()
            self.seen.learn_contract(bundle.domain)
        try:
            action = agent.begin(world.briefing, 0, 0)
        except (TemplateUnfilled, TemplateInvalid):
            return  # `worlds.static` tells
        for _ in range(STEPS):
            before = play.fork() if isinstance(action, Call) else play
            steps = play.act(action)
            if isinstance(action, Call) and action.tool in world.tools:
                self.seen.learn(action)
                stand = Stand(environment, before, action)
                self.calls.setdefault(action.tool, []).append(stand)
                if action.tool in self.tools:
                    yield stand, play
            if isinstance(action, Finish) or play.exhausted:
                return
            action = agent.go_on(steps)

    def spread(self, base: Base) -> Spread:
        """The rows of some records."""
        if base.digest not in self._spreads:
            draw = Random(f"{self.seed}/{base.digest}")  # noqa: S311  # the same again is what is wanted
            self._spreads[base.digest] = Spread(base, draw)
        return self._spreads[base.digest]

    def made_up(self, draw: Random, name: str) -> Iterator[Stand]:
        """Calls of a tool that no plan calls: keys of rows, values that other calls gave, what its schema allows."""
        (_, tool), start = self.tools[name], self.start
        if start is None:
            return
        keys = {spec.key: table for table, spec in start[1].world.bundle.domain.tables.items()}
        spread = self.spread(start[1].world.base)
        for _ in range(MADE_UP):
            args: dict[str, Any] = {}
            for argument in tool.schema.get("required", ()):
                schema = schema_at(tool.schema, (argument,))
                key = spread.next(keys[argument], set()) if argument in keys else None
                known = [key] if key else [*self.seen.values.get(argument, ()), *made(schema)]
                if known:
                    args[argument] = draw.choice(known)
            if tool.refuse(args) is None:
                yield Stand(*start, Call(tool=name, args=args))

    def sequels(self, draw: Random, plain: Sequence[Stand]) -> Iterator[Stand]:
        """A tool's calls after those of each writing tool, aimed at the same rows."""
        for first in sorted(self.tools):
            stands = self.calls.get(first, [])
            for _ in range(SEQUELS if stands else 0):
                yield from self._after(draw, draw.choice(stands), draw.choice(plain))

    def again(self, draw: Random, stand: Stand) -> Iterator[Stand]:
        """A call after itself, or after any other one."""
        known = [each for each in sorted(self.calls) if each in stand.play.world.tools]
        first = draw.choice(self.calls[draw.choice(known)]) if known else stand
        yield from self._after(draw, stand if draw.random() < TWICE else first, stand)

    def _after(self, draw: Random, first: Stand, then: Stand) -> Iterator[Stand]:
        """The second call after the first, where that is carried out, and aimed at the rows that it names."""
        play = first.play.fork()
        play.act(first.call)
        if play.steps[-1].status != "ok" or play.exhausted:
            return
        near = Near(play.records.fork(), draw)
        args = dict(then.call.args)
        for table, key in near.rows_named(first.call.args):
            theirs = [each for name, each in near.rows_named(args) if name == table]
            if theirs and key not in theirs:
                args = near.aimed(args, table, theirs[0], key)
        yield Stand(first.environment, play, Call(tool=then.call.tool, args=args))


def _unaudited(bundle: Bundle) -> Bundle:
    """The bundle with its clauses on calls alone, where there is a guard among them: what one stops before the tool
    is asked says nothing of it, and what one takes back after says all."""
    on_call = [[each for each in rule.clauses if each.on == "call"] for rule in bundle.rules]
    guarded = any(each.enforce == "guard" for clauses in on_call for each in clauses)
    rules = tuple(
        rule.model_copy(update={"clauses": clauses if guarded else []})
        for rule, clauses in zip(bundle.rules, on_call, strict=True)
    )
    return replace(bundle, rules=rules)
