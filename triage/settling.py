"""Where faults stand after a round: told from the newest checks of environments, round by round."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import Count, Q

from components.models import Domain
from triage.models import Fault, Round
from triage.models.fault import FaultStatus
from triage.sightings import showing

COLUMNS = ("environments", "is_blocking", "fixed_round", "status")

Shown = Mapping[int, tuple[int, bool]]
"""Fault → how many environments show it, and whether any is broken by it."""


def settle(made: Round, domain: Domain) -> None:
    """Bring the faults of a domain up to date with a round that is being gathered, and with the later ones that were
    gathered before it."""
    rounds = Round.objects.filter(domains=domain, pk__gt=made.pk).exclude(gathered=None)
    later = list(rounds.order_by("pk").values_list("pk", flat=True))
    faults = list(Fault.objects.filter(domain=domain).order_by("pk"))
    before = {fault.pk: _columns(fault) for fault in faults}
    for fault in faults:
        if (fault.fixed_round_id or 0) >= made.pk:
            fault.fixed_round_id = None  # that was said without this round: say it again
    for at in (made.pk, *later):
        shown = _shown(made, domain, at)
        for fault in faults:
            if (fault.first_round_id or 0) <= at:
                _step(fault, at, shown)
    for fault in faults:
        fault.status = status_of(fault)
    moved = [fault for fault in faults if _columns(fault) != before[fault.pk]]
    Fault.objects.bulk_update(moved, COLUMNS, batch_size=1000)


def status_of(fault: Fault, *, is_archived: bool | None = None) -> FaultStatus:
    """Its status by the rounds in which it was seen and found fixed; an archived one stays so unless that is said."""
    if (fault.status == FaultStatus.ARCHIVED) if is_archived is None else is_archived:
        return FaultStatus.ARCHIVED
    if _is_fixed(fault):
        return FaultStatus.FIXED
    if fault.fixed_round_id:
        return FaultStatus.REGRESSED
    is_new = fault.first_round_id == fault.last_round_id
    return FaultStatus.NEW if is_new else FaultStatus.ONGOING


def _is_fixed(fault: Fault, at: int | None = None) -> bool:
    """Whether nothing showed it after it was seen last; with `at`, as it was in that round."""
    last = fault.last_round_id or 0
    return (fault.fixed_round_id or 0) > (last if at is None else min(last, at))


def _step(fault: Fault, at: int, shown: Shown) -> None:
    """What one round makes of it. While nothing shows it, it keeps how many environments did last, for people to
    see; an archived one does not, as its status does not tell."""
    if fault.pk in shown:
        fault.environments, fault.is_blocking = shown[fault.pk]
        return
    if not _is_fixed(fault, at):
        fault.fixed_round_id = at
    if fault.status == FaultStatus.ARCHIVED:
        fault.environments = 0


def _shown(made: Round, domain: Domain, at: int) -> Shown:
    counts = showing(at, besides=made).filter(fault__domain=domain).values_list("fault")
    rows = counts.annotate(
        environments=Count("pk"), blocking=Count("pk", filter=Q(is_blocking=True))
    )
    return {fault: (count, blocking > 0) for fault, count, blocking in rows}


def _columns(fault: Fault) -> tuple[object, ...]:
    return tuple(getattr(fault, name) for name in (*COLUMNS[:2], "fixed_round_id", "status"))
