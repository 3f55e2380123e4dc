"""Deciding on proposals: one transaction each, so that of several who decide at once one does, and the others are told.

Whoever decides holds the domain first (`components.versions.hold`), then the proposal, then its components.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db import transaction

from components.actor import Actor, demand, visible_domains
from components.models import Version
from components.models.body import Kind
from components.versions import Moved, adopt, hold
from triage.models import Change, Fault, Finding, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.patches import demand_none, patches_of
from triage.proposals import (
    REVIEW,
    AlreadyDecided,
    Conflict,
    ProposalInvalid,
    end,
    locked,
    note,
    text,
)
from triage.staleness import Read, Stale, hold_with_rivals, outdate, stale
from triage.trialreport import rank_key
from triage.trials import latest_trial
from triage.trialscope import TrialScope
from worlds.counted import counted

TRIED = (ProposalState.WAITING, ProposalState.DEFERRED)
"""In which a proposal may be approved."""
JUDGED = {Kind.RECORDS, Kind.TOOLSERVER}
"""What environments judge; the other kinds judge, and only a person changes those."""


class Untried(ProposalInvalid):
    """No trial of all that uses the components speaks for the proposal as it is."""


class OverrideNeeded(ProposalInvalid):
    """Something stands against the proposal, and nobody said why it is to be approved in spite of it."""

    def __init__(self, proposals: str, objections: Sequence[str]) -> None:
        self.objections = list(objections)
        super().__init__(
            f"{proposals}: {'; '.join(self.objections)}. To approve it in spite of that, say why (override)"
        )


def approve(
    actor: Actor, proposal: Proposal, revision: int, comment: str = "", override: str = ""
) -> list[Version]:
    """Make what a proposal says current; the new versions, in the order of the components' keys.

    Raises PermissionDenied, ProposalInvalid (Untried, OverrideNeeded), Conflict, AlreadyDecided, and Stale: then the
    proposal is marked so, and nothing else was written.
    """
    versions = _approve_all(actor, [(proposal, revision)], None, comment, override)
    return versions[proposal.pk]


def approve_many(
    actor: Actor, read: Sequence[Read], trial: Trial, comment: str = "", override: str = ""
) -> dict[int, list[Version]]:
    """Approve proposals that a joint trial tried together, all of them or none; proposal (id) → its new versions.

    Raises as `approve`.
    """
    if not read or len({one.pk for one, _ in read}) < len(read):
        raise ProposalInvalid("name each of the proposals to be approved together, once")
    return _approve_all(actor, read, trial, comment, override)


def reject(actor: Actor, proposal: Proposal, revision: int, reason: str) -> Proposal:
    """Turn a proposal down for good. Raises PermissionDenied, ProposalInvalid, Conflict and AlreadyDecided."""
    demand(actor, REVIEW, "reject proposals")
    if not (said := text(reason)):
        raise ProposalInvalid(f"{proposal} is rejected with a reason: say why it is wrong")
    with transaction.atomic():
        row = locked(actor, proposal, revision)
        end(actor, row, ProposalState.REJECTED, said)
        note(actor, row, "proposal.reject", revision=row.revision, reason=said)
    return row


def defer(actor: Actor, proposal: Proposal, revision: int, comment: str = "") -> Proposal:
    """Leave a tried proposal for later; it can be approved as before.

    Raises PermissionDenied, ProposalInvalid, Conflict and AlreadyDecided.
    """
    demand(actor, REVIEW, "defer proposals")
    with transaction.atomic():
        row = locked(actor, proposal, revision)
        if row.state not in TRIED:
            raise ProposalInvalid(
                f"{row} is {row.state}: only one that waits for review is deferred"
            )
        end(actor, row, ProposalState.DEFERRED, text(comment))
        note(actor, row, "proposal.defer", revision=row.revision, comment=row.comment)
    return row


def objections(proposals: Iterable[Proposal], trial: Trial) -> list[str]:
    """What stands against approving them: why an override is demanded."""
    report = trial.report
    found = []
    if number := report.get("regressed"):
        found.append(f"its trial shows {counted(number, 'environment')} that it breaks")
    if number := report.get("errors"):
        found.append(f"its trial could say nothing of {counted(number, 'environment')}")
    if number := TrialScope.unseen(trial):
        found.append(f"{counted(number, 'environment')} came since, and its trial did not run them")
    if report.get("weakens"):
        found.append("it weakens a verifier: a wrong episode would be accepted")
    if report.get("redefines"):
        found.append("it redefines a task: instruction, binding or expected effect change")
    given = [str(one) for row in proposals for one in row.given_components()]
    if given:
        found.append(f"{', '.join(given)} is given: it mirrors something outside")
    return found


def best_of(fault: Fault) -> Proposal | None:
    """The one of a fault's proposals that waits for review and ranks first; None without one."""
    return next(iter(ranked(fault)), None)


@dataclass(frozen=True)
class Automatic:
    """What came of a fault's best proposal that nothing stands against."""

    fault: Fault
    proposal: Proposal
    versions: list[Version] = field(default_factory=list)
    refused: str = ""
    """Why it was not approved after all: somebody came first."""


