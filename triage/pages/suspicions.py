"""Suspicious passes: the queue of clusters, and one of them with its episodes beside the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from components.bundles import parsed_bodies
from triage.contrast import contrast, effect
from triage.models import Check, Episode, Result, Suspicion
from triage.models.suspicion import Reading, SuspicionQuerySet
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Listing, Sort, counted, facet, listed, paged
from triage.pages.reader import address, reader, words
from triage.pages.sample import way_back
from triage.pages.spreadsheet import spreadsheet
from triage.suspicions import SuspicionInvalid, clusters, label
from worlds.bundle import Manifest
from worlds.domain import Domain

FILTERS = {
    "reading": ("Read", "verdict"),
    "kind": ("Why", "code"),
    "agent": ("Agent", "agent"),
    "domain": ("Domain", ""),
}
COLUMNS = {
    "reading": "reading",
    "kind": "kind",
    "agent": "episode__agent__name",
    "domain": "component__domain__slug",
}
UNREAD = "unread"
HEADINGS = (
    Heading("Why", "why", ("kind",), css="col-m"),
    Heading("Intent", "intent", ("component__domain__slug", "component__slug")),
    Heading("Agent", "agent", ("episode__agent__name",), css="col-m wide-only"),
    Heading(
        "Environments",
        "environments",
        ("environments",),
        css="col-s number wide-only",
        falling=True,
    ),
    Heading("Passes", "passes", ("episodes",), css="col-s number wide-only", falling=True),
    Heading("Unread", "unread", ("unread",), css="col-s number", falling=True),
    Heading("Wrong", "wrong", ("wrong",), css="col-s number wide-only", falling=True),
)
CSV = [
    "cluster",
    "kind",
    "agent",
    "domain",
    "intent",
    "environments",
    "episodes",
    "unread",
    "right",
    "wrong",
    "explanation",
]
CLUSTER_CSV = [
    "id",
    "domain",
    "environment",
    "episode",
    "kind",
    "explanation",
    "reading",
    "note",
    "by",
    "at",
]


@login_required
def suspicions(request: HttpRequest) -> HttpResponseBase:
    """`/suspicions/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "-unread")
    mine = Suspicion.objects.visible_to(user)
    order = [*sort.fields[:-1], "fingerprint"]  # there is no row behind a cluster
    rows = clusters(narrowed(mine, here)).order_by(*order)
    if here.one("format") == "csv":
        return spreadsheet("suspicions", CSV, map(_line, rows))
    listing = listed(here, rows, sort, facets(mine, here), FILTERS)
    return render(request, "pages/suspicions.html", {"listing": listing})


def narrowed(rows: SuspicionQuerySet, here: Address, leaving: str = "") -> SuspicionQuerySet:
    """The suspicions that the address asks for, by all filters but `leaving`."""
    for word in here.one("q").split():
        rows = rows.filter(component__slug__icontains=word)
    for name, column in COLUMNS.items():
        if here.all(name) and name != leaving:
            values = ["" if value == UNREAD else value for value in here.all(name)]
            rows = rows.filter(**{f"{column}__in": values})
    return rows


def facets(rows: SuspicionQuerySet, here: Address) -> list[Facet]:
    """Each counts passes: one query a facet."""
    return [
        facet(here, name, *FILTERS[name], _counts(column, narrowed(rows, here, name)))
        for name, column in COLUMNS.items()
    ]


def _counts(column: str, rows: SuspicionQuerySet) -> dict[str, int]:
    counts: Any = rows.order_by().values(column).annotate(n=Count("episode", distinct=True))
    named = [{**row, column: row[column] or UNREAD} for row in counts]
    return counted(named, column)


@login_required
def cluster(request: HttpRequest, fingerprint: str) -> HttpResponseBase:
    """`/suspicions/FINGERPRINT/`"""
    here, user = address(request), reader(request)
    mine = Suspicion.objects.visible_to(user).filter(fingerprint=fingerprint)
    about = clusters(mine).first()
    if about is None:
        raise Http404(f"no suspicious pass that you may see has the fingerprint {fingerprint}")
    rows = mine.select_related(
        "episode__agent", "environment__domain", "component__domain", "by", "counterexample"
    ).order_by("reading", "environment__slug", "pk")
    if here.one("format") == "csv":
        return spreadsheet(f"suspicions-{fingerprint}", CLUSTER_CSV, map(_row_line, rows))
    page = paged(rows, here)
    page.object_list = beside(page.object_list)
    return render(
        request,
        "pages/cluster.html",
        {
            "listing": Listing(here, page),
            "about": about,
            "component": page.object_list[0].component,
            "back": request.get_full_path(),
        },
    )


def beside(rows: Iterable[Suspicion]) -> list[Any]:
    """Suspicions, each with its result's `reference` episode (or None) and the `differences` of the two effects,
    and `reading_now` as pages say it; in three queries at most."""
    listed: list[Any] = list(rows)
    results = {row.result_id for row in listed}
    references, domains = _references(results), _contracts(results)
    for row in listed:
        row.reference = references.get(row.result_id)
        row.reading_now = row.reading or UNREAD
        row.differences = []
        domain = domains.get(row.result_id)
        if row.reference is not None and domain is not None:
            mine, theirs = row.episode.document["diff"], row.reference.document["diff"]
            row.differences = contrast(effect(mine, domain), effect(theirs, domain))
    return listed


def _references(results: Iterable[str]) -> dict[str, Episode]:
    links = Result.episodes.through.objects.filter(
        result__in=results, episode__agent__name="reference", episode__attempt=0
    )
    found: Any = links.select_related("episode__agent")
    return {link.result_id: link.episode for link in found}


def _contracts(results: Iterable[str]) -> Mapping[str, Domain]:
    """Result → the contract of the bundle that it is of."""
    checks = Check.objects.filter(result__in=results).order_by("result", "-round_id")
    pinned = {
        str(check.result_id): Manifest.model_validate(check.manifest).domain.body
        for check in checks.distinct("result")
    }
    bodies = parsed_bodies(dict.fromkeys(pinned.values(), "domain"))
    contracts = {key: bodies.get(body) for key, body in pinned.items()}
    return {key: body for key, body in contracts.items() if isinstance(body, Domain)}


@login_required
@require_POST
def label_suspicion(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /suspicions/N/label/` with `reading`; goes back to where it was said."""
    user = reader(request)
    rows = Suspicion.objects.visible_to(user).select_related("environment__domain", "episode")
    row = get_object_or_404(rows, pk=number)
    said = request.POST.get("reading", "")
    try:
        label(user, row, Reading.UNREAD if said == UNREAD else said, words(request, "note"))
    except SuspicionInvalid as error:
        messages.error(request, f"Nothing was said of it: {error}.")
    return redirect(way_back(request, "suspicions"))


def _line(row: Mapping[str, Any]) -> list[Any]:
    return [
        row["fingerprint"],
        row["kind"],
        row["episode__agent__name"],
        row["component__domain__slug"],
        row["component__slug"],
        row["environments"],
        row["episodes"],
        row["unread"],
        row["right"],
        row["wrong"],
        row["explanation"],
    ]


def _row_line(row: Suspicion) -> list[Any]:
    return [
        row.pk,
        row.environment.domain.slug,
        row.environment.slug,
        row.episode_id,
        row.kind,
        row.explanation,
        row.reading or UNREAD,
        row.note,
        row.by.get_username() if row.by else "",
        row.at,
    ]
