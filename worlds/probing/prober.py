"""Calls of every writing tool on the real records, made from the plans' own calls, each of them judged."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from worlds.agent import Agent
from worlds.bundle import Bundle
from worlds.canonical import canonical
from worlds.clauses import Clauses
from worlds.episode import STEPS
from worlds.intent import Finish
from worlds.play import Play
from worlds.probing.found import Example
from worlds.probing.judging import Ruling, rulings
from worlds.probing.near import Near
from worlds.probing.paths import leaves, put, schema_at
from worlds.probing.rows import Spread
from worlds.probing.tally import Tally, ToolKey
from worlds.probing.variants import Seen, Variants
from worlds.records import Base
from worlds.relations.arguments import made
from worlds.relations.subject import replaced
from worlds.step import Call, Status
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolserver import Tool, ToolServer
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 150
"""Changed calls of each tool."""
PATIENCE = 60
"""Calls in a row that showed nothing new, after which a tool is left."""
SECONDS = 120.0
"""After which no further call is made."""
GROWN = 60
"""Changed calls of a tool that showed something new last, and are changed again."""
OFTEN = 0.4
"""Share of changes that are made to those."""
SEQUELS = 5
"""Times that a tool is called after each other one, on the same rows."""
MADE_UP = 20
"""Calls that a tool is begun with where no plan calls it."""
IDLE = 400
"""Changes in a row that led to no other call, after which a tool is left."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Limits:
    """What probing a domain may cost."""

    calls: int = CALLS
    """For each tool, beside the plans' own."""
    patience: int = PATIENCE
    """Calls in a row that may show nothing new before a tool is left."""
    seconds: float = SECONDS
    """In all; where they run out, the result says so and depends on the machine."""


@dataclass(frozen=True)
class Stand:
    """A call, and the attempt as it stood before it, which is only ever forked."""

    environment: str
    play: Play
    call: Call


