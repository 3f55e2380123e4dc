"""What people do with a fault beside mending it: give it to somebody, talk about it, put it aside."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from components.actor import Actor, demand, visible_domains
from components.models import AuditEntry, Domain
from triage.models import Comment, Fault
from triage.models.fault import FaultStatus
from triage.results import storable
from triage.settling import status_of

CHANGE = "triage.change_fault"
COMMENT = "triage.add_comment"
MOST = 4000
"""Characters of a comment, and of a reason."""


class FaultCareInvalid(ValueError):
    """What was asked for cannot be done with the fault."""


def assign(actor: Actor, fault: Fault, who: User | None) -> None:
    """Give a fault to somebody who may read its domain; None = to nobody. To whom has it already, nothing happens.

    Raises PermissionDenied and FaultCareInvalid.
    """
    demand(actor, CHANGE, "assign faults")
    if who and not (who.is_active and _may_read(who, fault)):
        raise FaultCareInvalid(
            f"{who.get_username()} may not read {fault.domain}: give {fault} to somebody who may"
        )
    with transaction.atomic():
        row = _locked(actor, fault)
        if row.assignee != who:
            was = row.assignee.get_username() if row.assignee else None
            fault.assignee = row.assignee = who
            row.save(update_fields=["assignee"])
            _audit(actor, "fault.assign", row, to=who.get_username() if who else None, was=was)


def comment(actor: Actor, fault: Fault, text: str) -> Comment:
    """Say something about a fault. Raises PermissionDenied and FaultCareInvalid."""
    demand(actor, COMMENT, "comment on faults")
    said = _said(text, "the comment on", fault)
    with transaction.atomic():
        row = _locked(actor, fault)
        made = Comment.objects.create(fault=row, author=actor, text=said)
        _audit(actor, "fault.comment", row, text=said)
    return made


def archive(actor: Actor, fault: Fault, reason: str) -> None:
    """Put a fault aside, until somebody reopens it. Raises PermissionDenied and FaultCareInvalid."""
    demand(actor, CHANGE, "archive faults")
    said = _said(reason, "the reason to archive", fault)
    with transaction.atomic():
        row = _locked(actor, fault)
        if row.status == FaultStatus.ARCHIVED:
            raise FaultCareInvalid(
                f"{fault} is archived already, because: {row.archived_because}; reopen it first"
            )
        was = row.status
        if was == FaultStatus.FIXED:
            row.environments = 0  # an archived one's are those that show it now
        row.status, row.archived_because = status_of(row, is_archived=True), said
        row.save(update_fields=["status", "archived_because", "environments"])
        _audit(actor, "fault.archive", row, reason=said, was=was)
    fault.refresh_from_db()


def reopen(actor: Actor, fault: Fault) -> None:
    """Take an archived fault up again, with the status that it has by what rounds saw meanwhile.

    Raises PermissionDenied and FaultCareInvalid.
    """
    demand(actor, CHANGE, "reopen faults")
    with transaction.atomic():
        row = _locked(actor, fault)
        if row.status != FaultStatus.ARCHIVED:
            raise FaultCareInvalid(
                f"{fault} is {row.status}, not archived: there is nothing to reopen"
            )
        because, row.archived_because = row.archived_because, ""
        row.status = status_of(row, is_archived=False)
        row.save(update_fields=["status", "archived_because"])
        _audit(actor, "fault.reopen", row, status=row.status, was_archived_because=because)
    fault.refresh_from_db()


def _locked(actor: Actor, fault: Fault) -> Fault:
    mine = Fault.objects.filter(pk=fault.pk, domain__in=visible_domains(actor))
    row = mine.select_for_update(of=("self",), no_key=True).first()
    if row is None:
        raise FaultCareInvalid(f"there is no fault {fault.pk}: it is gone, or kept for others")
    return row


def _may_read(user: User, fault: Fault) -> bool:
    return Domain.objects.visible_to(user).filter(pk=fault.domain_id).exists()


def _said(text: str, what: str, fault: Fault) -> str:
    text = str(storable(text)).strip()
    if not text:
        raise FaultCareInvalid(f"{what} {fault} is empty: say something")
    if len(text) > MOST:
        raise FaultCareInvalid(f"{what} {fault} has {len(text)} characters: say it in {MOST}")
    return text


def _audit(actor: Actor, action: str, fault: Fault, **detail: Any) -> None:
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        domain=fault.domain,
        target=f"{fault}: {fault.title}"[:300],
        detail=detail,
    )
