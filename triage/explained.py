"""How much of what is broken the biggest faults explain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from components.models import Environment
from triage.models import Finding, Sighting, Symptom
from triage.models.fault import FaultQuerySet
from triage.models.finding import Severity
from triage.models.result import Status
from triage.standing import among, with_standing

TOPS = (1, 3, 10)


@dataclass(frozen=True)
class Explained:
    """Of the broken environments, those that would not be broken without the biggest faults."""

    broken: int
    by_top: Mapping[int, int]
    """n → environments of which every blocking finding is a sighting of one of the n biggest open faults."""

    @property
    def shares(self) -> dict[int, float | None]:
        """n → share of the broken; None where none is broken."""
        return {
            top: count / self.broken if self.broken else None for top, count in self.by_top.items()
        }


def explained(
    environments: QuerySet[Environment], faults: FaultQuerySet, tops: Sequence[int] = TOPS
) -> Explained:
    """How many of `environments` that are broken by their newest check of the current bundle are explained by the
    first of the open faults among `faults`: those that block, in the most environments. Eight queries.

    One that only a person's counterexample breaks is explained by no fault.
    """
    standing = with_standing(environments).filter(status=Status.BROKEN).order_by()
    checks = [pk for pk in standing.values_list("latest_check", flat=True) if pk]
    biggest = faults.open().order_by("-is_blocking", "-environments", "pk")[: max(tops, default=0)]
    ranks = {pk: rank for rank, pk in enumerate(biggest.values_list("pk", flat=True), start=1)}
    needed = _needed(checks, ranks)
    return Explained(
        broken=len(checks),
        by_top={top: sum(rank <= top for rank in needed.values()) for top in tops},
    )


def _needed(checks: Sequence[int], ranks: Mapping[int, int]) -> dict[int, float]:
    """Check → how many of the biggest faults it takes to explain all that breaks it; infinite where they do not."""
    symptoms: dict[int, set[str]] = defaultdict(set)
    of_them = Symptom.objects.filter(fault__in=list(ranks))
    for fault, print_ in of_them.values_list("fault", "fingerprint"):
        symptoms[fault].add(print_)
    known: dict[tuple[int, str], int] = {}
    seen = Sighting.objects.filter(among("check_row_id", checks), fault__in=list(ranks))
    for check, fault in seen.order_by().values_list("check_row", "fault"):
        for print_ in symptoms[fault]:
            key = check, print_
            known[key] = min(ranks[fault], known.get(key, ranks[fault]))
    needed: dict[int, float] = {}
    for check, print_ in _blocking(checks):
        needed[check] = max(needed.get(check, 0), known.get((check, print_), float("inf")))
    return needed


def _blocking(checks: Sequence[int]) -> list[tuple[int, str]]:
    """(check, fingerprint) of what breaks them and counts."""
    counted = Finding.objects.counted().filter(severity=Severity.BLOCKING)
    rows: Any = counted.filter(among("result__checks", checks)).order_by()
    return list(rows.values_list("result__checks", "fingerprint").distinct())
