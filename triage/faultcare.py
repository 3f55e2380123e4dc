"""What people do with a fault: take it on, talk about it, put it aside."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from components.actor import Actor, demand
from components.models import AuditEntry
from triage.models import Comment, Fault
from triage.models.fault import FaultStatus


class FaultInvalid(ValueError):
    """What was asked of a fault cannot be."""


def assign(actor: Actor, fault: Fault, user: User | None) -> None:
    """Say who mends it; None = nobody. Raises PermissionDenied."""
    demand(actor, "triage.change_fault", "assign a fault")
    with transaction.atomic():
        Fault.objects.filter(pk=fault.pk).update(assignee=user)
        _audit(actor, fault, "assign")


def comment(actor: Actor, fault: Fault, text: str) -> Comment:
    """Say something about it. Raises PermissionDenied and FaultInvalid."""
    demand(actor, "triage.add_comment", "comment on a fault")
    if not text.strip():
        raise FaultInvalid("a comment says something; this one is empty")
    with transaction.atomic():
        _audit(actor, fault, "comment")
        return Comment.objects.create(fault=fault, author=actor, text=text)


def archive(actor: Actor, fault: Fault, reason: str) -> None:
    """Put it aside, with a reason. Raises PermissionDenied and FaultInvalid."""
    demand(actor, "triage.change_fault", "archive a fault")
    if not reason.strip():
        raise FaultInvalid("a fault is archived with a reason; none was given")
    with transaction.atomic():
        Fault.objects.filter(pk=fault.pk).update(
            status=FaultStatus.ARCHIVED, archived_because=reason
        )
        _audit(actor, fault, "archive")


def reopen(actor: Actor, fault: Fault) -> None:
    """Take it up again. Raises PermissionDenied."""
    demand(actor, "triage.change_fault", "reopen a fault")
    with transaction.atomic():
        Fault.objects.filter(pk=fault.pk).update(status=FaultStatus.ONGOING, archived_because="")
        _audit(actor, fault, "reopen")


def _audit(actor: Actor, fault: Fault, act: str) -> None:
    AuditEntry.objects.create(
        actor=actor, action=f"fault.{act}", domain=fault.domain, target=str(fault)
    )
