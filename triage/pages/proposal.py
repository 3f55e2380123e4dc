"""One proposal: what it changes, what its trial showed, what it rests on, and the decision."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from triage.models import Outcome, Proposal, Suspect, Trial
from triage.models.job import UNFINISHED_JOBS, JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.pages.beforeafter import before_after
from triage.pages.change import parts_of
from triage.pages.environment_list import whole
from triage.pages.queue import RANK, with_trial
from triage.pages.reader import address, reader
from triage.pages.trial import numbers
from triage.patches import file_name, patch_file
from triage.ranking import rivals
from triage.review import objections
from triage.trials import latest_trial

MOST_ATTEMPTS = 5
MOST_SAID = 8
"""Environments whose weakening or drift a page spells out."""
UNJUDGED = {
    "diverged": "they took another course than was stored: only a fresh run can judge them",
    "unscored": "they were judged before, and are not scored with the candidate",
    "untried": "there was no time to play them again",
}
"""What a report counts of stored episodes that tell nothing, and why they do not."""
UNMEASURED = (
    "no wrong episode applies there both before and after; of tools and records, it is measured in the first "
    "environments only"
)
DECIDABLE = (ProposalState.WAITING, ProposalState.DEFERRED)


@login_required
def proposal(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/proposals/N/`; `?environment=ID` says which one is shown before and after."""
    return shown(request, found(reader(request), number))


@login_required
def proposal_patch(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/proposals/N/patch/`: what it does to the source of an outside server, as a file."""
    row = found(reader(request), number)
    text = patch_file(row)
    if not text:
        raise Http404("it patches no source")
    named = f'attachment; filename="{file_name(row)}"'
    headers = {"Content-Disposition": named, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(text, content_type="text/x-diff; charset=utf-8", headers=headers)


def found(user: User, number: int) -> Proposal:
    """A proposal that a user may see; raises Http404."""
    rows = Proposal.objects.visible_to(user)
    return get_object_or_404(
        rows.select_related("domain", "fault", "author", "decided_by", "repair__author"), pk=number
    )


def shown(request: HttpRequest, row: Proposal, status: int = 200, **said: Any) -> HttpResponse:
    """The page of a proposal; `said` = what somebody wrote into its forms in vain."""
    here, trial = address(request), latest_trial(row)
    is_tried = trial is not None and trial.stage == Stage.FULL
    parts = parts_of(row)
    attempts = list(row.trials.order_by("-pk")[:MOST_ATTEMPTS])
    context = {
        "here": here,
        "proposal": row,
        "parts": parts,
        "is_patch": any(part.is_patch for part in parts),
        "trial": trial,
        "is_open": not row.is_decided,
        "attempts": attempts,
        "running": [one for one in attempts if one.state in UNFINISHED_JOBS],
        "trouble": attempts[0].error if attempts and attempts[0].state == JobState.FAILED else "",
        "moved": row.moved() if not row.is_decided else [],
        "is_decidable": row.state in DECIDABLE and is_tried,
        "is_tried": is_tried,
        "against": objections([row], trial) if trial and is_tried and not row.is_decided else [],
        "suspects": suspects(row),
        "rivals": rivals(row),
        "next": next_waiting(reader(request), row),
        **(of_trial(trial, whole(here.one("environment"))) if trial else {}),
        **said,
    }
    return render(request, "pages/proposal.html", context, status=status)


def of_trial(trial: Trial, asked: int) -> dict[str, Any]:
    """What a page says of a trial; eight queries."""
    said = Outcome.objects.filter(trial=trial).exclude(weakened=[], drift=[])
    return {
        "numbers": numbers(trial),
        "example": before_after(trial, asked),
        "told": said.select_related("environment__domain").order_by("environment__slug")[
            :MOST_SAID
        ],
        "unchecked": unchecked(trial),
    }


def suspects(row: Proposal) -> QuerySet[Suspect]:
    """Who is suspected most of the fault that it is for; its own page has all."""
    rows = Suspect.objects.filter(fault=row.fault_id) if row.fault_id else Suspect.objects.none()
    return rows.select_related("component__domain", "version")[:4]


def unchecked(trial: Trial) -> list[tuple[str, str]]:
    """What the trial does not speak of, and why: what results could not observe, with how many say so, first."""
    rows = Outcome.objects.filter(trial=trial).exclude(after=None).order_by()
    wanting = Counter(
        (one["what"], one["why"])
        for unobserved in rows.values_list("after__unobserved", flat=True)
        for one in unobserved
    )
    said = [(f"{what} ({n} environments)", why) for (what, why), n in wanting.most_common()]
    if trial.stage != Stage.FULL:
        said.append(("the rest", f"only the stage {trial.stage or 'none'} is complete"))
    judged = trial.report.get("rejudged") or {}
    said += [
        (f"{n} stored episodes", why) for name, why in UNJUDGED.items() if (n := judged.get(name))
    ]
    unmeasured = Outcome.objects.filter(trial=trial).filter(
        Q(strength_before=None) | Q(strength_after=None)
    )
    if count := unmeasured.count():
        said.append((f"verifier strength of {count} environments", UNMEASURED))
    return said


def next_waiting(user: User, row: Proposal) -> Proposal | None:
    """The proposal that wants a decision next."""
    waiting = Proposal.objects.visible_to(user).filter(state=ProposalState.WAITING)
    return with_trial(waiting.exclude(pk=row.pk)).order_by(*RANK, "pk").first()
