"""One fault: what happens, who is suspected and why, what would mend it, who sees to it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, Min, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from triage.models import Fault, Finding
from triage.pages.environments import standings
from triage.pages.queue import RANK, with_trial
from triage.pages.reader import address, reader
from triage.pages.sighted import by_round, environments_of
from triage.pages.spreadsheet import Sheets, asked_for, spreadsheet
from triage.pages.suspect import Rank, ranks
from triage.sightings import showing

MOST_ENVIRONMENTS = 12
MOST_SYMPTOMS = 12
MOST_PROPOSALS = 5


@login_required
def fault(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/faults/N/`"""
    here, user = address(request), reader(request)
    rows = Fault.objects.visible_to(user).select_related("domain", "assignee")
    row = get_object_or_404(rows, pk=number)
    suspected, rounds, symptoms = ranks(row, user), by_round(row), symptoms_of(row)
    showing = environments_of(row)
    if (download := asked_for(here, sheets(row, suspected, symptoms, showing))) is not None:
        return download
    proposals = row.proposals.visible_to(user)
    shown = list(showing[:MOST_ENVIRONMENTS])
    return render(
        request,
        "pages/fault.html",
        {
            "here": here,
            "fault": row,
            "ranks": suspected,
            "suspects": sum(len(one.suspects) for one in suspected),
            "rounds": rounds,
            "longest": max((count for _, count in rounds), default=0),
            "symptoms": symptoms[:MOST_SYMPTOMS],
            "all_symptoms": len(symptoms),
            "environments": standings(shown),
            "all_environments": len(shown) if len(shown) < MOST_ENVIRONMENTS else showing.count(),
            "proposals": proposed(proposals),
            "all_proposals": proposals.count(),
            "weighing": weighing(row),
            "searching": searching(row),
            "comments": row.comments.select_related("author"),
            "people": people(row) if user.has_perm("triage.change_fault") else [],
        },
    )


def symptoms_of(row: Fault) -> list[Any]:
    """How it shows, what most environments show first: each symptom with `n` (environments that show it now) and an
    `example` of its findings there (or None); three queries."""
    symptoms: list[Any] = list(row.symptoms.all())
    seen: Any = Finding.objects.filter(
        fingerprint__in=[one.fingerprint for one in symptoms],
        result__checks__in=showing().filter(fault=row).values("check_row"),
    ).order_by()
    n = Count("result__checks__environment", distinct=True)
    counts = seen.values("fingerprint").annotate(n=n, example=Min("pk"))
    found = {one["fingerprint"]: one for one in counts}
    examples = Finding.objects.in_bulk([one["example"] for one in found.values()])
    for symptom in symptoms:
        one = found.get(symptom.fingerprint, {"n": 0, "example": None})
        symptom.n, symptom.example = one["n"], examples.get(one["example"])
    return sorted(symptoms, key=lambda one: (-one.n, one.pk))


def proposed(proposals: Any) -> list[Any]:
    """The first proposals, by rank, each with the `report` of its newest trial (or None); three queries."""
    rows = with_trial(proposals).select_related("author").order_by(*RANK, "pk")
    return list(rows.prefetch_related("changes__component__domain")[:MOST_PROPOSALS])


def searching(row: Fault) -> dict[str, Any]:
    """The newest search for repairs, and whether it is `at_work`."""
    newest = row.repairs.select_related("author", "cancelled_by").first()
    return {"repair": newest, "at_work": newest is not None and newest.is_unfinished}


def weighing(row: Fault) -> dict[str, Any]:
    """The newest job that weighed its suspects, and whether it is `at_work`."""
    newest = row.attributions.select_related("author", "cancelled_by").first()
    return {"attribution": newest, "at_work": newest is not None and newest.is_unfinished}


def people(row: Fault) -> QuerySet[User]:
    """Those who may read it, and so could mend it."""
    rows = User.objects.filter(is_active=True).order_by("username")
    if readers := list(row.domain.readers.all()):
        rows = rows.filter(Q(groups__in=readers) | Q(is_superuser=True))
    return rows.distinct()


def sheets(row: Fault, suspected: list[Rank], symptoms: list[Any], showing: Any) -> Sheets:
    """The page's lists, to be downloaded."""
    name = f"fault-{row.pk}"
    return {
        "suspects": lambda: spreadsheet(
            f"{name}-suspects", SUSPECTS, (line for rank in suspected for line in _suspects(rank))
        ),
        "symptoms": lambda: spreadsheet(f"{name}-symptoms", SYMPTOMS, map(_symptom, symptoms)),
        "environments": lambda: spreadsheet(
            f"{name}-environments", ENVIRONMENTS, map(_environment, showing)
        ),
    }


SUSPECTS = [
    "rank",
    "suspect",
    "kind",
    "version",
    "symbol",
    "score",
    "direct",
    "spectrum",
    "state",
    "evidence",
]
SYMPTOMS = ["code", "kind", "component", "symbol", "fingerprint", "environments", "message"]
ENVIRONMENTS = ["domain", "environment", "status"]


def _suspects(rank: Rank) -> list[list[Any]]:
    return [
        [
            rank.number,
            str(one.row.component or one.row.party),
            one.kind,
            one.row.version.number if one.row.version else None,
            one.row.symbol,
            one.row.score,
            one.row.direct,
            one.row.spectrum,
            one.row.state,
            " ".join(each.text for each in one.evidence),
        ]
        for one in rank.suspects
    ]


def _symptom(one: Any) -> list[Any]:
    message = one.example.message if one.example else ""
    return [one.code, one.kind, one.slug, one.symbol, one.fingerprint, one.n, message]


def _environment(one: Any) -> list[Any]:
    return [one.domain.slug, one.slug, one.status]
