"""One trial: what it showed in numbers, and the environments behind each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from components.actor import demand
from triage.candidates import CandidateInvalid, proposal_digest
from triage.jobs import JobOver, cancel
from triage.models import Outcome, Proposal, Trial
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet
from triage.review import objections

SHOWS: Mapping[str, tuple[str, Q]] = {
    "lost": ("pass→fail", Q(accepted_to_rejected__gt=0)),
    "gained": ("rejected→accepted", Q(rejected_to_accepted__gt=0)),
    "cured": ("fault cured", Q(is_cured=True)),
    "affected": ("showed the fault", Q(is_affected=True)),
    "held-out": ("held-out half", Q(is_held_out=True, is_affected=True)),
    "same": ("re-judged the same", Q(rejudged__same__gt=0)),
    "rejudged-lost": ("re-judged pass→fail", Q(rejudged__accepted_to_rejected__gt=0)),
    "rejudged-gained": ("re-judged fail→pass", Q(rejudged__rejected_to_accepted__gt=0)),
    "diverged": ("re-judged, diverged", Q(rejudged__diverged__gt=0)),
    "weakened": (
        "verifier weakened",
        ~Q(weakened=[]) | Q(strength_after__lt=F("strength_before")),
    ),
    "drift": ("asks otherwise", ~Q(drift=[])),
    "trouble": ("trouble of ours", ~Q(error="")),
}
"""What an outcome may show, as the address says it, → words and how it is found."""
FILTERS = {"move": ("Came out", "move"), "shows": ("Shows", ""), "stage": ("Stage", "")}
HEADINGS = (
    Heading("Came out", "move", ("move", "environment__slug"), css="col-s col-sign"),
    Heading("Environment", "environment", ("environment__slug",)),
    Heading("Before, after", "status", ("before_status", "after_status"), css="col-s wide-only"),
    Heading("pass→fail", "lost", ("accepted_to_rejected",), css="col-s number", falling=True),
    Heading(
        "fail→pass", "gained", ("rejected_to_accepted",), css="col-s number wide-only", falling=True
    ),
    Heading("Strength", css="col-m number wide-only"),
    Heading("Says", css="col-l wide-only"),
)
CSV = [
    "environment",
    "stage",
    "move",
    "before",
    "after",
    "cured",
    "affected",
    "held out",
    "accepted to rejected",
    "rejected to accepted",
    "strength before",
    "strength after",
    "weakened",
    "drift",
    "diverged",
    "error",
]


@dataclass(frozen=True)
class Number:
    """A number of a trial, the environments that it counts, and whether it speaks for or against."""

    name: str
    value: Any
    url: str = ""
    look: str = ""
    of: Any = None


def numbers(trial: Trial) -> dict[str, list[Number]]:
    """What a trial's report says, in the order of its weight: `first`, `moves`, `rejudged`."""
    report, path = trial.report, reverse("trial", args=[trial.pk])

    def one(name: str, key: str, look: str = "", of: str = "", **asked: str) -> Number:
        value = report.get(key)
        url = f"{path}?{urlencode(asked)}" if value else ""
        return Number(name, value, url, look if value else "", report.get(of) if of else None)

    judged = report.get("rejudged") or {}

    def again(name: str, key: str, shows: str, look: str = "") -> Number:
        value = judged.get(key, 0)
        return Number(name, value, f"{path}?shows={shows}" if value else "", look if value else "")

    return {
        "first": [
            one("pass→fail", "accepted_to_rejected", "bad", shows="lost"),
            one("rejected→accepted", "rejected_to_accepted", "bad", shows="gained"),
        ],
        "moves": [
            one("fixed", "fixed", "good", move="fixed"),
            one("regressed", "regressed", "bad", move="regressed"),
            one("unchanged", "unchanged", move="unchanged"),
            one("fault cured", "cured", "good", shows="cured"),
            one("held-out half", "held_out_fixed", of="held_out", shows="held-out"),
            one("trouble of ours", "errors", "bad", shows="trouble"),
        ],
        "rejudged": [
            again("same verdict", "same", "same"),
            again("pass→fail", "accepted_to_rejected", "rejudged-lost", "bad"),
            again("fail→pass", "rejected_to_accepted", "rejudged-gained", "bad"),
            again("diverged", "diverged", "diverged"),
        ]
        if judged
        else [],
    }


