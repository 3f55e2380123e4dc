"""The worst causes, as the overview shows them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User

from triage.explained import explained
from triage.models import Fault
from triage.pages.suspect import with_best

MOST = 8


def worst_causes(user: User, domains: Collection[str] | None = None) -> dict[str, Any]:
    """The open `faults` that most environments show, each with its best suspect, how many are `open`, and what the
    first ones explain of all that is broken (`explained`, None where there is no fault). With `domains`, the faults of
    those alone."""
    rows = Fault.objects.visible_to(user).open()
    if domains is not None:
        rows = rows.filter(domain__slug__in=domains)
    faults = with_best(rows.select_related("domain").order_by("-environments", "pk")[:MOST])
    return {
        "faults": faults,
        "open": len(faults) if len(faults) < MOST else rows.count(),
        "most": max((row.environments for row in faults), default=0),
        "explained": explained(user) if faults else None,
        "domains": domains,
    }
