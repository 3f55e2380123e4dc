"""Trials of candidates: probe, sample, full."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from django.db import transaction

from components.actor import Actor, demand
from triage import jobs
from triage.models import Change, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from worlds.canonical import digest


def attempt(
    actor: Actor, proposals: Collection[Proposal], until: Stage = Stage.FULL, *, queue: bool = True
) -> Trial:
    """Ask for a trial of one proposal, or of several together; workers are told when the transaction commits."""
    demand(actor, "triage.add_trial", "try a proposal")
    with transaction.atomic():
        found = Change.objects.filter(proposal__in=proposals).select_related("base")
        changes = [
            {
                "component": one.component_id,
                "base": one.base_id,
                "base_body": one.base.body_id,
                "body": one.body_id,
            }
            for one in found.order_by("component")
        ]
        row = Trial.objects.create(
            author=actor, changes=changes, digest=digest(changes), until=until
        )
        row.proposals.set(proposals)
        trying = Proposal.objects.filter(pk__in=[one.pk for one in proposals])
        trying.update(state=ProposalState.TRYING)
        if queue:
            jobs.queue(row)
    return row


def latest_trial(proposal: Proposal) -> Trial | None:
    """The newest trial that is done and speaks for the proposal as it is now."""
    rows = proposal.changes.values_list("component", "base", "body")
    for trial in proposal.trials.filter(state=JobState.DONE).order_by("-pk"):
        tried = {(one["component"], one["base"], one["body"]) for one in trial.changes}
        if tried == set(rows):
            return trial
    return None


def work(held: Trial) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    raise NotImplementedError
