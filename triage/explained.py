"""How much of what is broken the worst faults explain."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from components.models import Environment
from triage.models import Fault, Sighting
from triage.standing import latest_checks

TOPS = (1, 3, 10)


def explained(user: User) -> dict[str, Any]:
    """How many environments that a user may see are `broken`, and of those how many show one of the `top` 1, 3 and 10
    open faults."""
    checks: Any = latest_checks(Environment.objects.visible_to(user)).with_status()
    broken = checks.filter(status="broken")
    worst = list(Fault.objects.visible_to(user).open()[: TOPS[-1]])
    shown = {
        top: Sighting.objects.filter(fault__in=worst[:top], check_row__in=broken)
        .order_by()
        .values("check_row__environment")
        .distinct()
        .count()
        for top in TOPS
    }
    return {"broken": broken.count(), "top": shown}
