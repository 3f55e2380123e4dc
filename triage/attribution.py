"""Attribution of one fault, thoroughly: coverage, and each suspect swapped alone."""

from __future__ import annotations

from collections.abc import Iterator

from components.actor import Actor
from triage.models import Attribution, Fault
from triage.standins import Sources

EVERYWHERE = Sources()


def attribute(actor: Actor, fault: Fault) -> Attribution:
    """Ask for it; workers are told when the transaction commits. Raises PermissionDenied."""
    raise NotImplementedError


def work(held: Attribution, sources: Sources = EVERYWHERE) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    raise NotImplementedError
