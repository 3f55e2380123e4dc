"""What the plan of an intent led to in one environment: rows before and after, and what conditions say of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from agents.reference import Reference
from triage.proposers.candidate import Name, placed
from triage.proposers.case import Case, Seen
from worlds.body import Body
from worlds.conditions import ConditionFailed, ConditionInvalid, View, compile_condition
from worlds.diff import Diff, without_volatile
from worlds.episode import play
from worlds.intent import Intent
from worlds.records import Records, RecordsInvalid, Row
from worlds.slots import shapes
from worlds.step import Episode, Step
from worlds.template import TemplateInvalid, TemplateUnfilled
from worlds.toolsession import ToolSession
from worlds.world import World

MOST = 6
"""Environments that are looked at: more tell little more."""

FAILED: Any = object()
"""The value of a condition that fails."""


@dataclass(frozen=True)
class Sample:
    """One environment of the intent in which its slots are bound and its plan was played."""

    slug: str
    world: World
    episode: Episode

    @property
    def intent(self) -> Intent:
        """Of the environment."""
        return self.world.bundle.intent

    @property
    def rows(self) -> Mapping[str, Row]:
        """Slot → its row as the episode found it."""
        return self.world.rows

    @cached_property
    def diff(self) -> Diff:
        """What the plan changed, without what is volatile."""
        return without_volatile(self.episode.diff, self.world.bundle.domain.volatile)

    @cached_property
    def final(self) -> View:
        """What conditions see after the plan."""
        records = Records(self.world.base)
        records.apply(list(self.episode.diff))
        return View(records, self.world.base.clock.now)

    @cached_property
    def finish(self) -> Step | None:
        """How the plan ended."""
        return next((step for step in self.episode.steps if step.kind == "finish"), None)

    @property
    def answer(self) -> Mapping[str, Any]:
        """What the plan answered."""
        return self.finish.args if self.finish else {}

    @property
    def is_well_played(self) -> bool:
        """Whether no call of the plan was refused or worse."""
        calls = (step for step in self.episode.steps if step.kind == "call")
        return all(step.status == "ok" for step in calls)

    def value(self, text: str) -> Any:
        """What an expression says after the plan; FAILED where it says nothing."""
        domain = self.world.bundle.domain
        try:
            defined = self.intent.definitions(domain)
            names = shapes(self.intent, domain)
            condition = compile_condition(text, domain, names, definitions=defined)
            return condition.evaluate(self.final, self.rows)
        except (ConditionInvalid, ConditionFailed):
            return FAILED


def samples(case: Case, name: Name) -> list[Sample]:
    """The environments of an intent that can be played: those that show the fault, then sound ones."""
    return list(islice(_samples(case, name), MOST))


def _samples(case: Case, name: Name) -> Iterator[Sample]:
    for seen in (*case.seen, *case.sound):
        if seen.body(name) is not None:
            sample = sample_of(seen)
            if sample is not None:
                yield sample


def sample_of(seen: Seen) -> Sample | None:
    """An environment as a sample; None where nothing can be played."""
    try:
        world = seen.world
    except RecordsInvalid:
        return None
    if world.unbound is not None:
        return None
    episode = seen.reference or reference(world)
    return Sample(seen.slug, world, episode) if episode is not None else None


def reference(world: World) -> Episode | None:
    """What following the plan leads to; None where there is none, or its texts cannot be filled in."""
    if world.unbound is not None or world.plan_key is None:
        return None
    try:
        with ToolSession() as session:
            return play(world, Reference.of(world), session)
    except (TemplateInvalid, TemplateUnfilled, LookupError, ValueError):
        return None


def replayed(seen: Seen, changes: Mapping[Name, Body]) -> Episode | None:
    """What following the plan leads to with other bodies."""
    try:
        return reference(World(placed(seen.bundle, changes)))
    except RecordsInvalid:
        return None
