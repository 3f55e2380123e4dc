"""Where faults show: by the newest check of each environment, as gathered."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from triage.models import Check, Finding, Round, Sighting, Symptom
from triage.models.check import State


def showing(until: int | None = None, besides: Round | None = None) -> QuerySet[Sighting]:
    """The sightings by each environment's newest check that was done in a gathered round: where faults show.

    A check in error says nothing, nor does a round whose findings were not gathered yet (but `besides`); with `until`,
    an id, nor do rounds after that one.
    """
    later = Check.objects.filter(
        Q(round__gathered__isnull=False) | Q(round=besides),
        environment=OuterRef("check_row__environment"),
        round__gt=OuterRef("check_row__round"),
        state=State.DONE,
    )
    rows = Sighting.objects.filter(
        Q(check_row__round__gathered__isnull=False) | Q(check_row__round=besides)
    )
    if until is not None:
        later, rows = later.filter(round__lte=until), rows.filter(check_row__round__lte=until)
    return rows.filter(~Exists(later.order_by())).order_by()


def counting(sightings: QuerySet[Sighting]) -> QuerySet[Sighting]:
    """Those of which a finding still counts: what was dismissed or accepted since does not, nor does advice."""
    symptoms = Symptom.objects.filter(fault=OuterRef(OuterRef("fault")))
    found = Finding.objects.counted().filter(
        result=OuterRef("check_row__result"), fingerprint__in=symptoms.values("fingerprint")
    )
    return sightings.filter(Exists(found))


def environments_by_fault(sightings: QuerySet[Sighting]) -> dict[int, list[str]]:
    """Fault → slugs of the environments of these sightings, in order. One query."""
    found: dict[int, list[str]] = {}
    rows: Any = sightings.order_by("check_row__environment__slug")
    for fault, slug in rows.values_list("fault", "check_row__environment__slug"):
        found.setdefault(fault, []).append(slug)
    return found
