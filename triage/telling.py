"""Which check tells of a records set's rows that no environment may touch: one for all environments that use it."""

from __future__ import annotations

from django.db.models import QuerySet

from components.models import Environment, Part
from components.models.body import Kind


def tellers(environments: QuerySet[Environment]) -> set[int]:
    """Of all environments of the domains of these, for each records set the first by name that uses it; one query."""
    parts = Part.objects.filter(
        component__kind=Kind.RECORDS,
        environment__domain__in=environments.order_by().values("domain"),
    ).order_by("component_id", "environment__slug")
    return set(parts.distinct("component_id").values_list("environment_id", flat=True))
