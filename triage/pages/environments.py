"""The list of environments, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from components.models import Environment
from triage.models import Check
from triage.pages.environment_list import FILTERS, facets, narrowed, with_times
from triage.pages.listing import Heading, Listing, Sort, chips, paged
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet

HEADINGS = (
    Heading("Status", "status", ("status", "domain__slug", "slug"), css="col-s"),
    Heading("Environment", "environment", ("domain__slug", "slug")),
    Heading("Findings", css="col-l"),
    Heading("Blamed", css="col-k wide-only"),
    Heading("Solved by", css="col-s wide-only"),
    Heading("Took", "took", ("seconds",), css="col-xs number wide-only", falling=True),
    Heading("Checked", "checked", ("checked",), css="col-s number wide-only", falling=True),
)
COLUMNS = [
    "domain",
    "environment",
    "status",
    "findings",
    "blamed",
    "solved by",
    "seconds",
    "checked",
]


@login_required
def environments(request: HttpRequest) -> HttpResponseBase:
    """`/environments/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "environment")
    rows = with_times(narrowed(user, here)).select_related("domain").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("environments", COLUMNS, _lines(rows))
    page = paged(rows, here)
    page.object_list = with_checks(page.object_list)
    listing = Listing(
        here,
        page,
        sort.columns(),
        facets(user, here),
        chips(here, FILTERS),
        here.one("q"),
    )
    return _page(request, listing)


def _page(request: HttpRequest, listing: Listing) -> HttpResponse:
    return render(request, "pages/environments.html", {"listing": listing})


def with_checks(rows: Iterable[Environment]) -> list[Environment]:
    """The environments, each with its latest `check` and all that hangs on it, in a fixed number of queries."""
    listed: list[Any] = list(rows)
    wanted = [row.latest_check for row in listed if row.latest_check]
    checks = {check.pk: check for check in detailed().filter(pk__in=wanted)}
    for row in listed:
        row.check = checks.get(row.latest_check)
    return listed


def detailed() -> Any:
    """Checks with result, findings (and whom they blame) and episodes, without their documents."""
    from triage.models import Episode, Finding

    findings = Finding.objects.select_related("component__domain", "version")
    episodes = Episode.objects.defer("document").select_related("agent")
    return Check.objects.select_related("result", "round").prefetch_related(
        Prefetch("result__findings", findings), Prefetch("result__episodes", episodes)
    )


def _lines(rows: Any) -> Iterator[list[Any]]:
    for row in with_checks(rows):
        result = row.check.result if row.check else None
        findings = list(result.findings.all()) if result else []
        episodes = list(result.episodes.all()) if result else []
        yield [
            row.domain.slug,
            row.slug,
            row.status,
            _joined(finding.code for finding in findings),
            _joined(str(finding.component) for finding in findings if finding.component),
            _joined(episode.agent.name for episode in episodes if episode.reward == 1),
            row.seconds,
            row.checked,
        ]


def _joined(words: Iterable[str]) -> str:
    return " ".join(sorted(set(words)))
