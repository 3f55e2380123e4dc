"""Cancelling a round: what waits is not checked any more, what was found out stays.

A check that runs is cancelled too, and what its worker brings later is refused, as a late finisher's is
(`triage.claims`). So the round is over, and its numbers stand, the moment the cancellation is committed: nobody
waits for a check that hangs, or for the lease of a worker that is gone. It costs at most one check a process.
"""

from __future__ import annotations

from collections import defaultdict

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count
from django.db.models.functions import Now

from components.actor import Actor, visible_domains
from components.models import AuditEntry, Domain
from triage.models import Check, Round
from triage.models.check import State

PERMISSION = "triage.add_round"


class RoundOver(ValueError):
    """The round is finished or cancelled already."""


def may_cancel(actor: Actor, made: Round) -> bool:
    """Whether `actor` started the round, or may run rounds and see every domain of this one."""
    if actor is None or (actor.is_active and actor.pk == made.author_id):
        return True
    # Not `made.domains`: those may have been fetched for a page, the visible ones alone.
    domains = Domain.objects.filter(rounds=made)
    hidden = domains.exclude(pk__in=visible_domains(actor).values("pk"))
    return actor.has_perm(PERMISSION) and not hidden.exists()


def cancel(actor: Actor, made: Round) -> int:
    """End a round; returns how many of its checks were cancelled. Brings `made` up to date.

    Raises PermissionDenied and RoundOver.
    """
    _demand(actor, made)
    with transaction.atomic():
        row = Round.objects.select_for_update().get(pk=made.pk)
        # Locked in the order of their keys: others who lock several never wait for us while we wait for them.
        unfinished = Check.objects.unfinished().filter(round=row).order_by("pk")
        caught = list(unfinished.select_for_update().values_list("pk", flat=True))
        if row.finished or not caught:
            raise RoundOver(_over(row))
        Check.objects.filter(pk__in=caught).update(
            state=State.CANCELLED, finished=Now(), lease_until=None
        )
        Round.objects.filter(pk=row.pk).update(cancelled=Now(), cancelled_by=actor, finished=Now())
        _audit(actor, row)
    made.refresh_from_db()
    return len(caught)


def _demand(actor: Actor, made: Round) -> None:
    if not may_cancel(actor, made):
        name = actor.get_username() if actor else ""
        raise PermissionDenied(
            f"{name} may not cancel {made}: that is for who started it, and for who may run rounds "
            f"(the permission {PERMISSION}) over all of its domains"
        )


def _over(row: Round) -> str:
    if row.cancelled:
        return f"{row} was cancelled before: there is nothing left to cancel"
    return f"{row} is finished: there is nothing left to cancel"


def _audit(actor: Actor, row: Round) -> None:
    """One entry a domain, with how its checks ended: readers of one see nothing of the others."""
    states = Check.objects.filter(round=row).order_by().values_list("environment__domain", "state")
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for domain, state, count in states.annotate(n=Count("pk")):
        counts[domain][state] = count
    AuditEntry.objects.bulk_create(
        AuditEntry(
            actor=actor,
            action="round.cancel",
            domain=domain,
            target=str(row),
            detail=counts[domain.pk],
        )
        for domain in row.domains.all()
    )
