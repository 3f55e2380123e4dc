"""One round: its numbers, and its checks."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from triage.cancellation import may_cancel
from triage.codes import by_code
from triage.models import Check, Finding, Round
from triage.pages import history
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.scope import said
from triage.pages.spreadsheet import asked_for, spreadsheet
from triage.rounds import progress

FILTERS = {"status": ("Status", "status"), "domain": ("Domain", ""), "state": ("State", "")}
COLUMNS = {
    "status": "status",
    "domain": "environment__domain__slug",
    "state": "state",
}
HEADINGS = (
    Heading("Status", "status", ("status",), css="col-s col-sign"),
    Heading("Environment", "environment", ("environment__domain__slug", "environment__slug")),
    Heading("Witness", css="col-s wide-only"),
    Heading("Findings", "findings", ("found",), css="col-s number", falling=True),
    Heading("Note", css="col-note wide-only"),
    Heading("Took", "took", ("result__seconds",), css="col-xs number wide-only", falling=True),
    Heading("Finished", "finished", ("finished",), css="col-s number wide-only", falling=True),
)
# Asked for each row that is shown: a join would group all of the round's.
FOUND = (
    Finding.objects.filter(result=OuterRef("result"))
    .order_by()
    .values("result")
    .annotate(n=Count("pk"))
    .values("n")
)
CSV = [
    "domain",
    "environment",
    "state",
    "status",
    "witness",
    "findings",
    "seconds",
    "finished",
    "error",
]


@login_required
def round_page(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/rounds/N/`"""
    here, user = address(request), reader(request)
    rows = (
        Round.objects.visible_to(user).select_related("author", "cancelled_by").with_domains(user)
    )
    row = get_object_or_404(rows, pk=number)
    every = history.checks_of(row, user)
    checks = every.with_status()
    sort = Sort(here, HEADINGS, "environment")
    found = _narrowed(checks, here).annotate(found=Coalesce(Subquery(FOUND), 0))
    found = found.select_related("environment__domain", "result").order_by(*sort.fields)
    by_domain = history.by_domain(every)
    lists = {
        "": lambda: spreadsheet(f"round-{number}", CSV, map(_line, found)),
        **history.sheets(f"round-{number}", every, row.panel, by_domain),
    }
    if (download := asked_for(here, lists)) is not None:
        return download
    whole = history.together(by_domain.values())
    listing = listed(here, found, sort, _facets(checks, here), FILTERS)
    return render(
        request,
        "pages/round.html",
        {
            "round": row,
            "said": said(row),
            "took": (row.finished - row.created).total_seconds() if row.finished else None,
            "kept": f"round={number}&",
            "name": "Solvability" if row.finished else "Solvability so far, over all in scope",
            "tally": whole,
            "rates": {agent: whole.rate(agent) for agent in row.panel},
            "panel": row.panel,
            "progress": None if row.finished else progress(row, user),
            "errors": history.errors(every) if whole.errors else [],
            "may_cancel": row.finished is None and may_cancel(user, row),
            "codes": by_code(every),
            "by_domain": by_domain,
            "listing": listing,
        },
    )


def _narrowed(checks: QuerySet[Check], here: Address, leaving: str = "") -> QuerySet[Check]:
    for word in here.one("q").split():
        by_domain = Q(environment__domain__slug__icontains=word)
        checks = checks.filter(Q(environment__slug__icontains=word) | by_domain)
    for name, column in COLUMNS.items():
        if here.all(name) and name != leaving:
            checks = checks.filter(**{f"{column}__in": here.all(name)})
    return checks


def _facets(checks: QuerySet[Check], here: Address) -> list[Facet]:
    return [
        facet(here, name, *FILTERS[name], _counts(_narrowed(checks, here, leaving=name), column))
        for name, column in COLUMNS.items()
    ]


def _counts(checks: QuerySet[Check], column: str) -> dict[str, int]:
    return counted(checks.order_by().values(column).annotate(n=Count("pk")), column)


def _line(check: Any) -> list[Any]:
    return [
        check.environment.domain.slug,
        check.environment.slug,
        check.state,
        check.status,
        check.result.witness if check.result else "",
        check.found,
        check.result.seconds if check.result else None,
        check.finished,
        check.error,
    ]
