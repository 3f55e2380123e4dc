"""The worst causes, as the overview shows them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.contrib.auth.models import User

from components.models import Environment
from triage.explained import explained
from triage.models import Fault
from triage.pages.suspect import with_best

MOST = 8


def worst_causes(user: User, domains: Collection[str] | None = None) -> dict[str, Any]:
    """The open `faults` that most environments show, each with its best suspect, how many are `open`, and what the
    first ones explain of all that is broken (`explained`, None where there is no fault). With `domains`, the faults of
    those alone."""
    rows = Fault.objects.visible_to(user)
    environments = Environment.objects.visible_to(user)
    if domains is not None:
        rows = rows.filter(domain__slug__in=domains)
        environments = environments.filter(domain__slug__in=domains)
    open_ones = rows.open()
    faults = with_best(open_ones.select_related("domain").order_by("-environments", "pk")[:MOST])
    return {
        "faults": faults,
        "open": len(faults) if len(faults) < MOST else open_ones.count(),
        "most": max((row.environments for row in faults), default=0),
        "explained": explained(environments, rows) if faults else None,
        "domains": domains,
    }
