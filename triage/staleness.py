"""Proposals whose components moved on: they are to be tried again on what there is now."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import F

from components.actor import Actor
from components.versions import Moved
from triage.models import Change, Proposal
from triage.models.proposal import ProposalState
from triage.proposals import cancel_trials, hold_proposals, note

Read = tuple[Proposal, int]
"""A proposal, and the revision that was read."""


class Stale(ValueError):
    """A component says something else by now: nothing was approved, and the proposal is to be tried anew."""


def hold_with_rivals(proposals: Collection[Proposal]) -> None:
    """Lock proposals with the undecided ones that would change the same components, which their approval makes stale:
    all in the order of their keys, as who tries some of them together does."""
    touched = Change.objects.filter(proposal__in=proposals).values("component")
    rivals = Proposal.objects.undecided().filter(changes__component__in=touched).distinct()
    hold_proposals([*proposals, *rivals])


def outdate(actor: Actor, approved: Collection[Proposal]) -> None:
    """Mark the other proposals stale whose base is current no longer. Call it in the approval's transaction."""
    moved = Change.objects.filter(proposal__in=approved).values("component")
    behind = Change.objects.filter(component__in=moved).exclude(base=F("component__current"))
    others = Proposal.objects.undecided().filter(pk__in=behind.values("proposal"))
    others = others.exclude(pk__in=[row.pk for row in approved])
    hold_proposals(others)
    for row in others.order_by("pk"):
        _mark(actor, row, ", ".join(map(str, approved)))


def stale(actor: Actor, read: Sequence[Read], moved: Moved) -> Stale:
    """Mark those proposals stale of which a component moved; the error that says who moved it, to what, when."""
    told = str(moved)
    with transaction.atomic(durable=True):
        hold_proposals([one for one, _ in read])
        for proposal, revision in read:
            row = Proposal.objects.get(pk=proposal.pk)
            if row.is_decided or row.revision != revision or not (changes := row.moved()):
                continue
            _mark(actor, row, str(moved.component))
            told = f"{row} is stale: {'; '.join(map(_moved, changes))}"
    return Stale(f"{told}. Nothing was approved: refresh it, and try it again")


def _mark(actor: Actor, row: Proposal, because: str) -> None:
    if row.state == ProposalState.STALE:
        return
    cancel_trials(actor, row)
    Proposal.objects.filter(pk=row.pk).update(state=ProposalState.STALE)
    note(actor, row, "proposal.stale", revision=row.revision, because=because)


def _moved(change: Change) -> str:
    now = change.component.current
    if now is None:
        return f"{change.component} says nothing any longer"
    who = now.author.get_username() if now.author else "the command line"
    return (
        f"{who} moved {change.component} from v{change.base.number} to v{now.number} at "
        f"{now.created:%Y-%m-%d %H:%M} UTC ({now.source})"
    )
