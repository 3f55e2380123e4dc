"""The review queue: proposals as a list, as CSV, and several of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from triage.models import Proposal
from triage.models.proposal import ProposalState
from triage.pages.environment_list import whole
from triage.pages.listing import Heading, Sort, listed
from triage.pages.queue import FILTERS, NO_ONE, RANK, facets, narrowed, with_trial
from triage.pages.reader import address, reader
from triage.pages.sample import way_back
from triage.pages.spreadsheet import spreadsheet
from triage.trials import attempt

HEADINGS = (
    Heading("Choose", css="col-box"),
    Heading("State", "rank", RANK, css="col-s col-sign"),
    Heading("Proposal", "title", ("title",)),
    Heading("Effect", "fixed", ("fixed",), css="col-s number", falling=True),
    Heading("Held-out", css="col-s number wide-only"),
    Heading("Against it", css="col-l wide-only"),
    Heading("By", "by", ("author__username",), css="col-s wide-only"),
    Heading("Written", "newest", ("created",), css="col-s number wide-only", falling=True),
)
REPORTED = (
    "fixed",
    "regressed",
    "unchanged",
    "cured",
    "held_out_fixed",
    "held_out",
    "accepted_to_rejected",
    "rejected_to_accepted",
    "weakens",
    "redefines",
    "edit_size",
)
CSV = [
    "proposal",
    "state",
    "title",
    "domain",
    "components",
    "fault",
    "revision",
    "author",
    "created",
    "authority",
    "repair",
    "likelihood",
    *REPORTED,
]


@login_required
def proposals(request: HttpRequest) -> HttpResponseBase:
    """`/proposals/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "rank")
    rows = with_trial(narrowed(user, here)).select_related("domain", "fault", "author")
    rows = rows.prefetch_related("changes__component").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("proposals", CSV, _lines(rows))
    listing = listed(here, rows, sort, facets(user, here), FILTERS)
    listing.page.object_list = against(listing.page.object_list)
    shown = {"listing": listing, "back": request.get_full_path()}
    return render(request, "pages/proposals.html", shown)


def against(rows: Iterable[Any]) -> list[Any]:
    """Proposals, each with `against`: words for what its trial speaks of against it."""
    listed = list(rows)
    for row in listed:
        said, report = [], row.report or {}
        said += ["pass→fail"] if report.get("accepted_to_rejected") else []
        said += ["fail→pass"] if report.get("rejected_to_accepted") else []
        said += ["weakens"] if report.get("weakens") else []
        said += ["redefines"] if report.get("redefines") else []
        said += ["given"] if any(one.component.is_given for one in row.changes.all()) else []
        row.against = said
    return listed


def _lines(rows: Any) -> Iterator[list[Any]]:
    for row in rows.iterator(chunk_size=200):
        report = row.report or {}
        yield [
            row.pk,
            row.state,
            row.title,
            row.domain.slug,
            " ".join(f"{one.component.kind}/{one.component.slug}" for one in row.changes.all()),
            row.fault_id,
            row.revision,
            row.author.get_username() if row.author else NO_ONE,
            row.created,
            row.authority,
            row.repair_id,
            row.likelihood,
            *(report.get(name) for name in REPORTED),
        ]


@login_required
@require_POST
def try_together(request: HttpRequest) -> HttpResponse:
    """`POST /proposals/try/` with `proposal` ids: one joint trial of them; goes to it."""
    user = reader(request)
    chosen = chosen_of(user, request)
    if not chosen:
        messages.info(request, "Nothing was tried: choose proposals that are not decided yet.")
        return redirect(way_back(request, "proposals"))
    try:
        trial = attempt(user, chosen)
    except ValueError as error:
        messages.error(request, f"Nothing was tried: {error}.")
        return redirect(way_back(request, "proposals"))
    return redirect("trial", trial.pk)


def chosen_of(user: User, request: HttpRequest) -> list[Proposal]:
    """The undecided proposals that a form names, of those that a user may see."""
    rows = Proposal.objects.visible_to(user).undecided().exclude(state=ProposalState.TRYING)
    return list(rows.filter(pk__in=map(whole, request.POST.getlist("proposal"))).order_by("pk"))
