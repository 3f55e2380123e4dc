"""One environment before and after a candidate: the reference's two attempts, up to the first step that differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, IntegerField, QuerySet, Value, When

from triage.models import Episode, Outcome, Result, Trial
from triage.models.trial import Move
from worlds.canonical import canonical

SHOWN_BEFORE = 2
"""Steps that are shown before the one that differs."""
COMPARED = ("kind", "tool", "args", "result", "status", "text", "outcome", "changes")
Step = dict[str, Any]


@dataclass(frozen=True)
class BeforeAfter:
    """An outcome with the two attempts; one that was not made is None."""

    outcome: Outcome
    before: Episode | None
    after: Episode | None
    same: int = 0
    """Steps in which both do and get the same, from the first on."""

    @property
    def shared(self) -> list[Step]:
        """The last of the steps that are the same."""
        return _steps(self.before)[max(0, self.same - SHOWN_BEFORE) : self.same]

    @property
    def left_out(self) -> int:
        """How many of them are not shown."""
        return self.same - len(self.shared)

    @property
    def sides(self) -> list[tuple[str, Episode | None, Step | None, list[Mapping[str, Any]]]]:
        """`before` and `after`, each with its attempt, the step that differs, and what the verdict misses."""
        both = (("before", self.before), ("after", self.after))
        return [(name, one, _step(one, self.same), missed(one)) for name, one in both]


def before_after(trial: Trial, asked: int) -> BeforeAfter | None:
    """Of the environment asked for (an id), else of the one that shows best what the trial did; four queries."""
    rows = Outcome.objects.filter(trial=trial).select_related("environment__domain")
    chosen = rows.filter(environment=asked).first() or _telling(rows).first()
    if chosen is None:
        return None
    before, after = _reference(chosen.before_id), _reference(chosen.after_id)
    return BeforeAfter(chosen, before, after, _same(_steps(before), _steps(after)))


def _telling(rows: QuerySet[Outcome]) -> QuerySet[Outcome]:
    """What shows the fault and is fixed comes first, then what is fixed, then what shows it, then the rest."""
    turn = Case(
        When(is_affected=True, move=Move.FIXED, then=Value(0)),
        When(move=Move.FIXED, then=Value(1)),
        When(is_affected=True, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    return rows.exclude(before=None, after=None).order_by(turn, "environment__slug")


def _reference(result: Any) -> Episode | None:
    if result is None:
        return None
    links: Any = Result.episodes.through.objects.filter(
        result=result, episode__agent__name="reference", episode__attempt=0
    )
    link = links.select_related("episode__agent").first()
    return link.episode if link else None


def _steps(episode: Episode | None) -> list[Step]:
    return list(episode.document["steps"]) if episode else []


def _step(episode: Episode | None, number: int) -> Step | None:
    steps = _steps(episode)
    return steps[number] if number < len(steps) else None


def _same(one: list[Step], other: list[Step]) -> int:
    number = 0
    for mine, theirs in zip(one, other, strict=False):
        if _said(mine) != _said(theirs):
            break
        number += 1
    return number


def _said(step: Step) -> str:
    return canonical({name: step.get(name) for name in COMPARED})


def missed(episode: Episode | None) -> list[Mapping[str, Any]]:
    """The assertions that an attempt's verdict found unmet."""
    verdict = episode.document.get("verdict") if episode else None
    return [one for one in verdict["assertions"] if not one["met"]] if verdict else []