@dataclass
class Prober:
    """Probes one domain, by one seed."""

    session: ToolSession
    tally: Tally
    seed: int
    limits: Limits
    tools: dict[str, tuple[ToolKey, Tool]] = field(default_factory=dict)
    """The writing ones, by name."""
    stands: dict[str, list[Stand]] = field(default_factory=dict)
    """The plans' calls of each tool, of those that read too."""
    seen: Seen = field(default_factory=Seen)
    start: tuple[str, Play] | None = None
    """The first environment, and how it begins."""
    known: dict[str, set[str]] = field(default_factory=dict)
    """What calls of each tool showed so far."""

    def __post_init__(self) -> None:
        self._ends = time.monotonic() + self.limits.seconds
        self._spreads: dict[str, Spread] = {}

    @property
    def is_over(self) -> bool:
        """Whether the time has run out."""
        return time.monotonic() > self._ends

    # The plans

    def walk(self, environment: str, bundle: Bundle, plan: Callable[[World], Agent]) -> None:
        """Play a plan, judging its calls of writing tools."""
        world = World(_unaudited(bundle))
        for name, (slug, server, tool) in world.tools.items():
            if tool.writes and isinstance(server, ToolServer):
                self.tools.setdefault(name, ((slug, name), tool))
                self.tally.tools.setdefault((slug, name), {})
        if world.unbound is not None or world.plan_key is None:
            return
        agent, play = plan(world), Play(world, self.session)
        self.start = self.start or (environment, play.fork())
        try:
            action = agent.begin(world.briefing, 0, 0)
        except (TemplateUnfilled, TemplateInvalid):
            return  # `worlds.static` tells
        for _ in range(STEPS):
            before = play.fork() if isinstance(action, Call) else play
            steps = play.act(action)
            if isinstance(action, Call) and action.tool in world.tools:
                self._passed(Stand(environment, before, action), play)
            if isinstance(action, Finish) or play.exhausted or self.is_over:
                return
            action = agent.go_on(steps)

    def _passed(self, stand: Stand, after: Play) -> None:
        self.seen.learn(stand.call)
        self.stands.setdefault(stand.call.tool, []).append(stand)
        if stand.call.tool in self.tools:
            self._judge(stand, after)

    # Changed calls

    def vary(self, name: str) -> None:
        """Make changed calls of a tool until its calls, or the time, are used up."""
        draw = Random(f"{self.seed}/{name}")  # noqa: S311  # the same again is what is wanted
        plain = self.stands.get(name, [])
        if not plain:
            plain = list(self._made_up(draw, name))
            for stand in plain:
                list(self._tried(stand))
        if not plain:
            return
        grown = [new for each in self._sequels(draw, plain) for new in self._tried(each)]
        made, idle, barren = set[str](), 0, 0
        variants = Variants(draw, self._spread(plain[0].play.world.base), self.seen)
        while idle < IDLE and not self._is_done(len(made), barren):
            pool = grown if grown and draw.random() < OFTEN else plain
            idle += 1
            for stand in self._changed(draw, variants, draw.choice(pool), name):
                spelled = _identity(stand)
                if spelled in made or self._is_done(len(made), barren):
                    continue
                made.add(spelled)
                shown = list(self._tried(stand))
                idle, barren = 0, 0 if shown else barren + 1
                grown = [*shown, *grown][:GROWN]

    def _is_done(self, made: int, barren: int) -> bool:
        return made >= self.limits.calls or barren >= self.limits.patience or self.is_over

    def _made_up(self, draw: Random, name: str) -> Iterator[Stand]:
        """Calls of a tool that no plan calls: keys of rows, values that other calls gave, what its schema allows."""
        (_, tool), start = self.tools[name], self.start
        if start is None:
            return
        keys = {spec.key: table for table, spec in start[1].world.bundle.domain.tables.items()}
        spread = self._spread(start[1].world.base)
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

    def _changed(
        self, draw: Random, variants: Variants, stand: Stand, name: str
    ) -> Iterator[Stand]:
        """The call changed, or after another one."""
        _, tool = self.tools[name]
        if draw.random() < 0.2:
            yield from self._again(draw, stand)
            return
        variants.spread = self._spread(stand.play.world.base)
        for call in variants.of(tool, stand.call, stand.play):
            yield Stand(stand.environment, stand.play, call)

    def _spread(self, base: Base) -> Spread:
        if base.digest not in self._spreads:
            draw = Random(f"{self.seed}/{base.digest}")  # noqa: S311  # the same again is what is wanted
            self._spreads[base.digest] = Spread(base, draw)
        return self._spreads[base.digest]

    def _sequels(self, draw: Random, plain: Sequence[Stand]) -> Iterator[Stand]:
        """A tool's calls after those of each writing tool, aimed at the same rows."""
        for first in sorted(self.tools):
            stands = self.stands.get(first, [])
            for _ in range(SEQUELS if stands else 0):
                yield from self._after(draw, draw.choice(stands), draw.choice(plain))

    def _again(self, draw: Random, stand: Stand) -> Iterator[Stand]:
        """A call after itself, or after any other one."""
        known = [each for each in sorted(self.stands) if each in stand.play.world.tools]
        first = draw.choice(self.stands[draw.choice(known)]) if known else stand
        yield from self._after(draw, stand if draw.random() < OFTEN else first, stand)

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

    def _tried(self, stand: Stand) -> Iterator[Stand]:
        """Make a call; yields it where it was carried out and showed something new. One that is stopped or refused
        is made once more, after the looks that were missing, or with the number that was."""
        status, result = yield from self._made(stand)
        if status == "guarded":
            again = self._looked_up(stand)
        elif status == "refused":
            again = _corrected(stand, str(result))
        else:
            return
        if again is not None:
            yield from self._made(again)

    def _made(self, stand: Stand) -> Generator[Stand, None, tuple[Status, Any]]:
        after = stand.play.fork()
        after.act(stand.call)
        if self._judge(stand, after):
            yield stand
        return after.steps[-1].status, after.steps[-1].result

    def _looked_up(self, stand: Stand) -> Stand | None:
        """The same after the reads of the plan, made of what is named now."""
        plain = next(
            (
                each
                for each in self.stands.get(stand.call.tool, ())
                if each.environment == stand.environment
            ),
            None,
        )
        if plain is None:
            return None
        swaps = dict(_swaps(plain.call, stand.call))
        play = stand.play.fork()
        for past in list(play.history):
            tool = play.world.tools.get(past["tool"])
            args = replaced(past["args"], swaps)
            if tool is not None and not tool[2].writes and args != past["args"]:
                play.act(Call(tool=past["tool"], args=args))
        return replace(stand, play=play) if len(play.steps) > len(stand.play.steps) else None

    # Judging

    def _judge(self, stand: Stand, after: Play) -> bool:
        """Count what a call showed; whether it was carried out and showed something new."""
        step, (key, _) = after.steps[-1], self.tools[stand.call.tool]
        self.tally.ended(key, step.status)
        if step.status in ("crashed", "limit"):
            self.tally.failed(key, _example(stand, (), {}, str(step.result)))
        if step.status != "ok":
            return False
        ruled = list(rulings(self.tally.clauses, stand.play, after, stand.call))
        self.tally.ruled(key, ruled, lambda ruling, best: self._smallest(stand, ruling, best))
        shown = {f"{each.name} {each.is_broken}" for each in ruled}
        shown |= {
            f"{each['op']} {each['table']} {sorted(each.get('fields', ()))}"
            for each in step.changes
        }
        known = self.known.setdefault(stand.call.tool, set())
        is_new = not shown <= known
        known |= shown
        return is_new

    def _smallest(self, stand: Stand, ruling: Ruling, best: Example | None) -> Example:
        """The call from the start of the environment, where that shows the same and nothing did so far; else after
        what wrote before it."""
        calls = [step for step in stand.play.steps if step.kind == "call" and step.status == "ok"]
        unseen = self.tally.unseen(ruling.name)
        needed = [step for step in calls if step.changes or "history" in unseen]
        before = [Call(tool=step.tool, args=step.args) for step in needed]
        if before and not unseen and (best is None or best.before):
            start = Play(stand.play.world, self.session)
            after = start.fork()
            after.act(stand.call)
            if after.steps[-1].status == "ok":
                for alone in rulings(self.tally.clauses, start, after, stand.call):
                    if alone.name == ruling.name and alone.is_broken:
                        return _example(stand, (), alone.row, alone.detail)
        return _example(stand, before, ruling.row, ruling.detail)


