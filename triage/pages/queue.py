"""Proposals with what their newest trials showed, as lists sort and filter them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from triage.models import Change, Proposal, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.pages.address import Address
from triage.pages.environment_list import whole
from triage.pages.listing import Facet, counted, facet

Proposals = QuerySet[Proposal]

FILTERS = {
    "state": ("State", "proposal"),
    "domain": ("Domain", ""),
    "kind": ("Changes", "kind"),
    "fault": ("Fault", ""),
    "author": ("Author", ""),
    "origin": ("Written", ""),
}
COLUMNS = {
    "state": "state",
    "domain": "domain__slug",
    "kind": "changes__component__kind",
    "fault": "fault",
    "author": "author__username",
    "origin": "origin",
}
NO_ONE = "command line"
ITSELF, PEOPLE = "by itself", "by people"
ORIGIN = Case(When(repair=None, then=Value(PEOPLE)), default=Value(ITSELF))
ORDER = (
    ProposalState.WAITING,
    ProposalState.STALE,
    ProposalState.FAILED,
    ProposalState.TRYING,
    ProposalState.DRAFT,
    ProposalState.DEFERRED,
    ProposalState.APPROVED,
    ProposalState.REJECTED,
)
"""What wants a person's decision first."""
RANK = (
    "turn",
    "is_feared",
    "is_uncited",
    "has_regressed",
    "-held_out_fixed",
    "-fixed",
    "-cured",
    "-sureness",
    "edit_size",
)
"""As `triage.trialreport.rank_key`, after what wants a decision first."""
NOTHING = Value(-1, JSONField())


def alone() -> QuerySet[Trial]:
    """The trials that are done of the proposal around it alone, since it was last edited; the newest first."""
    links = Trial.proposals.through.objects
    others = links.filter(trial=OuterRef("pk")).exclude(proposal=OuterRef(OuterRef("pk")))
    mine = Trial.objects.filter(
        proposals=OuterRef("pk"), created__gte=OuterRef("edited"), state=JobState.DONE
    )
    return mine.exclude(Exists(others)).order_by("-pk")


def with_trial(rows: Proposals) -> Proposals:
    """Proposals, each with `tried` (a trial's id), its `report`, and what `RANK` sorts by."""
    said: Any = rows.annotate(
        tried=Subquery(alone().values("pk")[:1]), report=Subquery(alone().values("report")[:1])
    )
    order = [When(state=state, then=Value(place)) for place, state in enumerate(ORDER)]
    return cast(
        Proposals,
        said.annotate(
            turn=Case(*order, default=Value(len(order)), output_field=IntegerField()),
            fixed=Coalesce(F("report__fixed"), NOTHING),
            held_out_fixed=Coalesce(F("report__held_out_fixed"), NOTHING),
            cured=Coalesce(F("report__cured"), NOTHING),
            sureness=Coalesce(F("likelihood"), 1.0),
            edit_size=Coalesce(F("report__edit_size"), NOTHING),
            is_feared=_is(Q(report__weakens=True) | Q(report__redefines=True)),
            has_regressed=_is(~Q(report__regressed=0) & Q(report__regressed__isnull=False)),
            is_uncited=_is(Q(authority="")),
        ),
    )


def _is(true: Q) -> Case:
    return Case(When(true, then=Value(True)), default=Value(False), output_field=BooleanField())


def narrowed(user: User, here: Address, leaving: str = "") -> Proposals:
    """The proposals that a user may see and the address asks for, by all filters but `leaving`."""
    rows: Proposals = Proposal.objects.visible_to(user)
    for word in here.one("q").split():
        named = Change.objects.filter(proposal=OuterRef("pk"), component__slug__icontains=word)
        rows = rows.filter(Q(title__icontains=word) | Q(Exists(named)))
    for name, narrow in NARROWINGS.items():
        if here.all(name) and name != leaving:
            rows = rows.filter(narrow(here.all(name)))
    return rows


NARROWINGS: Mapping[str, Callable[[list[str]], Q]] = {
    "state": lambda values: Q(state__in=values),
    "domain": lambda values: Q(domain__slug__in=values),
    "kind": lambda values: Q(
        Exists(Change.objects.filter(proposal=OuterRef("pk"), component__kind__in=values))
    ),
    "fault": lambda values: Q(fault__in=list(map(whole, values))),
    "author": lambda values: (
        Q(author__username__in=values) | (Q(author=None) if NO_ONE in values else Q())
    ),
    "origin": lambda values: Q(
        Exists(
            Proposal.objects.annotate(origin=ORIGIN).filter(pk=OuterRef("pk"), origin__in=values)
        )
    ),
}


def facets(user: User, here: Address) -> list[Facet]:
    """Each counts what the other filters leave: one query a facet, and one for the names of faults."""
    return [_facet(user, here, name) for name in FILTERS]


def _facet(user: User, here: Address, name: str) -> Facet:
    column, rows = COLUMNS[name], narrowed(user, here, name).annotate(origin=ORIGIN)
    counts: Any = rows.order_by().values(column).annotate(n=Count("pk", distinct=True))
    if name == "author":
        counts = [{**row, column: row[column] or NO_ONE} for row in counts]
    found, words = counted(counts, column), {}
    if name == "fault":
        titled = rows.exclude(fault=None).order_by().values_list("fault", "fault__title")
        words = {str(pk): title for pk, title in titled.distinct()}
    if name == "state":
        found = {state: found[state] for state in ORDER if state in found}
    return facet(here, name, *FILTERS[name], found, words)
