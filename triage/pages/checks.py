"""The checks of one environment, round by round: what each took and what it came to."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum

from components.models import Environment
from triage.models import Check, Finding, Result

SHOWN = 20
"""Of all that there were, on the environment's page."""

CSV = [
    "round",
    "started",
    "finished",
    "state",
    "status",
    "witness",
    "seconds",
    "episodes",
    "steps",
    "calls",
    "findings",
    "from stored result",
    "worker",
    "attempts",
    "bundle",
    "error",
]


def checks_of(row: Environment) -> QuerySet[Any]:
    """Its checks, the newest first, each with `status` and the counts of its result: `found`, `played`, `steps`,
    `calls`; they are None where there is no result. One query."""
    checks = Check.objects.filter(environment=row).with_status().select_related("result", "round")
    links: Any = Result.episodes.through.objects  # the stubs know no annotation of theirs
    played = links.filter(result=OuterRef("result")).order_by()
    found = Finding.objects.filter(result=OuterRef("result")).order_by()
    return checks.annotate(
        found=Subquery(found.values("result").annotate(n=Count("pk")).values("n")),
        played=Subquery(played.values("result").annotate(n=Count("pk")).values("n")),
        steps=Subquery(played.values("result").annotate(n=Sum("episode__length")).values("n")),
        calls=Subquery(played.values("result").annotate(n=Sum("episode__calls")).values("n")),
    ).order_by("-round_id")


def line(check: Any) -> list[Any]:
    """A check (of `checks_of`) as a row of the download."""
    result = check.result
    counts = [check.played or 0, check.steps or 0, check.calls or 0, check.found or 0]
    return [
        check.round_id,
        check.round.created,
        check.finished,
        check.state,
        check.status,
        result.witness if result else "",
        result.seconds if result else None,
        *(counts if result else [None] * len(counts)),
        "yes" if check.was_known else "no",
        check.worker,
        check.attempt,
        check.bundle,
        check.error,
    ]
