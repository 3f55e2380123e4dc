"""Trials of candidates: probe, sample, full."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from components.actor import Actor
from triage.models import Proposal, Trial
from triage.models.job import JobState
from triage.models.trial import Stage


def attempt(
    actor: Actor, proposals: Collection[Proposal], until: Stage = Stage.FULL, *, queue: bool = True
) -> Trial:
    """Ask for a trial of one proposal, or of several together; workers are told when the transaction commits."""
    raise NotImplementedError


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
