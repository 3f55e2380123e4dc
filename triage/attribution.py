"""Attribution of one fault, thoroughly: coverage, and each suspect swapped alone."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from components.actor import Actor, demand
from triage import jobs
from triage.models import Attribution, Fault, Round


def attribute(actor: Actor, fault: Fault) -> Attribution:
    """Ask for it; workers are told when the transaction commits. Raises PermissionDenied."""
    demand(actor, "triage.add_attribution", "weigh suspects")
    with transaction.atomic():
        made = Attribution.objects.create(author=actor, fault=fault, round=_round(fault))
        jobs.queue(made)
    return made


def _round(fault: Fault) -> Round:
    if fault.last_round is None:
        raise ValueError(f"{fault} was seen in no round that is still there: run one")
    return fault.last_round


def work(held: Attribution) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    raise NotImplementedError
