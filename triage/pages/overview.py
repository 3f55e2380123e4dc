"""Where everything stands now, the rounds that led there, what is running."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Case, Count, Q, QuerySet, When
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from agents import FLOOR
from components.models import Domain, Environment
from triage.codes import by_code
from triage.models import Round
from triage.pages import history
from triage.pages.present import Present
from triage.pages.reader import address, reader
from triage.pages.reading import by_people
from triage.pages.rounds import at_work
from triage.pages.scope import said
from triage.pages.spreadsheet import Sheets, asked_for
from triage.scope import NARROWING

ROUNDS_DRAWN = 40
IS_PART = Case(
    When(cancelled__isnull=False, then=True),
    When(scope__has_any_keys=NARROWING, then=True),
    When(scope__sample__gte=0, then=True),
    default=False,
)
"""In SQL: whether a round was over less than whole domains."""


@login_required
def overview(request: HttpRequest) -> HttpResponseBase:
    """`/`"""
    here, user = address(request), reader(request)
    latest, present = finished(user).first(), Present(user)
    if (download := asked_for(here, sheets(present) if latest else {})) is not None:
        return download
    shown = {**standing(present), **past(user, latest)} if latest else empty(user)
    if latest:
        shown["read"] = by_people(user)
    domains = Domain.objects.visible_to(user)
    return render(
        request,
        "pages/overview.html",
        {"here": here, "domains": domains, "round": latest, "at_work": at_work(user), **shown},
    )


def sheets(present: Present) -> Sheets:
    """The page's lists, to be downloaded."""
    return history.sheets("now", present.checks, present.panel, present.by_domain)


def finished(user: User) -> QuerySet[Round]:
    """The rounds that are over, the newest first."""
    rounds = Round.objects.visible_to(user).exclude(finished=None)
    return rounds.with_domains(user).order_by("-pk")


def empty(user: User) -> dict[str, Any]:
    """What decides which command to teach."""
    return {"environments": Environment.objects.visible_to(user).count()}


def standing(present: Present) -> dict[str, Any]:
    """All that the page says of the environments as they are."""
    whole, found = present.whole, by_code(present.checks)
    intents, sound = history.by_intent(present.checks)
    return {
        "tally": whole,
        "rates": {agent: whole.rate(agent) for agent in present.panel},
        "panel": present.panel,
        "intents": intents,
        "sound_intents": sound,
        "codes": found,
        "most": max((one["environments"] for one in found), default=0),
        "by_domain": present.by_domain,
    }


def past(user: User, latest: Round) -> dict[str, Any]:
    """What the page says of rounds. Rates over different environments make no line, so only rounds over the
    same whole domains are drawn: of all such lines the one over most domains, and of those the newest."""
    rounds, breadth = finished(user), Count("domains", filter=Q(domains__in=_visible(user)))
    whole = (
        rounds.annotate(is_part=IS_PART)
        .filter(is_part=False)
        .annotate(breadth=breadth)
        .order_by("-breadth", "-pk")
        .first()
    )
    alike = Q(scope=whole.scope, cancelled=None) if whole else Q(pk__in=[])
    return {
        "said": said(latest),
        "drawing": drawing(list(reversed(rounds.filter(alike)[:ROUNDS_DRAWN])), user),
        "left_out": rounds.exclude(alike).count(),
    }


def _visible(user: User) -> QuerySet[Domain]:
    return Domain.objects.visible_to(user)


def drawing(rounds: Sequence[Round], user: User) -> dict[str, Any]:
    """What the chart draws, oldest round first; rates from 0 to 1, None where there is none. Of the agents that
    understand nothing only the best is drawn, as the floor."""
    tallies = history.by_round(rounds, user)
    panel = dict.fromkeys(agent for row in rounds for agent in row.panel)
    return {
        "rounds": [row.pk for row in rounds],
        "urls": [reverse("round", args=[row.pk]) for row in rounds],
        "solvability": [tallies[row.pk].solvability for row in rounds],
        "counts": [f"{tallies[row.pk].solvable} of {tallies[row.pk].judged}" for row in rounds],
        "agents": {
            agent: [tallies[row.pk].rate(agent) if agent in row.panel else None for row in rounds]
            for agent in panel
            if agent not in FLOOR
        },
        "understanding_nothing": [agent for agent in panel if agent in FLOOR],
        "floor": [tallies[row.pk].floor(row.panel) for row in rounds],
    }
