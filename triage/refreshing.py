"""Stale proposals brought up to date: the same change, against what the components say now."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db import transaction

from components.actor import Actor, demand
from components.models import Version
from components.versions import keep
from triage.merging import merged
from triage.models import Change, Proposal
from triage.proposalfiles import read, text_of, text_of_body
from triage.proposals import CHANGE, ProposalInvalid, locked, rewrite
from worlds.body import Body
from worlds.source import LibraryInvalid

LONGEST = 400_000
"""Characters of a text that is merged: of a longer one, comparing the lines takes too long."""


@dataclass
class Refreshed:
    """What became of a proposal's changes, each in a sentence."""

    proposal: Proposal
    merged: list[str] = field(default_factory=list)
    """With what others changed meanwhile."""
    kept: list[str] = field(default_factory=list)
    """As they were, so that they would undo that."""
    dropped: list[str] = field(default_factory=list)
    """Which the components say by now."""


def refresh(actor: Actor, proposal: Proposal) -> Refreshed:
    """Set the changes whose components moved against what is current: a draft again, to be tried anew.

    Where the lines that others changed lie apart from the proposal's, it has both; else it stays as it is.
    Raises PermissionDenied, ProposalInvalid and AlreadyDecided.
    """
    demand(actor, CHANGE, "edit proposals")
    with transaction.atomic():
        row = locked(actor, proposal, None)
        told = Refreshed(row)
        moved = row.moved()
        if not moved:
            raise ProposalInvalid(f"{row} is against what its components say now: try it")
        for change in moved:
            _refresh_one(change, told)
        if not row.changes.exists():
            raise ProposalInvalid(f"what {row} says, its components say by now: reject it")
        rewrite(actor, row, is_draft=True, action="proposal.refresh")
    return told


def _refresh_one(change: Change, told: Refreshed) -> None:
    component, now = change.component, change.component.current
    if now is None:
        raise ProposalInvalid(f"{component} says nothing any longer: reject {told.proposal}")
    made = _merged(change, now)
    digest = made.digest if made else change.body_id
    if digest == now.body_id:
        told.dropped.append(f"{now} says it already")
        change.delete()
        return
    if made:
        change.body = keep(made)
        told.merged.append(f"{component} has what {_whose(now)} changed, and the proposal's change")
    else:
        told.kept.append(
            f"{component} is as it was proposed: it would undo what {_whose(now)} changed in the same lines"
        )
    change.base = now
    change.save()


def _merged(change: Change, now: Version) -> Body | None:
    """What the component would say with both changes; None where they cannot be told apart."""
    component = change.component
    ours = text_of_body(component, change.body.parsed())
    texts = (text_of(change.base), ours, text_of(now))
    if max(map(len, texts)) > LONGEST:
        return None
    text = merged(*texts)
    try:
        body: Body | None = None if text is None else read(component, text).body
    except LibraryInvalid:
        return None
    return body


def _whose(now: Version) -> str:
    return f"v{now.number} (by {now.author.get_username() if now.author else 'the command line'})"
