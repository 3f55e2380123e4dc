"""Trials of candidates: probe, sample, full."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from components.actor import Actor
from triage.models import Proposal, Trial
from triage.models.trial import Stage


def attempt(
    actor: Actor, proposals: Collection[Proposal], until: Stage = Stage.FULL, *, queue: bool = True
) -> Trial:
    """Ask for a trial of one proposal, or of several together; workers are told when the transaction commits."""
    raise NotImplementedError


def work(held: Trial) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    raise NotImplementedError


def latest_trial(proposal: Proposal) -> Trial | None:
    """The newest trial of it alone."""
    return proposal.trials.first()
