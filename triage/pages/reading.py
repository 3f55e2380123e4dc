"""What waits for people to read it, and what follows from what they read: as the overview says it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from triage.audit_sample import estimate, shown_sample
from triage.models import AuditItem, AuditSample, Suspicion
from triage.models.suspicion import Reading


def by_people(user: User) -> dict[str, Any]:
    """Suspicious passes (`unread` and `wrong`), the newest audit `sample` of which anything was read (else the newest,
    or None) with its `residual` defects and how many items are `left`; four queries."""
    passes = Suspicion.objects.visible_to(user).aggregate(
        unread=Count("episode", filter=Q(reading=Reading.UNREAD), distinct=True),
        wrong=Count("episode", filter=Q(reading=Reading.WRONG), distinct=True),
    )
    shown = shown_sample(AuditSample.objects.visible_to(user))
    if shown is None:
        return {**passes, "sample": None}
    items = AuditItem.objects.visible_to(user).filter(sample=shown)
    return {
        **passes,
        "sample": shown,
        "residual": estimate(items),
        "left": items.filter(verdict="").count(),
    }
