"""Which of a fault's proposals is to be looked at first, and why each stands where it does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from triage.candidates import changed
from triage.models import Change, Fault, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.trialreport import Rank, rank_of
from worlds.canonical import digest
from worlds.counted import counted

RANKED = (ProposalState.WAITING, ProposalState.DEFERRED)
"""What can still be approved as it is."""


@dataclass(frozen=True)
class Place:
    """Where a proposal stands among those of its fault that were tried in full."""

    proposal: Proposal
    trial: Trial
    number: int
    """From 1."""
    rank: Rank
    because: str = ""
    """What puts it below the one before; empty for the first."""


def places(faults: Collection[Fault]) -> dict[int, list[Place]]:
    """Fault (id) → its proposals that can be approved as they are, the best first; three queries."""
    rows = Proposal.objects.filter(fault__in=faults, state__in=RANKED).order_by("pk")
    waiting = {row.pk: row for row in rows}
    found: dict[int, list[tuple[Rank, Proposal, Trial]]] = defaultdict(list)
    for pk, trial in _trials(waiting).items():
        row = waiting[pk]
        if row.fault_id is not None and trial.stage == Stage.FULL:
            found[row.fault_id].append((rank_of(trial, [row]), row, trial))
    return {fault: _placed(sorted(mine, key=lambda one: one[0])) for fault, mine in found.items()}


def place_of(proposal: Proposal) -> Place | None:
    """Where a proposal stands among those of its fault; None = it cannot be approved as it is, or is for no fault."""
    mine = rivals(proposal)
    return next((one for one in mine if one.proposal.pk == proposal.pk), None)


def rivals(proposal: Proposal) -> list[Place]:
    """It and the others of its fault that can be approved as they are, the best first."""
    if proposal.fault is None:
        return []
    return places([proposal.fault]).get(proposal.fault.pk, [])


def _placed(ranked: list[tuple[Rank, Proposal, Trial]]) -> list[Place]:
    made: list[Place] = []
    for number, (rank, row, trial) in enumerate(ranked, 1):
        because = below(made[-1].rank, rank) if made else ""
        made.append(Place(row, trial, number, rank, because))
    return made


def below(better: Rank, worse: Rank) -> str:
    """The first thing by which one ranks below another, as a sentence about the one below."""
    for name in Rank._fields:
        mine, theirs = getattr(worse, name), getattr(better, name)
        if mine != theirs:
            return WORDS[name](mine, theirs)
    return ""


WORDS: Mapping[str, Callable[[Any, Any], str]] = {
    "is_feared": lambda *_: "it weakens a verifier or redefines a task",
    "is_uncited": lambda *_: "it cites no authority",
    "has_regressed": lambda *_: "it breaks environments that work",
    "held_out_fixed": lambda mine, theirs: f"of the held-out half it fixes {-mine}, not {-theirs}",
    "fixed": lambda mine, theirs: f"it fixes {counted(-mine, 'environment')}, not {-theirs}",
    "cured": lambda mine, theirs: (
        f"it cures {counted(-mine, 'environment')} of the fault, not {-theirs}"
    ),
    "likelihood": lambda mine, theirs: (
        f"it is thought less likely to be the right edit: {-mine:.0%}, not {-theirs:.0%}"
    ),
    "edit_size": lambda mine, theirs: f"its edit is larger: {counted(mine, 'line')}, not {theirs}",
    "trial": lambda *_: "it was tried later, and is as good in all else",
}
"""What is compared (`Rank`) → why one is below another."""


def _trials(rows: Mapping[int, Proposal]) -> dict[int, Trial]:
    """Proposal → the newest trial that is done of what it would change now, as `latest_trial`; two queries."""
    said: dict[int, list[Any]] = defaultdict(list)
    changes = Change.objects.filter(proposal__in=rows).select_related("base")
    for change in changes.order_by("component_id"):
        said[change.proposal_id].append(changed(change))
    wanted = {pk: digest(mine) for pk, mine in said.items()}
    links = Trial.proposals.through.objects.filter(
        proposal__in=rows, trial__state=JobState.DONE, trial__digest__in=set(wanted.values())
    )
    return {
        link.proposal_id: link.trial
        for link in links.select_related("trial").order_by("trial_id")
        if link.trial.digest == wanted.get(link.proposal_id)
    }
