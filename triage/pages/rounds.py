"""Rounds: all of them, one of them, those that run now, and starting one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.actor import demand
from components.models import Component
from triage.cancellation import RoundOver, cancel
from triage.models import Round
from triage.pages import history
from triage.pages.address import Address
from triage.pages.audit import NOBODY
from triage.pages.environment_list import FILTERS, narrowed, standing, whole
from triage.pages.listing import Heading, Listing, Sort, paged
from triage.pages.reader import address, reader
from triage.pages.scope import said
from triage.pages.spreadsheet import spreadsheet
from triage.rounds import create_round, progress
from triage.scope import Listed, RoundInvalid, Scope

HEADINGS = (
    Heading("Round", "round", ("pk",), css="col-s", falling=True),
    Heading("Scope", css="wide-only"),
    Heading("Panel", css="col-k wide-only"),
    Heading("In scope", css="col-m number"),
    Heading("Outcome", css="col-l wide-only"),
    Heading("Solvability", css="col-s number"),
    Heading("By", "by", ("author__username",), css="col-s wide-only"),
    Heading("Took", css="col-s number wide-only"),
    Heading("Started", "started", ("created",), css="col-s number", falling=True),
)

CSV = [
    "round",
    "scope",
    "panel",
    "environments",
    "solvable",
    "broken",
    "unproven",
    "errors",
    "solvability",
    "floor",
    "author",
    "created",
    "finished",
    "seconds",
    "cancelled",
]


@login_required
def rounds(request: HttpRequest) -> HttpResponseBase:
    """`/rounds/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "-round")
    rows = Round.objects.visible_to(user).select_related("author", "cancelled_by")
    rows = rows.with_domains(user).order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("rounds", CSV, map(_line, with_numbers(rows, user)))
    page = paged(rows, here)
    page.object_list = with_numbers(page.object_list, user)
    return render(request, "pages/rounds.html", {"listing": Listing(here, page, sort.columns())})


def with_numbers(rows: Iterable[Round], user: User) -> list[Any]:
    """Rounds, each with its `tally`, what was `said` of its scope, and how long it `took`."""
    listed: list[Any] = list(rows)
    tallies = history.by_round(listed, user)
    for row in listed:
        row.tally, row.said = tallies[row.pk], said(row)
        row.took = (row.finished - row.created).total_seconds() if row.finished else None
    return listed


def _line(row: Any) -> list[Any]:
    return [
        row.pk,
        row.said,
        " ".join(row.panel),
        *row.tally.numbers,
        row.tally.solvability,
        row.tally.floor(row.panel),
        row.author.get_username() if row.author else NOBODY,
        row.created,
        row.finished,
        row.took,
        row.cancelled,
    ]


@login_required
@require_POST
def run(request: HttpRequest) -> HttpResponse:
    """`POST /rounds/run/`: start a round and go to it; where that cannot be, say why and go back."""
    asked = Address(reverse("overview"), request.POST)
    domains = asked.all("domain") or _domains_of(reader(request), asked.all("authority"))
    scope = Scope(
        domains=domains,
        environments=asked.all("environment"),
        sample=whole(asked.one("sample")) or None,
    )
    return _started(request, scope, back=asked.path)


def _domains_of(user: User, authorities: Collection[str]) -> list[str]:
    """The domains to check where a page of one authority asks for all of its own; none = all there are."""
    contracts = Component.objects.visible_to(user).contracts().select_related("domain")
    return [one.domain.slug for one in contracts if one.authority in authorities]


@login_required
@require_POST
def run_listed(request: HttpRequest) -> HttpResponse:
    """`POST /rounds/run/listed/`: a round over all that the list of environments shows by these filters."""
    asked, user = Address(reverse("environments"), request.POST), reader(request)
    demand(user, "triage.add_round", "run a round")
    names = [name for name in ("q", *FILTERS) if asked.all(name)]
    domains, statuses = asked.all("domain"), asked.all("status")
    scope = Scope(domains=domains, statuses=statuses)
    if set(names) - {"domain", "status"}:
        rows = narrowed(standing(user, asked), asked).order_by()
        filters = {name: asked.all(name) for name in names}
        scope = Scope(listed=Listed(filters, list(rows.values_list("pk", flat=True))))
    return _started(request, scope, back=asked.only("sort", *names))


def _started(request: HttpRequest, scope: Scope, back: str) -> HttpResponse:
    try:
        made = create_round(reader(request), scope)
    except RoundInvalid as error:
        messages.error(request, f"No round was started: {error}.")
        return redirect(back)
    return redirect("round", made.pk)


@login_required
@require_POST
def cancel_round(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /rounds/N/cancel/`: end a round, and go to it."""
    user = reader(request)
    row = get_object_or_404(Round.objects.visible_to(user), pk=number)
    try:
        cancel(user, row)
    except RoundOver as error:
        messages.info(request, f"{str(error).capitalize()}.")
    return redirect("round", number)


@login_required
def running(request: HttpRequest) -> HttpResponse:
    """`/rounds/running/`: the rounds at work, as the top of every page shows them."""
    return render(request, "parts/running.html", {"running": at_work(reader(request))})


def at_work(user: User) -> list[dict[str, Any]]:
    """The unfinished rounds that a user may see, each with how far it is."""
    rows = Round.objects.visible_to(user).filter(finished=None).order_by("-pk")[:5]
    return [{"round": row, "progress": progress(row, user)} for row in rows]


@login_required
def round_progress(request: HttpRequest, number: int) -> HttpResponse:
    """`/rounds/N/progress/`: how far one round is; tells the page to load again once it is done."""
    user = reader(request)
    row = get_object_or_404(Round.objects.visible_to(user), pk=number)
    found = {"round": row, "progress": progress(row, user)}
    response = render(request, "parts/progress.html", found)
    if row.finished:
        response["HX-Refresh"] = "true"
    return response
