"""A goal with other conditions, asked about the final states to which plans led, and about such as nobody should
reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from triage.proposers.case import Case, Seen, Spot
from worlds.answers import same_answer
from worlds.conditions import Allowance, ConditionFailed, View
from worlds.diff import Change
from worlds.goal import CompiledGoal, Requirement
from worlds.intent import AnswerType, Intent
from worlds.records import Records, RecordsInvalid, Row
from worlds.replay import actions_of
from worlds.template import TemplateInvalid, TemplateUnfilled

LOOKED_AT = 4
"""Failing environments, and as many sound ones."""
DAMAGED = 8
"""Wrong states of each."""


@dataclass(frozen=True)
class Ended:
    """The end of a plan's attempt."""

    rows: Mapping[str, Row]
    final: View
    start: View
    damaged: Sequence[View]
    """Final states without one of the changes, or with another value in one of them."""
    answer: Mapping[str, Any]
    is_failing: bool


@dataclass(frozen=True)
class Judged:
    """What a goal makes of the ends of plans."""

    unmet: frozenset[tuple[int, str]]
    """End, and place of a condition that does not hold there, or fails."""
    teeth: Mapping[str, int] = field(default_factory=dict)
    """Place of a requirement → how many wrong states it turns down."""


class GoalTrial:
    """Of one intent in one case."""

    def __init__(self, case: Case, spot: Spot) -> None:
        users = case.users(spot.name)[:LOOKED_AT]
        sound = [each for each in case.sound if each.body(spot.name) is not None][:LOOKED_AT]
        self.domain = (users or case.seen)[0].bundle.domain
        ends = [(_ended(each, each in users), each) for each in [*users, *sound]]
        self.ends = [end for end, _ in ends if end is not None]

    def judged(self, intent: Intent) -> Judged | None:
        """What the goal of an intent makes of them; None where one of its conditions does not compile."""
        goal = CompiledGoal.of(intent, self.domain)
        if goal.problems:
            return None
        unmet: set[tuple[int, str]] = set()
        teeth: dict[str, int] = {}
        for number, end in enumerate(self.ends):
            for each in goal.require:
                if not _holds(each, end.final, end.rows):
                    unmet.add((number, each.place))
                wrong = sum(
                    not _holds(each, state, end.rows) for state in (end.start, *end.damaged)
                )
                teeth[each.place] = teeth.get(each.place, 0) + wrong
            for name, (spec, wanted) in goal.answers.items():
                if not _answers(spec.type, wanted, end, name):
                    unmet.add((number, wanted.place))
        return Judged(frozenset(unmet), teeth)


def _holds(wanted: Requirement, view: View, rows: Mapping[str, Row]) -> bool:
    try:
        return wanted.condition is not None and wanted.condition.holds(view, rows)
    except ConditionFailed:
        return False


def _answers(kind: AnswerType, wanted: Requirement, end: Ended, name: str) -> bool:
    if wanted.condition is None or name not in end.answer:
        return False
    try:
        return same_answer(kind, end.answer[name], wanted.condition.evaluate(end.final, end.rows))
    except ConditionFailed:
        return False


def _ended(seen: Seen, is_failing: bool) -> Ended | None:
    episode = seen.reference
    if episode is None or episode.ended != "finished":
        return None
    if any(step.kind == "call" and step.status != "ok" for step in episode.steps) and is_failing:
        return None  # what a plan misses that was refused tells nothing of the goal
    try:
        world = seen.world
        final = Records(world.base)
        final.apply(episode.diff)
        damaged = [_view(seen, diff) for diff in _wrong(episode.diff)]
    except (RecordsInvalid, TemplateInvalid, TemplateUnfilled, LookupError, ValueError):
        return None
    finish = actions_of(episode.steps)[-1]
    return Ended(
        world.rows,
        _look(seen, final),
        _look(seen, Records(world.base)),
        damaged,
        getattr(finish, "answer", {}),
        is_failing,
    )


def _view(seen: Seen, diff: Sequence[Change]) -> View:
    records = Records(seen.world.base)
    records.apply(list(diff))
    return _look(seen, records)


def _look(seen: Seen, records: Records) -> View:
    return View(records, seen.world.base.clock.now, Allowance(10**12, 10**12, 3_600.0))


def _wrong(diff: Sequence[Change]) -> Iterator[list[Change]]:
    """Diffs with one change left out, or one field of a change as it was before."""
    made = 0
    for number, change in enumerate(diff):
        for instead in _less(change):
            if made >= DAMAGED:
                return
            made += 1
            yield [*diff[:number], *instead, *diff[number + 1 :]]


def _less(change: Change) -> Iterator[list[Change]]:
    yield []
    fields = change.get("fields") or {}
    for name in fields if len(fields) > 1 else ():
        yield [{**change, "fields": {key: sides for key, sides in fields.items() if key != name}}]
