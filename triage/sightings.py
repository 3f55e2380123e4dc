"""Where faults show: by the newest check of each environment, as gathered."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from components.models import Domain
from components.models.domain import DomainQuerySet
from triage.models import Check, Finding, Round, Sighting, Symptom
from triage.models.check import State


def showing(
    domains: DomainQuerySet | list[Domain], until: int | None = None, besides: Round | None = None
) -> QuerySet[Sighting]:
    """The sightings by each environment's newest check that was done in a gathered round: where faults show.

    A check in error says nothing, nor does a round whose findings were not gathered yet (but `besides`); with `until`,
    an id, nor do rounds after that one.
    """
    rounds = Q(round__gathered__isnull=False) | Q(round=besides)
    done = Check.objects.filter(rounds, environment__domain__in=domains, state=State.DONE)
    if until is not None:
        done = done.filter(round__lte=until)
    newest = done.order_by("environment", "-round_id").distinct("environment")
    return Sighting.objects.filter(check_row__in=newest.values("pk")).order_by()


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