def _example(stand: Stand, before: Sequence[Call], row: object, message: str) -> Example:
    return Example.model_validate(
        {
            "environment": stand.environment,
            "before": list(before),
            "call": stand.call,
            "row": row,
            "message": message,
        }
    )


def _identity(stand: Stand) -> str:
    calls = [[step.tool, step.args] for step in stand.play.steps if step.changes]
    return canonical([calls, stand.call.args])


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


def clauses_of(bundle: Bundle) -> Clauses:
    """All of its clauses, compiled."""
    refs = zip(bundle.manifest.rules, bundle.rules, strict=True)
    return Clauses([(ref.slug, rule) for ref, rule in refs], bundle.domain)


def _swaps(one: Call, other: Call) -> Iterator[tuple[str, str]]:
    theirs = dict(leaves(other.args))
    for path, text in leaves(one.args):
        now = theirs.get(path)
        if isinstance(text, str) and isinstance(now, str) and now != text:
            yield text, now


def _corrected(stand: Stand, refusal: str) -> Stand | None:
    """The call with one number made larger or smaller by what two numbers of the refusal differ in: the price that
    it names, and what was offered."""
    numbers = [float(each) for each in NUMBER.findall(refusal)]
    if len(numbers) != 2 or numbers[0] == numbers[1]:
        return None
    for path, value in leaves(stand.call.args):
        inside = isinstance(value, (int, float)) and not isinstance(value, bool) and len(path) > 1
        if inside:
            fits = round(value + numbers[0] - numbers[1], 2)
            return replace(
                stand, call=stand.call.model_copy(update={"args": put(stand.call.args, path, fits)})
            )
    return None
