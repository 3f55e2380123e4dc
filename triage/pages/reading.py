"""What waits for people to read it, and what follows from what they read: as the overview says it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from triage.audit_sample import estimate
from triage.models import AuditItem, AuditSample, Suspicion
from triage.models.suspicion import Reading


def by_people(user: User) -> dict[str, Any]:
    """Suspicious passes (`unread` and `wrong`), the newest audit `sample` (or None) with its `residual` defects and how
    many items are `left`; three queries."""
    passes = Suspicion.objects.visible_to(user).aggregate(
        unread=Count("episode", filter=Q(reading=Reading.UNREAD), distinct=True),
        wrong=Count("episode", filter=Q(reading=Reading.WRONG), distinct=True),
    )
    newest = AuditSample.objects.visible_to(user).order_by("-pk").first()
    if newest is None:
        return {**passes, "sample": None}
    items = AuditItem.objects.visible_to(user).filter(sample=newest)
    return {
        **passes,
        "sample": newest,
        "residual": estimate(items),
        "left": items.filter(verdict="").count(),
    }
