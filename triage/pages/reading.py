"""What waits for people to read it, and what follows from what they read: as the overview says it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, Q

from triage.audit_sample import estimate, shown_sample
from triage.models import AuditItem, AuditSample, Suspicion
from triage.models.suspicion import Reading


def by_people(user: User, domains: Collection[str] | None = None) -> dict[str, Any]:
    """Suspicious passes (`unread` and `wrong`), the newest audit `sample` of which anything was read (else the newest,
    or None) with its `residual` defects and how many items are `left`; four queries. With `domains`, of those alone,
    which `within` says in an address."""
    suspicions, every = Suspicion.objects.visible_to(user), AuditItem.objects.visible_to(user)
    samples = AuditSample.objects.visible_to(user)
    if domains is not None:
        suspicions = suspicions.filter(environment__domain__slug__in=domains)
        every = every.filter(environment__domain__slug__in=domains)
        samples = samples.filter(pk__in=every.order_by().values("sample"))
    passes = suspicions.aggregate(
        unread=Count("episode", filter=Q(reading=Reading.UNREAD), distinct=True),
        wrong=Count("episode", filter=Q(reading=Reading.WRONG), distinct=True),
    )
    within = urlencode([("domain", slug) for slug in domains or ()])
    shown = shown_sample(samples, every)
    if shown is None:
        return {**passes, "within": within, "sample": None}
    items = every.filter(sample=shown)
    return {
        **passes,
        "within": within,
        "sample": shown,
        "residual": estimate(items),
        "left": items.filter(verdict="").count(),
    }
