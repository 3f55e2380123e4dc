"""Rounds: all of them, one of them, those that run now, and starting one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from components.models import Domain
from triage.models import Round
from triage.pages import history
from triage.pages.environment_list import whole
from triage.pages.listing import Heading, Listing, Sort, paged
from triage.pages.reader import address, reader
from triage.rounds import RoundInvalid, create_round, progress

HEADINGS = (
    Heading("Round", "round", ("pk",), css="col-s", falling=True),
    Heading("Scope", css="wide-only"),
    Heading("Panel", css="wide-only"),
    Heading("In scope", css="col-s number"),
    Heading("Outcome", css="col-l wide-only"),
    Heading("Solvability", css="col-s number"),
    Heading("By", "by", ("author__username",), css="col-m wide-only"),
    Heading("Took", css="col-s number wide-only"),
    Heading("Started", "started", ("created",), css="col-s number", falling=True),
)


@login_required
def rounds(request: HttpRequest) -> HttpResponse:
    """`/rounds/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "-round")
    rows = (
        Round.objects.visible_to(user)
        .select_related("author")
        .prefetch_related(Prefetch("domains", Domain.objects.visible_to(user)))
    )
    page = paged(rows.order_by(*sort.fields), here)
    listed: list[Any] = list(page.object_list)
    tallies = history.by_round(listed, user)
    for row in listed:
        row.tally = tallies[row.pk]
        row.took = (row.finished - row.created).total_seconds() if row.finished else None
    page.object_list = listed
    return render(request, "pages/rounds.html", {"listing": Listing(here, page, sort.columns())})


@login_required
@require_POST
def run(request: HttpRequest) -> HttpResponse:
    """`POST /rounds/run/`: start a round and go to it; where that cannot be, say why and go back."""
    wanted = [slug for slug in request.POST.getlist("domain") if slug]
    sample = whole(request.POST.get("sample", "")) or None
    try:
        made = create_round(reader(request), wanted, sample=sample)
    except RoundInvalid as error:
        messages.error(request, f"No round was started: {error}.")
        return redirect("overview")
    return redirect("round", made.pk)


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
