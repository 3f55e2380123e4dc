"""What is done with a fault from its page: assign, comment, archive, reopen; weigh its suspects, and stop that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.actor import demand
from triage import faultcare
from triage.attribution import attribute, cancel
from triage.models import Attribution, Fault
from triage.pages.fault import people
from triage.pages.reader import reader, words


@login_required
@require_POST
def assign_fault(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/assign/` with `assignee`, a name; empty = nobody."""
    row, name = _fault(request, number), words(request, "assignee")
    demand(reader(request), "triage.change_fault", "assign a fault")
    user = people(row).filter(username=name).first() if name else None
    if name and user is None:
        messages.error(request, f"Nobody who may read this fault is called {name[:150]}.")
        return redirect("fault", row.pk)
    return _done(request, row, lambda: faultcare.assign(reader(request), row, user))


@login_required
@require_POST
def comment_fault(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/comment/` with `text`."""
    row, text = _fault(request, number), words(request, "text")
    return _done(
        request, row, lambda: faultcare.comment(reader(request), row, text), anchor="#discussion"
    )


@login_required
@require_POST
def archive_fault(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/archive/` with `reason`."""
    row, reason = _fault(request, number), words(request, "reason")
    return _done(request, row, lambda: faultcare.archive(reader(request), row, reason))


@login_required
@require_POST
def reopen_fault(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/reopen/`"""
    row = _fault(request, number)
    return _done(request, row, lambda: faultcare.reopen(reader(request), row))


@login_required
@require_POST
def weigh_suspects(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /faults/N/weigh/`: start the job that weighs the suspects thoroughly."""
    row = _fault(request, number)
    return _done(request, row, lambda: attribute(reader(request), row))


@login_required
@require_POST
def cancel_weighing(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /attributions/N/cancel/`: end it before its time; what it found out before stays."""
    user, held = reader(request), _attribution(request, number)
    return _done(request, held.fault, lambda: cancel(user, held))


@login_required
def weighing_progress(request: HttpRequest, number: int) -> HttpResponse:
    """`/attributions/N/progress/`: how far it is; tells the page to load again once it has ended."""
    held = _attribution(request, number)
    response = render(request, "parts/weighing.html", {"attribution": held})
    if not held.is_unfinished:
        response["HX-Refresh"] = "true"
    return response


def _fault(request: HttpRequest, number: int) -> Fault:
    rows = Fault.objects.visible_to(reader(request)).select_related("domain")
    return get_object_or_404(rows, pk=number)


def _attribution(request: HttpRequest, number: int) -> Attribution:
    rows = Attribution.objects.visible_to(reader(request)).select_related("fault")
    return get_object_or_404(rows, pk=number)


def _done(
    request: HttpRequest, row: Fault, act: Callable[[], Any], anchor: str = ""
) -> HttpResponse:
    try:
        act()
    except ValueError as error:
        messages.error(request, f"Nothing was done: {error}.")
    return redirect(f"{reverse('fault', args=[row.pk])}{anchor}")
