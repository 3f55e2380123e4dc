"""Deciding on proposals, trying them, and bringing stale ones up to date."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from components.actor import demand
from triage.models import Proposal
from triage.pages.environment_list import whole
from triage.pages.proposal import found, shown
from triage.pages.reader import reader, words
from triage.pages.trial import trials_of
from triage.refreshing import refresh
from triage.review import OverrideNeeded, approve, approve_many, defer, reject
from triage.trials import attempt

REVIEW = "triage.review_proposal"


@login_required
@require_POST
def decide_proposal(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /proposals/N/decide/` with `decision` (approve, reject, defer), `revision`, `comment` and `override`; goes
    back to the proposal, with what was written where it did not come to that."""
    user = reader(request)
    row = found(user, number)
    demand(user, REVIEW, "decide on a proposal")
    said, revision = words(request, "comment"), whole(words(request, "revision"))
    decision = words(request, "decision")
    try:
        if decision == "approve":
            approve(user, row, revision, said, words(request, "override"))
        elif decision == "reject":
            reject(user, row, revision, said)
        elif decision == "defer":
            defer(user, row, revision, said)
        else:
            raise ValueError(f"one approves, rejects or defers, not {decision[:40]!r}")
    except OverrideNeeded as error:
        messages.error(request, f"Not approved yet. {str(error).capitalize()}.")
        return _again(request, row, decision, said)
    except ValueError as error:
        messages.error(request, f"Nothing was decided: {error}.")
        return _again(request, row, decision, said)
    return redirect("proposal", number)


def _again(request: HttpRequest, row: Proposal, decision: str, said: str) -> HttpResponse:
    """The page as it is now, with what was written."""
    now = found(reader(request), row.pk)
    kept = {"deciding": decision, "said": said, "overriding": words(request, "override")}
    return shown(request, now, 409, **kept)


@login_required
@require_POST
def try_proposal(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /proposals/N/try/`: a full trial of it, of a stale one on what there is now."""
    user = reader(request)
    row = found(user, number)
    try:
        if words(request, "refresh"):
            told = refresh(user, row)
            for said in (*told.merged, *told.kept, *told.dropped):
                messages.info(request, f"{said}.")
        attempt(user, [row])
    except ValueError as error:
        messages.error(request, f"It was not tried: {error}.")
    return redirect("proposal", number)


@login_required
@require_POST
def approve_together(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /trials/N/approve/` with `revision-N` of each of its proposals: approve all or none."""
    user = reader(request)
    trial = get_object_or_404(trials_of(user), pk=number)
    demand(user, REVIEW, "decide on a proposal")
    rows = list(Proposal.objects.undecided().filter(trials=trial).order_by("pk"))
    chosen = [(row, whole(words(request, f"revision-{row.pk}"))) for row in rows]
    try:
        approve_many(user, chosen, trial, words(request, "comment"), words(request, "override"))
    except ValueError as error:
        messages.error(request, f"None of them was approved: {error}.")
        return redirect("trial", number)
    messages.success(request, f"{len(rows)} proposals approved.")
    return redirect("trial", number)
