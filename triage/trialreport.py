"""What a trial showed, in numbers, and which of several trials is to be looked at first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple, TypedDict, cast

from triage.candidates import Changed, texts
from triage.models import Outcome, Proposal, Trial
from triage.models.trial import Move
from triage.rejudging import COUNTS
from triage.trialscope import STAGES

MOST_NAMED = 20


class Rank(NamedTuple):
    """What trials are sorted by, the best first; what there should be much of is counted below zero."""

    is_feared: bool
    """It weakens a verifier or redefines a task."""
    is_uncited: bool
    """It rests on no authority."""
    has_regressed: bool
    held_out_fixed: int
    fixed: int
    cured: int
    likelihood: float
    """That it is the right edit; what people wrote counts as sure."""
    edit_size: int
    trial: int


class StageCounts(TypedDict):
    """Of the environments that were run in one stage."""

    environments: int
    fixed: int
    regressed: int
    unchanged: int
    cured: int
    errors: int


class Report(TypedDict):
    """Of all stages that are complete."""

    stages: dict[str, StageCounts]
    environments: int
    fixed: int
    regressed: int
    unchanged: int
    cured: int
    """Of the affected ones, solvable or not."""
    errors: int
    """Environments with trouble of ours: nothing is concluded of these."""
    fixed_environments: list[str]
    regressed_environments: list[str]
    """Slugs, at most 20."""
    affected: int
    held_out: int
    """Affected ones of the half that no proposer may look at."""
    held_out_fixed: int
    held_out_cured: int
    accepted_to_rejected: int
    rejected_to_accepted: int
    """Attempts of the panel."""
    strength_before: float | None
    strength_after: float | None
    """Means, over environments where it was measured."""
    weakens: bool
    weakened_environments: list[str]
    redefines: bool
    drifted: int
    rejudged: dict[str, int]
    edit_size: int
    """Lines that differ, in the files as they would be written."""
    seconds: float
    """That the checks with the candidate took."""
    stopped: str
    """Why it ended before its last stage; empty where it did not."""


def report(trial: Trial, stopped: str = "") -> Report:
    """Four queries at most."""
    whole = trial.outcomes.select_related("environment", "after").order_by("pk")
    rows = list(whole.defer("after__facts", "after__times", "after__unobserved"))
    held_out = [row for row in rows if row.is_affected and row.is_held_out]
    counts = _counts(rows)
    return Report(
        **counts,
        stages={
            stage.value: _counts(ran)
            for stage in STAGES
            if (ran := [row for row in rows if row.stage == stage])
        },
        fixed_environments=_slugs(row for row in rows if row.move == Move.FIXED),
        regressed_environments=_slugs(row for row in rows if row.move == Move.REGRESSED),
        affected=sum(row.is_affected for row in rows),
        held_out=len(held_out),
        held_out_fixed=sum(row.move == Move.FIXED for row in held_out),
        held_out_cured=sum(row.is_cured for row in held_out),
        accepted_to_rejected=sum(row.accepted_to_rejected for row in rows),
        rejected_to_accepted=sum(row.rejected_to_accepted for row in rows),
        strength_before=_mean([row.strength_before for row in rows]),
        strength_after=_mean([row.strength_after for row in rows]),
        weakens=any(row.weakened for row in rows),
        weakened_environments=_slugs(row for row in rows if row.weakened),
        redefines=any(row.drift for row in rows),
        drifted=sum(bool(row.drift) for row in rows),
        rejudged={name: sum(row.rejudged.get(name, 0) for row in rows) for name in COUNTS},
        edit_size=edit_size(texts(cast("list[Changed]", trial.changes))),
        seconds=round(sum(row.after.seconds for row in rows if row.after), 3),
        stopped=stopped,
    )


def rank_key(trial: Trial) -> Rank:
    """What trials are sorted by, the best first: what weakens or redefines comes last, and what rests on no authority
    after all that does; then no regression, most of the held-out half fixed, most fixed, likeliest, smallest edit. One
    query."""
    return rank_of(trial, trial.proposals.only("authority", "likelihood"))


def rank_of(trial: Trial, proposals: Iterable[Proposal]) -> Rank:
    """As `rank_key`, of a trial of `proposals`."""
    said, rows = trial.report, list(proposals)
    return Rank(
        is_feared=bool(said.get("weakens") or said.get("redefines")),
        is_uncited=not all(row.authority for row in rows),
        has_regressed=bool(said.get("regressed")),
        held_out_fixed=-int(said.get("held_out_fixed", 0)),
        fixed=-int(said.get("fixed", 0)),
        cured=-int(said.get("cured", 0)),
        likelihood=-min(
            (1.0 if row.likelihood is None else row.likelihood for row in rows), default=1.0
        ),
        edit_size=int(said.get("edit_size", 0)),
        trial=trial.pk,
    )


def edit_size(changed: Iterable[tuple[str, str]]) -> int:
    """How many lines differ between texts before and after; one that moved is none."""
    size = 0
    for before, after in changed:
        one, other = Counter(before.splitlines()), Counter(after.splitlines())
        size += (one - other).total() + (other - one).total()
    return size


def _counts(rows: Sequence[Outcome]) -> StageCounts:
    moves = Counter(row.move for row in rows)
    return StageCounts(
        environments=len(rows),
        fixed=moves[Move.FIXED],
        regressed=moves[Move.REGRESSED],
        unchanged=moves[Move.UNCHANGED],
        cured=sum(row.is_cured for row in rows),
        errors=sum(bool(row.error) for row in rows),
    )


def _slugs(rows: Iterable[Outcome]) -> list[str]:
    return sorted(row.environment.slug for row in rows)[:MOST_NAMED]


def _mean(numbers: Iterable[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return round(fmean(known), 6) if known else None
