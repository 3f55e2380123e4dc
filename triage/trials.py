"""Trials of candidates: a few environments that show the fault, then twenty, then all that use what would change.

Each stage takes over what the ones before showed, whoever worked on them; only what went through all of them can be
ranked and approved.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import cast

from django.db import models, transaction
from django.db.models import Q

from components.actor import Actor, demand, visible_domains
from components.models import AuditEntry
from triage import jobs
from triage.candidates import (
    CandidateInvalid,
    Changed,
    changes_of,
    latest_trial,
    moved,
    proposal_digest,
    resting,
)
from triage.models import Fault, Outcome, Proposal, Trial
from triage.models.job import UNFINISHED_JOBS, JobState
from triage.models.proposal import DECIDED, ProposalState
from triage.models.trial import Move, Stage
from triage.outcomes import Trying
from triage.proposals import hold_proposals
from triage.trialreport import report
from triage.trialscope import STAGES, TrialScope
from triage.work import worker_name
from worlds.canonical import digest

PERMISSION = "triage.add_trial"
MOST_WAITING = 3
"""Proposals for one fault that wait for a decision, or are tried in full to that end."""
SHARED = 20
"""Environments up to which a trial is left to one worker."""
HOPELESS = "the probe shows that it mends nothing: no environment that shows the fault fares better"


class TrialRefused(ValueError):
    """No trial can be had of these proposals, as they stand."""


# Asking for one


def attempt(
    actor: Actor,
    proposals: Collection[Proposal],
    until: Stage = Stage.FULL,
    *,
    queue: bool = True,
    force: bool = False,
) -> Trial:
    """Ask for a trial of one proposal, or of several together; workers are told when the transaction commits. One that
    runs already and goes as far is returned; others of these proposals are cancelled. With `force` it goes on where the
    probe mends nothing. Raises PermissionDenied, TrialRefused and CandidateInvalid."""
    demand(actor, PERMISSION, "try proposals")
    with transaction.atomic():
        rows = _locked(actor, proposals)
        changes = changes_of(rows)
        stale = _made_stale(rows)
        if not stale:
            _demand_room(rows, until)
            trial = _running(actor, rows, digest(changes), until) or _made(
                actor, rows, changes, until, force=force
            )
            if queue:
                jobs.queue(trial)
    if stale:
        raise TrialRefused(stale)
    return trial


def _locked(actor: Actor, proposals: Collection[Proposal]) -> list[Proposal]:
    """The rows, nobody else's to change until the transaction ends. First their faults', in their order; and with
    those that are tried together with them, whose trial may end here."""
    wanted = {each.pk for each in proposals}
    visible = Proposal.objects.filter(pk__in=wanted, domain__in=visible_domains(actor).values("pk"))
    faults = Fault.objects.filter(proposals__in=visible).order_by("pk").values_list("pk", flat=True)
    list(Fault.objects.filter(pk__in=list(faults)).order_by("pk").select_for_update(no_key=True))
    hold_proposals(list(visible))
    rows = list(visible.order_by("pk"))
    if not wanted or len(rows) < len(wanted):
        lost = (
            ", ".join(str(pk) for pk in sorted(wanted - {row.pk for row in rows})) or "of no name"
        )
        raise TrialRefused(f"there is no proposal {lost}: nothing was tried")
    if decided := [row for row in rows if row.state in DECIDED]:
        raise TrialRefused(f"{decided[0]} is {decided[0].state} already: propose it anew to try it")
    if len({row.domain_id for row in rows}) > 1:
        raise TrialRefused(
            "these proposals are of several domains: try those of each domain together"
        )
    return rows


def _made_stale(rows: Sequence[Proposal]) -> str:
    """Mark those whose components moved on; what to say of it, or nothing."""
    found = {row: away for row in rows if (away := moved(changes_of([row])))}
    stale = Proposal.objects.filter(pk__in=[row.pk for row in found])
    stale.update(state=ProposalState.STALE)
    said = [
        f"{row} was written against a version of {away[0]} that is not the current one any more "
        f"(now v{away[0].current.number if away[0].current else '?'}): write it anew on that one"
        for row, away in found.items()
    ]
    return "; ".join(said)


def _demand_room(rows: Sequence[Proposal], until: Stage) -> None:
    """Refuse a fourth proposal of a fault; those of a joint trial wait already."""
    if until != Stage.FULL or len(rows) > 1 or rows[0].fault_id is None:
        return
    mine = rows[0]
    trying = Trial.objects.filter(state__in=UNFINISHED_JOBS, until=Stage.FULL)
    others = Proposal.objects.filter(fault=mine.fault_id).exclude(pk=mine.pk)
    waiting = others.filter(Q(state=ProposalState.WAITING) | Q(trials__in=trying)).distinct()
    named = [str(each) for each in waiting.order_by("pk")]
    if len(named) >= MOST_WAITING:
        raise TrialRefused(
            f"{', '.join(named[:-1])} and {named[-1]} wait for a decision on fault {mine.fault_id}: "
            f"decide on one of them, or defer it, before {mine} is tried in full"
        )


def _running(actor: Actor, rows: Sequence[Proposal], wanted: str, until: Stage) -> Trial | None:
    """The unfinished trial that will show what is asked for; all others of these proposals are cancelled."""
    found = None
    unfinished = Trial.objects.filter(state__in=UNFINISHED_JOBS, proposals__in=rows)
    for trial in unfinished.distinct().order_by("pk"):
        goes_as_far = STAGES.index(Stage(trial.until)) >= STAGES.index(until)
        if found is None and trial.digest == wanted and goes_as_far:
            found = trial
        else:
            with suppress(jobs.JobOver):  # it ended just now
                _cancelled(actor, trial)
    return found


def _made(
    actor: Actor, rows: Sequence[Proposal], changes: list[Changed], until: Stage, *, force: bool
) -> Trial:
    trial = Trial.objects.create(
        author=actor,
        changes=[dict(each) for each in changes],
        digest=digest(changes),
        until=until,
        is_forced=force,
    )
    trial.proposals.set(rows)
    Proposal.objects.filter(pk__in=[row.pk for row in rows]).update(state=ProposalState.TRYING)
    _audit(actor, "trial.create", trial, until=until, force=force)
    return trial


def cancel(actor: Actor, trial: Trial) -> None:
    """End a trial before its time; its proposals are drafts again, unless an earlier one went through all stages.
    Raises PermissionDenied and `triage.jobs.JobOver`."""
    demand(actor, PERMISSION, "cancel trials")
    with transaction.atomic():
        _cancelled(actor, trial)
        _audit(actor, "trial.cancel", trial)


def _cancelled(actor: Actor, trial: Trial) -> None:
    _keep(trial)
    jobs.cancel(actor, trial)
    settle(trial.proposals.all())


def _keep(trial: Trial) -> None:
    """Lock its proposals, always before itself: who concludes and who cancels never wait for each other."""
    rows = Proposal.objects.filter(trials=trial).order_by("pk").values_list("pk", flat=True)
    list(Proposal.objects.filter(pk__in=list(rows)).order_by("pk").select_for_update(no_key=True))


def _audit(actor: Actor, action: str, trial: Trial, **detail: object) -> None:
    rows = list(trial.proposals.select_related("domain").order_by("pk"))
    named = ", ".join(str(row) for row in rows)
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        domain=rows[0].domain,
        target=f"{trial} of {named}"[:300],
        detail={"digest": trial.digest, **detail},
    )


# Working on one


def work(held: Trial) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    trying = Trying(held, TrialScope.of(held))
    stages = STAGES[: STAGES.index(Stage(held.until)) + 1]
    for stage in stages:
        if stage in STAGES[: STAGES.index(Stage(held.stage)) + 1 if held.stage else 0]:
            continue
        yield from _run(trying, stage, len(trying.scope.of_stage(stages[-1])))
        stopped = HOPELESS if _is_hopeless(held, stage) else ""
        if stopped or stage == stages[-1]:
            with transaction.atomic():
                _keep(held)
                with jobs.finishing(held):
                    _conclude(held, stage, stopped)
            return
        jobs.note(held, stage=stage, report=dict(report(held)))


def _run(trying: Trying, stage: Stage, total: int) -> Iterator[tuple[int, int]]:
    held = trying.trial
    done = set(held.outcomes.values_list("environment", flat=True))
    left = [pk for pk in trying.scope.of_stage(stage) if pk not in done]
    for number, outcome in enumerate(trying.outcomes(stage, left), len(done) + 1):
        _demand_base(held)
        # Whoever lost the job to another one may still come here: then it is there.
        Outcome.objects.bulk_create([outcome], ignore_conflicts=True)
        yield number, max(total, number)


def look_ahead(trial: Trial, seconds: float) -> Iterator[str]:
    """Check environments of a trial that runs, from its end while whoever works on it comes from its start; yields
    their names. Results are shared by key: what is there already when its turn comes costs nothing. Harmless at any
    time, in any number."""
    began = time.monotonic()
    trying = Trying(trial, TrialScope.of(trial))
    asked = trying.scope.of_stage(Stage(trial.until))
    for pk in reversed(asked if len(asked) > SHARED else ()):
        is_running = Trial.objects.filter(pk=trial.pk, state=JobState.RUNNING).exists()
        if not is_running or trial.outcomes.filter(environment=pk).exists():
            return
        if time.monotonic() - began > seconds:
            return
        yield from trying.checked(pk)


def _demand_base(held: Trial) -> None:
    """Between one environment and the next, somebody may approve something."""
    if away := moved(_changes(held)):
        raise jobs.JobFailed(f"{away[0]} has moved on while {held} ran: write the proposal anew")


def _changes(trial: Trial) -> list[Changed]:
    return cast("list[Changed]", trial.changes)


def _is_hopeless(held: Trial, stage: Stage) -> bool:
    """Whether the probe speaks against going on: it ran where the fault shows, and mended nothing."""
    if stage != Stage.PROBE or held.is_forced or held.proposals.count() != 1:
        return False
    rows = list(held.outcomes.filter(stage=stage, is_affected=True))
    return bool(rows) and not any(
        row.is_cured or row.move in (Move.FIXED, Move.ERROR) for row in rows
    )


def _conclude(held: Trial, stage: Stage, stopped: str) -> None:
    """In the transaction that ends the job."""
    _demand_base(held)
    held.stage, held.report = stage, dict(report(held, stopped))
    held.save(update_fields=["stage", "report"])
    for row in held.proposals.filter(state=ProposalState.TRYING).order_by("pk"):
        row.state = ProposalState.FAILED if stopped else resting(row)
        row.save(update_fields=["state"])


def settle(proposals: models.QuerySet[Proposal] | None = None) -> None:
    """Put right where those stand that count as being tried although nothing runs any longer: a trial was cancelled,
    or its workers were lost. Harmless at any time."""
    rows = Proposal.objects.all() if proposals is None else proposals
    running = Trial.objects.filter(state__in=UNFINISHED_JOBS)
    left = rows.filter(state=ProposalState.TRYING).exclude(trials__in=running)
    for row in left.order_by("pk"):
        newest = row.trials.order_by("-pk").first()
        has_failed = newest is not None and newest.state == JobState.FAILED
        state = _after_failure(row) if has_failed else resting(row)
        Proposal.objects.filter(pk=row.pk, state=ProposalState.TRYING).update(state=state)


def _after_failure(proposal: Proposal) -> ProposalState:
    return ProposalState.STALE if proposal.moved() else ProposalState.FAILED


def run_inline(trial: Trial) -> Trial:
    """Work on a trial here and now, to its end; for commands and tests."""
    jobs.run(Trial, trial.pk, worker_name(), work)
    settle(trial.proposals.all())
    trial.refresh_from_db()
    return trial


__all__ = [
    "CandidateInvalid",
    "TrialRefused",
    "attempt",
    "cancel",
    "latest_trial",
    "proposal_digest",
    "run_inline",
    "settle",
    "work",
]
