"""Which environments show a fault: now, or in a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from components.models import Environment
from triage import sightings
from triage.models import Check, Fault, Round, Sighting
from triage.standing import with_standing

MOST_ROUNDS = 12


def showing_one_of(faults: Sequence[int]) -> Q:
    """Of environments with where they stand: those whose check there showed one of the faults; where none says how an
    environment is as it is now, or what it shows was not gathered yet, the newest one of it that was."""
    then = Sighting.objects.filter(fault__in=faults, check_row=OuterRef("latest_check"))
    last = sightings.showing().filter(fault__in=faults, check_row__environment=OuterRef("pk"))
    untold = Check.objects.filter(pk=OuterRef("latest_check"), round__gathered=None)
    return Q(Exists(then.order_by())) | Q(Exists(last)) & (
        Q(latest_check=None) | Q(Exists(untold.order_by()))
    )


def environments_of(fault: Fault) -> Any:
    """The environments that show a fault now, each with `status` and `latest_check`."""
    seen = Sighting.objects.filter(fault=fault).order_by().values("check_row__environment")
    rows: Any = with_standing(Environment.objects.filter(pk__in=seen))
    return rows.filter(showing_one_of([fault.pk])).select_related("domain").order_by("slug")


def by_round(fault: Fault) -> list[tuple[Round, int]]:
    """The newest gathered rounds over its domain since it was first seen, each with how many environments showed it;
    two queries."""
    rounds = Round.objects.filter(domains=fault.domain_id).exclude(gathered=None)
    if fault.first_round_id:
        rounds = rounds.filter(pk__gte=fault.first_round_id)
    newest = list(rounds.order_by("-pk")[:MOST_ROUNDS])
    seen = Sighting.objects.filter(fault=fault, check_row__round__in=newest).order_by()
    counts = dict(seen.values_list("check_row__round").annotate(n=Count("pk")))
    return [(row, counts.get(row.pk, 0)) for row in newest]