def auto(actor: Actor) -> list[Automatic]:
    """Approve of each open fault the best proposal that mends something, has no regression, weakening or drift, and
    changes tool servers, records and plans alone, nothing given and no source outside. Raises PermissionDenied."""
    demand(actor, REVIEW, "approve proposals")
    faults = Fault.objects.open().filter(domain__in=visible_domains(actor))
    made = []
    for fault in faults:
        chosen = next(filter(is_harmless, ranked(fault)), None)
        if chosen is None:
            continue
        try:
            versions = approve(
                actor, chosen, chosen.revision, "approved by itself: nothing stands against it"
            )
            made.append(Automatic(fault, chosen, versions))
        except (AlreadyDecided, Conflict, ProposalInvalid, Stale) as error:
            made.append(Automatic(fault, chosen, refused=str(error)))
    return made


def is_harmless(row: Proposal) -> bool:
    """Whether nothing stands against a tried proposal that mends something, and it changes only what environments
    judge: then it may be approved by itself."""
    trial = latest_trial(row)
    changes = row.changes.select_related("component", "base__body", "body")
    if trial is None or not all(map(_is_judged, changes)) or patches_of([row]):
        return False
    if not trial.report["fixed"] or trial.report["errors"]:
        return False
    return not objections([row], trial)


def _is_judged(change: Change) -> bool:
    """Whether it changes only what environments judge; of an intent, the ways that are known to its goal."""
    if change.component.kind != Kind.INTENT:
        return change.component.kind in JUDGED
    before, after = change.base.body.parsed(), change.body.parsed()
    return before.model_copy(update={"plans": {}}) == after.model_copy(update={"plans": {}})


def ranked(fault: Fault) -> list[Proposal]:
    """Those that were tried in full, the best first."""
    waiting = fault.proposals.filter(state=ProposalState.WAITING).order_by("pk")
    trials = {row: latest_trial(row) for row in waiting}
    full = {row: trial for row, trial in trials.items() if trial and trial.stage == Stage.FULL}
    return sorted(full, key=lambda row: rank_key(full[row]))


def _approve_all(
    actor: Actor, read: Sequence[Read], joint: Trial | None, comment: str, override: str
) -> dict[int, list[Version]]:
    demand(actor, REVIEW, "approve proposals")
    ordered = sorted(read, key=lambda one: one[0].pk)
    comment, override = text(comment), text(override)
    try:
        with transaction.atomic(durable=True):
            # Loads and other approvals of the domains come before or after, never between.
            hold({one.domain_id for one, _ in ordered})
            hold_with_rivals([one for one, _ in ordered])
            rows = [_tried(locked(actor, one, revision)) for one, revision in ordered]
            demand_none(rows)
            trial = _trial_of(rows[0]) if joint is None else _joint(rows, joint)
            if (against := objections(rows, trial)) and not override:
                raise OverrideNeeded(_named(rows), against)
            made = _adopted(actor, rows)
            for row in rows:
                row.override = override if against else ""
                _decide(actor, row, made[row.pk], trial, comment)
            outdate(actor, rows)
    except Moved as moved:
        raise stale(actor, ordered, moved) from moved
    return made


def _named(rows: Sequence[Proposal]) -> str:
    return ", ".join(map(str, rows))


def _tried(row: Proposal) -> Proposal:
    if row.state in TRIED:
        return row
    if moved := row.moved():
        raise Moved(moved[0].component, moved[0].component.current)
    raise Untried(f"{row} is {row.state}, not waiting for review: try it on all that uses it first")


def _trial_of(row: Proposal) -> Trial:
    trial = latest_trial(row)
    if trial is None or trial.stage != Stage.FULL:
        raise Untried(f"no full trial speaks for {row} as it is (revision {row.revision}): try it")
    return trial


def _joint(rows: Sequence[Proposal], joint: Trial) -> Trial:
    """The trial as it is now, if it is of exactly these proposals as they are."""
    trial = Trial.objects.get(pk=joint.pk)
    if trial.state != JobState.DONE or trial.stage != Stage.FULL:
        raise Untried(f"{trial} is {trial.state or 'not done'}: a full joint trial comes first")
    tried = set(trial.proposals.values_list("pk", flat=True))
    if tried != {row.pk for row in rows}:
        raise Untried(f"{trial} is not of {_named(rows)} together: try exactly these jointly")
    changes = Change.objects.filter(proposal__in=rows).values_list("component", "base", "body")
    said = sorted((one["component"], one["base"], one["body"]) for one in trial.changes)
    if said != sorted(changes):
        raise Untried(f"{trial} is of what {_named(rows)} said before: try them jointly again")
    return trial


def _adopted(actor: Actor, rows: Sequence[Proposal]) -> dict[int, list[Version]]:
    """New versions by proposal; raises Moved."""
    changes = Change.objects.filter(proposal__in=rows).order_by("component_id")
    made: dict[int, list[Version]] = {row.pk: [] for row in rows}
    for change in changes.select_related("component__domain", "base", "proposal"):
        version = adopt(
            change.component,
            change.base,
            change.body_id,
            actor,
            change.proposal.title,
            str(change.proposal),
        )
        Change.objects.filter(pk=change.pk).update(version=version)
        made[change.proposal_id].append(version)
    return made


def _decide(
    actor: Actor, row: Proposal, versions: Sequence[Version], trial: Trial, comment: str
) -> None:
    end(actor, row, ProposalState.APPROVED, comment)
    note(
        actor,
        row,
        "proposal.approve",
        revision=row.revision,
        trial=trial.pk,
        versions=[version.pk for version in versions],
        comment=comment,
        **({"override": row.override} if row.override else {}),
    )
    for version in versions:
        # What the trial found of a body that no version had, is of this one.
        Finding.objects.filter(
            component=version.component_id,
            version=None,
            result__in=trial.outcomes.exclude(after=None).values("after"),
        ).update(version=version)
