"""Repairs of one fault by itself: proposers look at half of the environments that show it, what they say is tried there,
and the best of it is proposed and goes on trial on all that uses the components."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from components.actor import Actor, demand
from components.models import AuditEntry
from triage import jobs
from triage.models import Fault, Proposal, Repair, Round
from triage.models.fault import FaultQuerySet
from triage.models.job import UNFINISHED_JOBS
from triage.standins import Sources
from triage.work import worker_name

PERMISSION = "triage.add_repair"
SECONDS = 30.0
"""That the search for one fault may take, unless somebody says otherwise."""
MOST_SECONDS = 600.0


class RepairRefused(ValueError):
    """No repair of this fault can be searched for, as it stands."""


def repair(
    actor: Actor,
    fault: Fault,
    *,
    sources: Sources | None = None,
    seconds: float = SECONDS,
    queue: bool = True,
) -> Repair:
    """Ask for a search; workers are told when the transaction commits. Where one waits or runs already, it is that
    one. Raises PermissionDenied and RepairRefused."""
    demand(actor, PERMISSION, "have repairs proposed")
    if not 0 < seconds <= MOST_SECONDS:
        raise RepairRefused(f"{seconds:g} seconds: give a number up to {MOST_SECONDS:g}")
    sources = sources or Sources()
    with transaction.atomic():
        fault = Fault.objects.select_for_update(of=("self",)).get(pk=fault.pk)
        if fault.last_round is None:
            raise RepairRefused(f"no round that is kept shows {fault}: run one first")
        running = fault.repairs.filter(state__in=UNFINISHED_JOBS).first()
        if running is not None:
            return running
        made = Repair.objects.create(
            fault=fault,
            author=actor,
            seconds=seconds,
            takes_back=sources.parents,
            borrows=sources.siblings,
        )
        _audit(actor, "fault.repair", made)
        if queue:
            jobs.queue(made)
    return made


def cancel(actor: Actor, held: Repair) -> None:
    """End it before its time; what it proposed stays. Raises PermissionDenied and `triage.jobs.JobOver`."""
    demand(actor, PERMISSION, "cancel the search for repairs")
    with transaction.atomic():
        jobs.cancel(actor, held)
        _audit(actor, "repair.cancel", held)


def _audit(actor: Actor, action: str, held: Repair) -> None:
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        domain=held.fault.domain,
        target=str(held.fault),
        detail={"repair": held.pk, "seconds": held.seconds},
    )


def work(held: Repair) -> Iterator[tuple[int, int]]:
    """As `triage.jobs.Work`."""
    yield 0, 0


def run_inline(held: Repair) -> Repair:
    """Search here and now, and try what it proposes to the end; for commands and tests."""
    jobs.run(Repair, held.pk, worker_name(), work)
    held.refresh_from_db()
    return held


# By itself, after a round


AFTER_ROUNDS = "after-rounds"
"""What `ENVCURATE_PROPOSE` says where repairs are searched for by themselves."""


def wanting(faults: FaultQuerySet) -> FaultQuerySet:
    """Of these the open ones for which nothing is proposed that is not decided, and for which no search waits or
    runs."""
    proposals = Proposal.objects.undecided().filter(fault=OuterRef("pk")).order_by()
    running = Repair.objects.filter(fault=OuterRef("pk"), state__in=UNFINISHED_JOBS).order_by()
    return faults.open().exclude(Exists(proposals)).exclude(Exists(running))


def after_round(made: Round) -> list[Repair]:
    """Where the installation wants it, a search for each blocking fault that a gathered round showed last and for which
    nothing is proposed. Harmless when repeated: for what was searched since, nobody searches again."""
    if settings.ENVCURATE_PROPOSE != AFTER_ROUNDS or made.gathered is None:
        return []
    seen = wanting(Fault.objects.filter(last_round=made, is_blocking=True))
    since = Repair.objects.filter(fault=OuterRef("pk"), created__gte=made.gathered).order_by()
    due = seen.exclude(Exists(since)).order_by("-environments", "pk")
    return [asked for pk in list(due.values_list("pk", flat=True)) if (asked := _ask_once(due, pk))]


def _ask_once(due: FaultQuerySet, pk: int) -> Repair | None:
    """Several workers may close a round: whoever holds the fault first asks."""
    with transaction.atomic():
        held = due.filter(pk=pk).select_for_update(of=("self",), skip_locked=True).first()
        return None if held is None else repair(None, held)
