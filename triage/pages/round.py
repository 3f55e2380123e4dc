"""One round: its numbers, and its checks."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from components.models import Component
from components.models.component import GIVEN, OURS
from triage.cancellation import may_cancel
from triage.codes import by_code
from triage.models import Check, Finding, Round
from triage.models.check import CheckQuerySet
from triage.moves import Moves, moves, previous
from triage.pages import history
from triage.pages.address import Address
from triage.pages.history import Tally
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
MOST_CAUSES = 8
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
    whole, apart = history.together(by_domain.values()), sections(row, every, by_domain)
    listing = listed(here, found, sort, _facets(checks, here), FILTERS)
    return render(
        request,
        "pages/round.html",
        {
            "round": row,
            "said": said(row),
            "took": (row.finished - row.created).total_seconds() if row.finished else None,
            "kept": f"round={number}&",
            "tally": whole,
            "sections": apart,
            "panel": row.panel,
            "progress": None if row.finished else progress(row, user),
            "errors": history.errors(every) if whole.errors else [],
            "may_cancel": row.finished is None and may_cancel(user, row),
            "codes": {(one["code"], one["severity"]) for part in apart for one in part["codes"]},
            "by_domain": by_domain,
            "listing": listing,
            "moves": _since_the_last(row, user),
            "most_causes": MOST_CAUSES,
        },
    )


def _since_the_last(row: Round, user: User) -> Moves | None:
    """What moved since the round before; None where there is none, or this one has not gone to its end."""
    before = previous(row, user) if row.finished and not row.cancelled else None
    return moves(before, row, user) if before else None


NAMES = {OURS: "Our environments", GIVEN: "Published environments"}


def sections(row: Round, every: CheckQuerySet, tallies: dict[str, Tally]) -> list[dict[str, Any]]:
    """The checks of a round in numbers: ours apart from those of given domains, where it was over both."""
    contracts = Component.objects.contracts().filter(domain__slug__in=tallies)
    known = {one.domain.slug: one for one in contracts.select_related("domain")}
    sorts = history.by_authority(tallies, known)
    if len(sorts) < 2:
        return [_section(row, every, tallies, "")]
    return [
        _section(row, every.filter(environment__domain__slug__in=found), found, authority)
        for authority, found in sorts.items()
    ]


def _section(
    row: Round, checks: CheckQuerySet, tallies: dict[str, Tally], authority: str
) -> dict[str, Any]:
    whole = history.together(tallies.values())
    so_far = "" if row.finished else " so far, over all in scope"
    return {
        "title": NAMES.get(authority, ""),
        "name": f"Solvability{so_far}",
        "kept": f"round={row.pk}&" + (f"authority={authority}&" if authority else ""),
        "tally": whole,
        "rates": {agent: whole.rate(agent) for agent in row.panel},
        "codes": by_code(checks),
    }


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
