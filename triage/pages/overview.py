"""Where everything stands now, the rounds that led there, what is running. Our own environments and published ones
never stand in one sum: where there are both, the page is of the sort that the address asks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
from components.models.component import GIVEN, OURS
from triage.codes import by_code
from triage.models import Round
from triage.models.round import RoundQuerySet
from triage.pages import history
from triage.pages.address import Address
from triage.pages.foryou import for_you
from triage.pages.present import Present, Section
from triage.pages.reader import address, reader
from triage.pages.reading import by_people
from triage.pages.rounds import at_work
from triage.pages.scope import said
from triage.pages.spreadsheet import Sheets, asked_for
from triage.pages.worst import worst_causes
from triage.scope import NARROWING

ROUNDS_DRAWN = 40
IS_PART = Case(
    When(cancelled__isnull=False, then=True),
    When(scope__has_any_keys=NARROWING, then=True),
    When(scope__sample__gte=0, then=True),
    default=False,
)
"""In SQL: whether a round was over less than whole domains."""
TABS = {OURS: "Our environments", GIVEN: "Published"}


@login_required
def overview(request: HttpRequest) -> HttpResponseBase:
    """`/`"""
    here, user = address(request), reader(request)
    if not finished(user).exists():
        asked_for(here, {})
        return _shown(request, here, Domain.objects.visible_to(user), empty(user))
    present = Present(user)
    chosen = asked(present, here)
    section = present.sections.get(chosen, present.every)
    if (download := asked_for(here, sheets(section, chosen))) is not None:
        return download
    others = present.domains(*{*TABS} - {chosen}) if chosen else []
    shown = {
        **standing(section),
        **past(user, others, _latest(present, chosen)),
        "abouts": {slug: one.about for slug, one in present.contracts.items()},
        "read": by_people(user, list(section.by_domain) if chosen else None),
        "worst": worst_causes(user, list(section.by_domain) if chosen else None),
        "for_you": for_you(user, list(section.by_domain) if chosen else None),
        "authority": chosen,
        "kept": f"authority={chosen}&" if chosen else "",
        "tabs": tabs(present, here, chosen) if chosen else [],
    }
    domains = Domain.objects.visible_to(user).exclude(pk__in=others)
    return _shown(request, here, domains, shown)


def _latest(present: Present, chosen: str) -> Round | None:
    """The newest round that told of anything on the page."""
    rounds = finished(present.user)
    return (rounds.over(present.domains(chosen)) if chosen else rounds).first()


def _shown(
    request: HttpRequest, here: Address, domains: QuerySet[Domain], shown: dict[str, Any]
) -> HttpResponseBase:
    said = {"here": here, "domains": domains, "at_work": at_work(reader(request))}
    return render(request, "pages/overview.html", {**said, **shown})


def asked(present: Present, here: Address) -> str:
    """The authority that the page is of; "" where there is but one, and nothing to choose."""
    if len(present.sections) < 2:
        return ""
    wanted = here.one("authority")
    return wanted if wanted in present.sections else OURS


def tabs(present: Present, here: Address, chosen: str) -> list[dict[str, Any]]:
    """What the page may be of, ours first."""
    return [
        {
            "name": TABS[authority],
            "tally": part.whole,
            "url": here.only(authority=authority),
            "is_on": authority == chosen,
        }
        for authority, part in present.sections.items()
    ]


def sheets(section: Section, chosen: str) -> Sheets:
    """The page's lists, to be downloaded."""
    name = f"now-{chosen}" if chosen else "now"
    return history.sheets(name, section.checks, section.panel, section.by_domain)


def finished(user: User) -> RoundQuerySet:
    """The rounds that are over, the newest first."""
    rounds = Round.objects.visible_to(user).exclude(finished=None)
    return rounds.with_domains(user).order_by("-pk")


def empty(user: User) -> dict[str, Any]:
    """What decides which command to teach, and what the domains say of themselves."""
    present = Present(user)
    said = {
        slug: one.about["notes"]
        for slug, one in present.contracts.items()
        if one.about.get("notes")
    }
    return {"environments": Environment.objects.visible_to(user).count(), "notes": said}


def standing(section: Section) -> dict[str, Any]:
    """All that the page says of the environments as they are."""
    whole, found = section.whole, by_code(section.checks)
    intents, sound = history.by_intent(section.checks)
    return {
        "tally": whole,
        "rates": {agent: whole.rate(agent) for agent in section.panel},
        "panel": section.panel,
        "intents": intents,
        "sound_intents": sound,
        "codes": found,
        "most": max((one["environments"] for one in found), default=0),
        "by_domain": section.by_domain,
    }


def past(user: User, others: Collection[int], latest: Round | None) -> dict[str, Any]:
    """What the page says of rounds. Rates over different environments make no line, so only rounds over the
    same whole domains are drawn: of all such lines without a domain of `others` the one over most domains, and of
    those the newest."""
    rounds, breadth = finished(user), Count("domains", filter=Q(domains__in=_visible(user)))
    pure = rounds.exclude(domains__in=others)
    whole = (
        pure.annotate(is_part=IS_PART)
        .filter(is_part=False)
        .annotate(breadth=breadth)
        .order_by("-breadth", "-pk")
        .first()
    )
    alike = pure.filter(scope=whole.scope, cancelled=None) if whole else rounds.none()
    return {
        "round": latest,
        "said": said(latest) if latest else "",
        "drawing": drawing(list(reversed(alike[:ROUNDS_DRAWN])), user),
        "left_out": rounds.exclude(pk__in=alike.order_by().values("pk")).count(),
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
