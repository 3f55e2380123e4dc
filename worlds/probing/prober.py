"""Calls of every writing tool on the real records, made from the plans' own calls, each of them judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from random import Random
from typing import Any

from worlds.agent import Agent
from worlds.bundle import Bundle
from worlds.canonical import canonical
from worlds.clauses import Clauses
from worlds.play import Play
from worlds.probing.found import Example
from worlds.probing.judging import Ruling, rulings
from worlds.probing.retries import corrected, looked_up
from worlds.probing.stands import Plans, Stand
from worlds.probing.tally import Tally, ToolKey
from worlds.probing.variants import Variants
from worlds.step import Call, Status
from worlds.world import World

CALLS = 100
"""Changed calls of each tool that are carried out."""
PATIENCE = 50
"""Those in a row that showed nothing new, after which a tool is left."""
REFUSED = 0.3
"""What a call that is not carried out stands for: it costs little, since there is nothing to judge."""
SECONDS = 120.0
"""After which no further call is made."""
GROWN = 60
"""Changed calls of a tool that showed something new last, and are changed again."""
OFTEN = 0.4
"""Share of changes that are made to those."""
SECOND = 0.2
"""Share of changes that are another call before it."""
IDLE = 400
"""Changes in a row that led to no other call, after which a tool is left."""


@dataclass(frozen=True)
class Limits:
    """What probing a domain may cost."""

    calls: int = CALLS
    """Carried out, of each tool, beside the plans' own; those that are not count less."""
    patience: int = PATIENCE
    """Of these, in a row, that may show nothing new before a tool is left."""
    seconds: float = SECONDS
    """In all; where they run out, the result says so and depends on the machine."""


@dataclass
class Prober:
    """Probes one domain, by one seed."""

    plans: Plans
    tally: Tally
    limits: Limits
    known: dict[str, set[str]] = field(default_factory=dict)
    """What calls of each tool showed so far."""

    def __post_init__(self) -> None:
        self._ends = time.monotonic() + self.limits.seconds

    @property
    def is_over(self) -> bool:
        """Whether the time has run out."""
        return time.monotonic() > self._ends

    def walk(self, environment: str, bundle: Bundle, plan: Callable[[World], Agent]) -> None:
        """Play a plan, judging its calls of writing tools."""
        for stand, after in self.plans.walk(environment, bundle, plan):
            self._judge(stand, after)
            if self.is_over:
                return

    def vary(self, name: str) -> None:
        """Make changed calls of a tool until its calls, or the time, are used up."""
        draw = Random(f"{self.plans.seed}/{name}")  # noqa: S311  # the same again is what is wanted
        self.tally.known(self._key(name), self.plans.tools[name][1].line)
        plain = self.plans.calls.get(name) or list(self.plans.made_up(draw, name))
        if not plain or self.is_over:
            return
        begun = [] if name in self.plans.calls else plain
        first = [*begun, *self.plans.sequels(draw, plain)]
        begun_in_time = takewhile(lambda _: not self.is_over, first)
        grown = [new for each in begun_in_time for new in self._tried(each)]
        variants = Variants(draw, self.plans.spread(plain[0].play.world.base), self.plans.seen)
        made, idle, spent, barren = set[str](), 0, 0.0, 0.0
        while idle < IDLE and not self._is_done(spent, barren):
            pool = grown if grown and draw.random() < OFTEN else plain
            idle += 1
            for stand in self._changed(draw, variants, draw.choice(pool), name):
                spelled = _identity(stand)
                if spelled in made or self._is_done(spent, barren):
                    continue
                made.add(spelled)
                before = self.tally.carried_out(self._key(name))
                shown = list(self._tried(stand))
                cost = 1 if self.tally.carried_out(self._key(name)) > before else REFUSED
                idle, spent, barren = 0, spent + cost, 0 if shown else barren + cost
                grown = [*shown, *grown][:GROWN]

    def _is_done(self, spent: float, barren: float) -> bool:
        limits = self.limits
        return spent >= limits.calls or barren >= limits.patience or self.is_over

    def _changed(
        self, draw: Random, variants: Variants, stand: Stand, name: str
    ) -> Iterator[Stand]:
        """The call changed, or after another one."""
        _, tool = self.plans.tools[name]
        if draw.random() < SECOND:
            yield from self.plans.again(draw, stand)
            return
        variants.spread = self.plans.spread(stand.play.world.base)
        for call in variants.of(tool, stand.call, stand.play):
            yield Stand(stand.environment, stand.play, call)

    def _tried(self, stand: Stand) -> Iterator[Stand]:
        """Make a call; yields it where it was carried out and showed something new. One that is stopped or refused
        is made once more, after the looks that were missing, or with the number that was."""
        status, result = yield from self._made(stand)
        if status == "guarded":
            again = looked_up(stand, self.plans.calls.get(stand.call.tool, ()))
        elif status == "refused":
            again = corrected(stand, str(result))
        else:
            return
        if again is not None:
            yield from self._made(again)

    def _made(self, stand: Stand) -> Generator[Stand, None, tuple[Status, Any]]:
        after = stand.made()
        if self._judge(stand, after):
            yield stand
        return after.steps[-1].status, after.steps[-1].result

    def _key(self, name: str) -> ToolKey:
        return self.plans.tools[name][0], name

    # Judging

    def _judge(self, stand: Stand, after: Play) -> bool:
        """Count what a call showed; whether it was carried out and showed something new."""
        step, key = after.steps[-1], self._key(stand.call.tool)
        self.tally.ended(key, step.status)
        if step.status in ("crashed", "limit"):
            self.tally.failed(key, _example(stand, (), {}, str(step.result)))
        if step.status != "ok":
            return False
        ruled = list(rulings(self.tally.clauses, stand.play, after, stand.call))
        self.tally.ruled(key, ruled, lambda ruling, best: self._smallest(stand, ruling, best))
        shown = {f"{each.name} {each.is_broken}" for each in ruled if not each.failure}
        shown |= {
            f"{each['op']} {each['table']} {sorted(each.get('fields', ()))}"
            for each in step.changes
        }
        known = self.known.setdefault(stand.call.tool, set())
        is_new = not shown <= known
        known |= shown
        return is_new

    def _smallest(self, stand: Stand, ruling: Ruling, best: Example | None) -> Example:
        """The call from the start of the environment, where that shows the same and would be the smallest; else
        after what wrote before it."""
        calls = [step for step in stand.play.steps if step.kind == "call" and step.status == "ok"]
        unseen = self.tally.unseen(ruling.name)
        needed = [step for step in calls if step.changes or "history" in unseen]
        before = [Call(tool=step.tool, args=step.args) for step in needed]
        alone = _example(stand, (), ruling.row, ruling.detail)
        if before and not unseen and (best is None or alone.rank < best.rank):
            start = Play(stand.play.world, self.plans.session)
            after = replace(stand, play=start).made()
            if after.steps[-1].status == "ok":
                for again in rulings(self.tally.clauses, start, after, stand.call):
                    if again.name == ruling.name and again.is_broken:
                        return _example(stand, (), again.row, again.detail)
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


def clauses_of(bundle: Bundle) -> Clauses:
    """All of its clauses, compiled."""
    refs = zip(bundle.manifest.rules, bundle.rules, strict=True)
    return Clauses([(ref.slug, rule) for ref, rule in refs], bundle.domain)
