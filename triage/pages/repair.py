"""One search for repairs: what it proposed, what else it tried, and why that lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, F, Func, IntegerField, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from components.models import Component, Environment
from triage.models import Alternative, Repair
from triage.pages.address import Address
from triage.pages.fault import proposed
from triage.pages.identity import FATES
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import Sheets, asked_for, spreadsheet
from triage.pages.trial import Number

MOST_ENVIRONMENTS = 12
FILTERS = {
    "fate": ("Fate", "fate"),
    "proposer": ("Proposer", ""),
    "component": ("Changes", ""),
}
HEADINGS = (
    Heading("Fate", "rank", ("rank",), css="col-s col-sign"),
    Heading("What it would do", "says", ("says",)),
    Heading("Why", css="col-why wide-only"),
    Heading("Rests on", css="col-m wide-only"),
    Heading("Likely", "likelihood", ("likelihood",), css="col-xs number", falling=True),
    Heading("Cured", "cured", ("cures",), css="col-xs number wide-only", falling=True),
)
CSV = [
    "rank",
    "fate",
    "says",
    "because",
    "proposer",
    "components",
    "authority",
    "likelihood",
    "cured",
    "proposal",
    "diff",
]
LOOKED_AT = ["domain", "environment"]
LOOKS = {"proposed": "good", "regressing": "bad"}
"""Fates whose number has a colour."""

Components = Mapping[str, Component]
"""`KIND/SLUG` → a component of the domain."""


@login_required
def repair(request: HttpRequest, number: int) -> HttpResponseBase:
    """`/repairs/N/`"""
    here = address(request)
    row = found(reader(request), number)
    sort = Sort(here, HEADINGS, "rank")
    mine: Any = Alternative.objects.filter(repair=row).annotate(
        cures=Func(F("cured"), function="jsonb_array_length", output_field=IntegerField())
    )
    rows = narrowed(mine, here).select_related("proposal").order_by(*sort.fields)
    seen = Environment.objects.filter(pk__in=row.looked_at).select_related("domain")
    if (download := asked_for(here, sheets(row, rows, seen.order_by("slug")))) is not None:
        return download
    listing = listed(here, rows, sort, facets(mine, here), FILTERS)
    listing.page.object_list = with_components(row, listing.page.object_list)
    shown = {
        "listing": listing,
        "repair": row,
        "fates": numbers(row),
        "candidates": sum(row.counts.values()),
        "proposals": proposed(row.proposals.visible_to(reader(request))),
        "seen": seen.order_by("slug")[:MOST_ENVIRONMENTS],
        "all_seen": len(row.looked_at),
    }
    return render(request, "pages/repair.html", shown)


def found(user: User, number: int) -> Repair:
    """A search that a user may see; raises Http404."""
    rows = Repair.objects.visible_to(user)
    return get_object_or_404(
        rows.select_related("fault__domain", "author", "cancelled_by"), pk=number
    )


def numbers(row: Repair) -> list[Number]:
    """How many candidates came to which end, those that came furthest first; each leads to those that were kept."""
    path = reverse("repair", args=[row.pk])
    return [
        Number(look.word, count, f"{path}?fate={fate}", LOOKS.get(fate, ""))
        for fate, look in FATES.items()
        if (count := row.counts.get(fate))
    ]


def narrowed(
    rows: QuerySet[Alternative], here: Address, leaving: str = ""
) -> QuerySet[Alternative]:
    """The alternatives that the address asks for, by all filters but `leaving`."""
    for word in here.one("q").split():
        rows = rows.filter(Q(says__icontains=word) | Q(because__icontains=word))
    for name in ("fate", "proposer"):
        if here.all(name) and name != leaving:
            rows = rows.filter(**{f"{name}__in": here.all(name)})
    if leaving != "component" and (asked := here.all("component")):
        among = Q()
        for value in asked:
            among |= Q(components__contains=[value])
        rows = rows.filter(among)
    return rows


def facets(rows: QuerySet[Alternative], here: Address) -> list[Facet]:
    """Each counts what the other filters leave; three queries."""
    kept: dict[str, dict[str, int]] = {}
    for name in ("fate", "proposer"):
        counts: Any = narrowed(rows, here, name).order_by().values(name).annotate(n=Count("pk"))
        kept[name] = counted(counts, name)
    kept["fate"] = {fate: n for fate in FATES if (n := kept["fate"].get(fate))}
    changes = narrowed(rows, here, "component").order_by().values_list("components", flat=True)
    kept["component"] = dict(Counter(one for each in changes for one in each).most_common())
    return [facet(here, name, *FILTERS[name], kept[name]) for name in FILTERS]


def with_components(row: Repair, alternatives: Iterable[Any]) -> list[Any]:
    """Alternatives, each with what it `changes`: (name, component, or None where it is gone); one query."""
    shown = list(alternatives)
    there = components_of(row, {name for one in shown for name in one.components})
    for one in shown:
        one.changes = [(name, there.get(name)) for name in one.components]
    return shown


def components_of(row: Repair, names: Iterable[str]) -> Components:
    """Components of the fault's domain by `KIND/SLUG`; one query."""
    slugs = {name.partition("/")[2] for name in names}
    rows = Component.objects.filter(domain=row.fault.domain, slug__in=slugs)
    return {f"{one.kind}/{one.slug}": one for one in rows.select_related("domain")}


def sheets(row: Repair, rows: Iterable[Alternative], seen: Iterable[Environment]) -> Sheets:
    """The page's lists, to be downloaded."""
    name = f"repair-{row.pk}"
    return {
        "": lambda: spreadsheet(f"{name}-alternatives", CSV, map(_line, rows)),
        "looked-at": lambda: spreadsheet(
            f"{name}-looked-at", LOOKED_AT, ([one.domain.slug, one.slug] for one in seen)
        ),
    }


def _line(one: Alternative) -> list[Any]:
    return [
        one.rank,
        one.fate,
        one.says,
        one.because,
        one.proposer,
        " ".join(one.components),
        one.authority,
        one.likelihood,
        " ".join(one.cured),
        one.proposal_id,
        one.diff,
    ]
