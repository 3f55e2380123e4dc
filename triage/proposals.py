"""Proposals as people write them: made, edited and taken back; deciding on them is `triage.review`'s.

A proposal is changed only by who holds its row, says which revision was read, and finds that it is still the one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from components.actor import Actor, demand, visible_domains
from components.models import AuditEntry, Component, Domain
from components.versions import keep
from triage.candidates import resting
from triage.jobs import cancel
from triage.models import Change, Fault, Proposal, Trial
from triage.models.job import UNFINISHED_JOBS
from triage.models.proposal import MOST_CHANGES, ProposalState
from triage.results import storable
from worlds.body import Body

ADD, CHANGE, REVIEW = "triage.add_proposal", "triage.change_proposal", "triage.review_proposal"
LONGEST_TITLE = 300
LONGEST = 20_000
"""Characters of a reason, an authority or a comment."""

Said = tuple[Component, Body]
"""A component, and what it would say."""


class ProposalInvalid(ValueError):
    """What was asked for cannot be proposed, or cannot be done with this proposal."""


class Conflict(ValueError):
    """Somebody else edited the proposal meanwhile."""


class AlreadyDecided(ValueError):
    """Somebody approved or rejected the proposal before."""


def propose(
    actor: Actor,
    domain: Domain,
    changes: Sequence[Said],
    title: str,
    reason: str = "",
    authority: str = "",
    fault: Fault | None = None,
) -> Proposal:
    """A draft that would make one to three components of a domain say something else, against their current versions.

    Raises PermissionDenied and ProposalInvalid.
    """
    demand(actor, ADD, "propose repairs")
    _demand_visible(actor, domain, f"there is no domain {domain}")
    if fault is not None and fault.domain_id != domain.pk:
        raise ProposalInvalid(f"{fault} is not of the domain {domain}: propose for one that is")
    words = {"title": _title(title), "reason": text(reason), "authority": text(authority)}
    with transaction.atomic():
        made = Proposal.objects.create(domain=domain, fault=fault, author=actor, **words)
        _write(made, changes)
        note(actor, made, "proposal.create", **_told(made))
    return made


def edit(
    actor: Actor,
    proposal: Proposal,
    revision: int,
    *,
    changes: Sequence[Said] | None = None,
    title: str | None = None,
    reason: str | None = None,
    authority: str | None = None,
) -> Proposal:
    """The proposal with other words, and where `changes` are given with those instead, against what is current now:
    a draft again, whose trials are over. What is None stays.

    Raises PermissionDenied, ProposalInvalid, Conflict and AlreadyDecided.
    """
    demand(actor, CHANGE, "edit proposals")
    with transaction.atomic():
        row = locked(actor, proposal, revision)
        row.title = row.title if title is None else _title(title)
        row.reason = row.reason if reason is None else text(reason)
        row.authority = row.authority if authority is None else text(authority)
        if changes is not None:
            _write(row, changes)
        rewrite(actor, row, is_draft=changes is not None, action="proposal.edit")
    return row


def withdraw(actor: Actor, proposal: Proposal, revision: int, reason: str = "") -> Proposal:
    """Reject a proposal of one's own. Raises ProposalInvalid, Conflict and AlreadyDecided."""
    with transaction.atomic():
        row = locked(actor, proposal, revision)
        if actor is not None and row.author_id != actor.pk:
            raise ProposalInvalid(
                f"{row} is {row.author or 'the command line'}'s: only who wrote it withdraws it; reject it"
            )
        end(actor, row, ProposalState.REJECTED, text(reason) or "withdrawn by its author")
        note(actor, row, "proposal.withdraw", reason=row.comment)
    return row


# What reviews and refreshing share


def locked(actor: Actor, proposal: Proposal, revision: int | None) -> Proposal:
    """The proposal as it is now, ours alone until the transaction ends.

    Raises ProposalInvalid where `actor` may not see it, AlreadyDecided, and Conflict where it has another revision.
    """
    hold_proposals([proposal])
    row = Proposal.objects.filter(pk=proposal.pk).first()
    if row is None:
        raise ProposalInvalid(f"there is no proposal {proposal.pk}")
    _demand_visible(actor, row.domain, f"there is no proposal {row.pk}")
    if row.is_decided:
        raise AlreadyDecided(decision(row))
    if revision is not None and row.revision != revision:
        raise Conflict(_edited(row, revision))
    return row


def hold_proposals(proposals: Collection[Proposal]) -> None:
    """Lock proposals, and those that are being tried together with them, in the order of their keys and before any of
    their trials, as who ends a trial does."""
    together = Proposal.objects.filter(trials__in=_unfinished(proposals).values("pk"))
    keys = {row.pk for row in proposals} | set(together.values_list("pk", flat=True))
    rows = Proposal.objects.select_for_update(no_key=True).filter(pk__in=keys)
    list(rows.order_by("pk").values_list("pk"))


