"""Where everything stands: the newest finished round in numbers, the rounds before it, what is running."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Case, Q, QuerySet, When
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from components.models import Domain, Environment
from triage.models import Round
from triage.pages import history
from triage.pages.reader import address, reader
from triage.pages.rounds import at_work
from triage.pages.spreadsheet import asked_for
from triage.rounds import summary
from triage.scope import NARROWING

ROUNDS_DRAWN = 40
TELLING = Case(
    When(cancelled__isnull=False, then=2),
    When(scope__has_any_keys=NARROWING, then=1),
    default=0,
)
"""Of the state of everything a round over whole domains tells most, a cancelled one least."""


@login_required
def overview(request: HttpRequest) -> HttpResponseBase:
    """`/`"""
    here, user = address(request), reader(request)
    latest = finished(user).order_by(TELLING, "-pk").first()
    if (download := asked_for(here, history.sheets(latest, user))) is not None:
        return download
    shown = numbers(latest, user) if latest else empty(user)
    domains = Domain.objects.visible_to(user)
    return render(
        request,
        "pages/overview.html",
        {"here": here, "domains": domains, "round": latest, "at_work": at_work(user), **shown},
    )


def finished(user: User) -> QuerySet[Round]:
    """The rounds that are over, the newest first."""
    rounds = Round.objects.visible_to(user).exclude(finished=None)
    return rounds.select_related("author").order_by("-pk")


def empty(user: User) -> dict[str, Any]:
    """What decides which command to teach."""
    return {"environments": Environment.objects.visible_to(user).count()}


def numbers(latest: Round, user: User) -> dict[str, Any]:
    """All that the page says of finished rounds. Rates over different environments make no line, so
    only rounds that asked for the same as the latest are drawn."""
    alike = finished(user).filter(comparable(latest))
    intents, sound = history.by_intent(latest, user)
    found = history.codes(latest, user)
    by_domain = history.by_domain(latest, user)
    return {
        "summary": summary(latest, user),
        "intents": intents,
        "sound_intents": sound,
        "codes": found,
        "most": max((one["environments"] for one in found), default=0),
        "by_domain": by_domain,
        "drawing": drawing(list(reversed(alike[:ROUNDS_DRAWN])), user),
        "left_out": finished(user).exclude(comparable(latest)).count(),
    }


def comparable(latest: Round) -> Q:
    """Which rounds were over the same environments, so far as can be told from what was asked for."""
    if latest.cancelled or {"statuses", "filters"} & latest.scope.keys():
        return Q(pk=latest.pk)
    return Q(scope=latest.scope, cancelled=None)


def drawing(rounds: Sequence[Round], user: User) -> dict[str, Any]:
    """What the chart draws, oldest round first; rates from 0 to 1, None where there is none."""
    tallies = history.by_round(rounds, user)
    agents = dict.fromkeys(agent for row in rounds for agent in row.panel)
    return {
        "rounds": [row.pk for row in rounds],
        "urls": [reverse("round", args=[row.pk]) for row in rounds],
        "solvability": [tallies[row.pk].solvability for row in rounds],
        "counts": [f"{tallies[row.pk].solvable} of {tallies[row.pk].judged}" for row in rounds],
        "agents": {
            agent: [tallies[row.pk].rate(agent) if agent in row.panel else None for row in rounds]
            for agent in agents
        },
        "floor": [tallies[row.pk].floor(row.panel) for row in rounds],
    }