def trials_of(user: User) -> QuerySet[Trial]:
    """The trials that a user may read whole: none of their proposals is of a hidden domain."""
    hidden = Proposal.objects.exclude(pk__in=Proposal.objects.visible_to(user).order_by())
    return Trial.objects.visible_to(user).exclude(proposals__in=hidden)


@login_required
def trial(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/trials/N/`"""
    here, user = address(request), reader(request)
    row = get_object_or_404(trials_of(user).select_related("author"), pk=number)
    sort = Sort(here, HEADINGS, "move")
    mine = Outcome.objects.filter(trial=row)
    rows = narrowed(mine, here).select_related("environment__domain").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet(f"trial-{row.pk}", CSV, map(_line, rows))
    proposals = list(row.proposals.select_related("domain").order_by("pk"))
    shown = {
        "listing": listed(here, rows, sort, facets(mine, here), FILTERS),
        "trial": row,
        "numbers": numbers(row),
        "proposals": proposals,
        "is_outdated": speaks_for_another(row, proposals),
        "open": [one for one in proposals if not one.is_decided],
        "against": objections(proposals, row) if len(proposals) > 1 and row.report else [],
    }
    return render(request, "pages/trial.html", shown)


def speaks_for_another(trial: Trial, proposals: Sequence[Proposal]) -> bool:
    """Whether what was tried is not what its proposals would change now; one query."""
    try:
        return proposal_digest(*proposals) != trial.digest
    except CandidateInvalid:
        return True


def narrowed(rows: QuerySet[Outcome], here: Address, leaving: str = "") -> QuerySet[Outcome]:
    """The outcomes that the address asks for, by all filters but `leaving`."""
    for word in here.one("q").split():
        rows = rows.filter(environment__slug__icontains=word)
    for name in ("move", "stage"):
        if here.all(name) and name != leaving:
            rows = rows.filter(**{f"{name}__in": here.all(name)})
    for what in here.all("shows") if leaving != "shows" else ():
        rows = rows.filter(SHOWS[what][1]) if what in SHOWS else rows.none()
    return rows


def facets(rows: QuerySet[Outcome], here: Address) -> list[Facet]:
    """Each counts what the other filters leave; three queries."""
    found = {}
    for name in ("move", "stage"):
        counts: Any = narrowed(rows, here, name).order_by().values(name).annotate(n=Count("pk"))
        found[name] = counted(counts, name)
    counting = {name.replace("-", "_"): Count("pk", filter=q) for name, (_, q) in SHOWS.items()}
    shown = narrowed(rows, here, "shows").aggregate(**counting)
    found["shows"] = {name: n for name in SHOWS if (n := shown[name.replace("-", "_")])}
    words = {name: title for name, (title, _) in SHOWS.items()}
    return [
        facet(here, name, *FILTERS[name], found[name], words if name == "shows" else None)
        for name in FILTERS
    ]


def _line(row: Outcome) -> list[Any]:
    return [
        str(row.environment),
        row.stage,
        row.move,
        row.before_status,
        row.after_status,
        "yes" if row.is_cured else "no",
        "yes" if row.is_affected else "no",
        "yes" if row.is_held_out else "no",
        row.accepted_to_rejected,
        row.rejected_to_accepted,
        row.strength_before,
        row.strength_after,
        " ".join(row.weakened),
        " ".join(str(one.get("what", "")) for one in row.drift),
        row.rejudged.get("diverged", 0),
        row.error,
    ]


@login_required
def trial_progress(request: HttpRequest, number: int) -> HttpResponse:
    """`/trials/N/progress/`: how far it is; tells the page to load again once it has ended."""
    row = get_object_or_404(trials_of(reader(request)), pk=number)
    response = render(request, "parts/trialprogress.html", {"trial": row})
    if not row.is_unfinished:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def cancel_trial(request: HttpRequest, number: int) -> HttpResponse:
    """`POST /trials/N/cancel/`: end it; goes to its proposal, or to itself where it is of several."""
    user = reader(request)
    row = get_object_or_404(trials_of(user), pk=number)
    demand(user, "triage.add_trial", "cancel a trial")
    try:
        cancel(user, row)
    except JobOver as error:
        messages.info(request, f"{str(error).capitalize()}.")
    proposals = list(row.proposals.values_list("pk", flat=True)[:2])
    return redirect("proposal", proposals[0]) if len(proposals) == 1 else redirect("trial", number)