def rewrite(actor: Actor, row: Proposal, *, is_draft: bool, action: str, **detail: Any) -> None:
    """Store the next revision of a locked proposal; a draft loses its trials and what was said of it."""
    row.revision += 1
    if is_draft:
        row.edited = timezone.now()
        cancel_trials(actor, row)
        row.state = ProposalState.DRAFT
        row.decided_by, row.decided, row.comment = None, None, ""
    row.save()
    note(actor, row, action, **_told(row), **detail)


def end(actor: Actor, row: Proposal, state: ProposalState, comment: str) -> None:
    """Store what somebody decided on a locked proposal; with that its trials are over, unless it is deferred."""
    row.state, row.comment = state, comment
    if row.is_decided:
        cancel_trials(actor, row)
    row.decided_by, row.decided = actor, timezone.now()
    row.save()


def cancel_trials(actor: Actor, row: Proposal) -> None:
    """End those of a locked proposal that are not over; what else was tried with it stands where it did without."""
    trials = list(_unfinished([row]))
    for trial in trials:
        cancel(actor, trial)
    others = Proposal.objects.filter(trials__in=trials, state=ProposalState.TRYING)
    left = others.exclude(pk=row.pk).exclude(trials__state__in=UNFINISHED_JOBS)
    for mate in left.distinct():
        Proposal.objects.filter(pk=mate.pk).update(state=resting(mate))


def decision(row: Proposal) -> str:
    """Who decided what when, of one that is decided or deferred."""
    who = row.decided_by.get_username() if row.decided_by else "the command line"
    when = f"{row.decided:%Y-%m-%d %H:%M}" if row.decided else "before"
    why = f": {row.comment}" if row.comment else ""
    return f"{row} was {row.state} by {who} at {when} UTC{why}"


def text(words: str, most: int = LONGEST) -> str:
    """What a person wrote, as it can be stored; raises ProposalInvalid where it is too long."""
    said = str(storable(words)).strip()
    if len(said) > most:
        raise ProposalInvalid(f"a text has {len(said)} characters: say it in {most}")
    return said


def note(actor: Actor, row: Proposal, action: str, **detail: Any) -> None:
    """An entry in the audit log."""
    AuditEntry.objects.create(
        actor=actor, action=action, domain=row.domain, target=str(row), detail=detail
    )


def _title(title: str) -> str:
    said = text(title, LONGEST_TITLE)
    if not said:
        raise ProposalInvalid("a proposal needs a title: say in a sentence what it mends")
    return said


def _write(row: Proposal, changes: Sequence[Said]) -> None:
    """Replace the proposal's changes by these, against what is current now."""
    components = _current(row.domain, changes)
    row.changes.all().delete()
    Change.objects.bulk_create(
        Change(proposal=row, component=now, base=now.current, body=keep(body))
        for now, body in components
    )


def _current(domain: Domain, changes: Sequence[Said]) -> list[Said]:
    """The components as they are now, with what they would say, in the order of their keys."""
    rows = Component.objects.select_related("domain", "current").in_bulk(
        {component.pk for component, _ in changes}
    )
    if not 1 <= len(changes) <= MOST_CHANGES:
        raise ProposalInvalid(f"a proposal has 1 to {MOST_CHANGES} changes, not {len(changes)}")
    if len(rows) < len(changes):
        raise ProposalInvalid("a component is gone, or is changed twice: change each once")
    found = sorted(((rows[one.pk], body) for one, body in changes), key=lambda said: said[0].pk)
    for now, body in found:
        if now.domain_id != domain.pk:
            raise ProposalInvalid(f"{now} is not of the domain {domain}: one proposal, one domain")
        if now.kind != body.kind:
            raise ProposalInvalid(f"{now} is a {now.kind}, and cannot say what a {body.kind} says")
        if now.current is None or now.current.body_id == body.digest:
            raise ProposalInvalid(f"{now} says that already: change it, or leave it out")
    return found


def _told(row: Proposal) -> dict[str, Any]:
    rows = row.changes.values_list("component", "base", "body")
    changes = [{"component": one, "base": base, "body": body} for one, base, body in rows]
    return {"revision": row.revision, "title": row.title, "changes": changes}


def _edited(row: Proposal, revision: int) -> str:
    entries = AuditEntry.objects.filter(
        domain=row.domain, target=str(row), detail__revision=row.revision
    )
    newest = entries.select_related("actor").first()
    who = newest.actor.get_username() if newest and newest.actor else "the command line"
    at = newest.at if newest else row.edited
    return (
        f"{row} was edited by {who} at {at:%Y-%m-%d %H:%M} UTC: it is at revision {row.revision}, and "
        f"{revision} was read; read it anew"
    )


def _unfinished(proposals: Collection[Proposal]) -> QuerySet[Trial]:
    tried = Trial.objects.filter(proposals__in=proposals, state__in=UNFINISHED_JOBS)
    return tried.order_by("pk").distinct()


def _demand_visible(actor: Actor, domain: Domain, message: str) -> None:
    if not visible_domains(actor).filter(pk=domain.pk).exists():
        raise ProposalInvalid(message)
