"""Attribution of one fault, thoroughly: coverage, and each suspect swapped alone."""

from __future__ import annotations

from collections.abc import Iterator

from components.actor import Actor, demand
from triage import jobs
from triage.models import Attribution, Fault, Round


def attribute(actor: Actor, fault: Fault) -> Attribution:
    """Ask for it; workers are told when the transaction commits. Raises PermissionDenied."""
    demand(actor, "triage.add_attribution", "weigh suspects")
    made = Attribution.objects.create(
        fault=fault, round=fault.last_round or Round.objects.latest("pk"), author=actor
    )
    jobs.queue(made)
    return made


def work(held: Attribution) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    raise NotImplementedError
