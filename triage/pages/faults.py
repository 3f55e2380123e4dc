"""Triage: the faults, those whose repair would gain most first."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from triage.models import Fault, Proposal, Repair, Suspect
from triage.models.fault import OPEN_FAULTS, FaultQuerySet, FaultStatus
from triage.models.job import UNFINISHED_JOBS
from triage.models.proposal import DECIDED
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet
from triage.pages.suspect import with_best, with_suspected
from triage.repairing import PERMISSION, wanting

FILTERS = {
    "status": ("Status", "fault"),
    "domain": ("Domain", ""),
    "suspect": ("Suspect", "kind"),
    "code": ("Code", "code"),
    "assignee": ("Assignee", ""),
}
COLUMNS = {
    "status": "status",
    "domain": "domain__slug",
    "suspect": "suspected",
    "code": "code",
    "assignee": "assignee__username",
}
NOBODY = "nobody"
HEADINGS = (
    Heading("Status", "status", ("status",), css="col-s col-sign"),
    Heading("Fault", "fault", ("title",)),
    Heading("Best suspect", css="col-suspect wide-only"),
    Heading("Repairs", css="col-xs number wide-only"),
    Heading("Environments", "gain", ("environments",), css="col-m number", falling=True),
    Heading("Assignee", "assignee", ("assignee__username",), css="col-s wide-only"),
    Heading("First seen", "newest", ("created",), css="col-s number wide-only", falling=True),
)
CSV = [
    "fault",
    "status",
    "title",
    "domain",
    "code",
    "environments",
    "severity",
    "suspect",
    "kind",
    "place",
    "score",
    "state",
    "tied with",
    "repairs proposed",
    "assignee",
    "first round",
    "last round",
    "fixed in round",
    "first seen",
]
PROPOSED = (
    Proposal.objects.filter(fault=OuterRef("pk"))
    .exclude(state__in=DECIDED)
    .order_by()
    .values("fault")
    .annotate(n=Count("pk"))
    .values("n")
)
SEARCHED = Exists(Repair.objects.filter(fault=OuterRef("pk"), state__in=UNFINISHED_JOBS).order_by())


@login_required
def faults(request: HttpRequest) -> HttpResponseBase:
    """`/faults/`: where no status is asked for, those that are open."""
    here, user = address(request), reader(request)
    every = with_suspected(Fault.objects.visible_to(user))
    sort = Sort(here, HEADINGS, "-gain")
    asked = narrowed(every, here)
    rows = asked.annotate(proposed=Coalesce(Subquery(PROPOSED), 0), is_searched=SEARCHED)
    rows = rows.select_related("domain", "assignee").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("faults", CSV, map(_line, with_best(rows)))
    found = facets(every, here)
    listing = listed(here, rows, sort, found, FILTERS)
    listing.page.object_list = with_best(listing.page.object_list)
    shown = {
        "listing": listing,
        "aside": aside(found),
        "most": most(listing.page.object_list),
        "wanting": wanting(asked).count() if user.has_perm(PERMISSION) else 0,
        "where": request.GET.urlencode(),
    }
    return render(request, "pages/faults.html", shown)


def narrowed(rows: Any, here: Address, leaving: str = "") -> Any:
    """Of faults with `suspected` those that the address asks for, by all filters but `leaving`."""
    for word in here.one("q").split():
        suspects = Suspect.objects.filter(fault=OuterRef("pk"), component__slug__icontains=word)
        rows = rows.filter(
            Q(title__icontains=word) | Q(code__icontains=word) | Exists(suspects.order_by())
        )
    if not here.all("status") and leaving != "status":
        rows = rows.filter(status__in=OPEN_FAULTS)
    for name, column in COLUMNS.items():
        if here.all(name) and name != leaving:
            rows = rows.filter(_among(name, column, here.all(name)))
    return rows


def _among(name: str, column: str, values: list[str]) -> Q:
    named = Q(**{f"{column}__in": values})
    return named | Q(assignee=None) if name == "assignee" and NOBODY in values else named


def facets(rows: Any, here: Address) -> list[Facet]:
    """Each facet counts what the other filters leave: one query a facet."""
    return [
        facet(here, name, *FILTERS[name], _counts(name, narrowed(rows, here, leaving=name)))
        for name in FILTERS
    ]


def _counts(name: str, rows: FaultQuerySet) -> dict[str, int]:
    column = COLUMNS[name]
    counts: Any = rows.order_by().values(column).annotate(n=Count("pk"))
    if name == "assignee":
        return counted([{**row, column: row[column] or NOBODY} for row in counts], column)
    found = counted(counts, column)
    return (
        {one: found[one] for one in FaultStatus.values if one in found}
        if name == "status"
        else found
    )


def aside(found: list[Facet]) -> list[Any]:
    """Of the facet of statuses: the choices that are not open, which the list leaves out until they are asked for."""
    (statuses,) = [one for one in found if one.name == "status"]
    return [one for one in statuses.choices if one.value not in OPEN_FAULTS and not one.is_on]


def most(rows: list[Any]) -> int:
    """How many environments the longest bar is."""
    return max((row.environments for row in rows), default=0)


def _line(row: Any) -> list[Any]:
    return [
        row.pk,
        row.status,
        row.title,
        row.domain.slug,
        row.code,
        row.environments,
        "blocking" if row.is_blocking else "warning",
        *_suspect(row),
        row.others,
        row.proposed,
        row.assignee.get_username() if row.assignee else "",
        row.first_round_id,
        row.last_round_id,
        row.fixed_round_id,
        row.created,
    ]


def _suspect(row: Any) -> list[Any]:
    best = row.best
    if best is None:
        return ["", "", "", None, ""]
    name = str(best.component or best.party)
    return [name, row.suspected, best.symbol, best.score, best.state]
