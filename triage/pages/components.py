"""The list of components, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from components.models import Component, Environment, Part
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet

FILTERS = {"kind": ("Kind", "kind"), "domain": ("Domain", ""), "authority": ("Authority", "")}
KINDS = ("domain", "intent", "rule", "records", "toolserver")
HEADINGS = (
    Heading("Kind", "kind", ("kind", "domain__slug", "slug"), css="col-m col-sign"),
    Heading("Component", "component", ("domain__slug", "slug")),
    Heading("Version", "version", ("current__number",), css="col-xs number", falling=True),
    Heading("Used by", "used", ("used",), css="col-s number", falling=True),
    Heading("Title", css="wide-only"),
    Heading(
        "Changed", "changed", ("current__created",), css="col-s number wide-only", falling=True
    ),
)
COLUMNS = ["domain", "kind", "component", "version", "digest", "environments", "source", "changed"]
Components = QuerySet[Component]


@login_required
def components(request: HttpRequest) -> HttpResponseBase:
    """`/components/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "component")
    rows = with_use(narrowed(user, here)).select_related("domain", "current")
    rows = rows.order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("components", COLUMNS, _lines(rows))
    listing = listed(here, rows, sort, facets(user, here), FILTERS)
    return render(request, "pages/components.html", {"listing": listing})


def narrowed(user: User, address: Address, leaving: str = "") -> Components:
    """The components that a user may see and the address asks for, all filters but `leaving`."""
    rows = Component.objects.visible_to(user)
    for name, narrow in NARROWINGS.items():
        if address.all(name) and name != leaving:
            rows = rows.filter(narrow(address.all(name)))
    return rows


def _searched(words: list[str]) -> Q:
    found = Q()
    for word in words[-1].split():
        titled = Q(about__title__icontains=word)
        found &= Q(slug__icontains=word) | Q(domain__slug__icontains=word) | titled
    return found


NARROWINGS: Mapping[str, Callable[[list[str]], Q]] = {
    "q": _searched,
    "kind": lambda values: Q(kind__in=values),
    "domain": lambda values: Q(domain__slug__in=values),
    "authority": lambda values: Q(about__authority__in=values),
}


def with_use(rows: Components) -> Components:
    """With `used`: how many environments each is part of; a contract is part of all of its domain."""
    parts = Part.objects.filter(component=OuterRef("pk")).order_by().values("component")
    domain = Environment.objects.filter(
        domain=OuterRef("domain"), domain__components=OuterRef("pk")
    )
    ruled = domain.filter(domain__components__kind="domain").order_by().values("domain")
    return rows.annotate(
        used=Coalesce(
            Subquery(parts.annotate(n=Count("pk")).values("n")),
            Subquery(ruled.annotate(n=Count("pk")).values("n")),
            0,
        )
    )


def facets(user: User, address: Address) -> list[Facet]:
    """Each facet counts what the other filters leave: one query a facet."""
    return [
        facet(address, name, *FILTERS[name], _counts(name, narrowed(user, address, leaving=name)))
        for name in FILTERS
    ]


def _counts(name: str, rows: Components) -> dict[str, int]:
    column = {"domain": "domain__slug", "authority": "about__authority"}.get(name, name)
    found = counted(rows.order_by().values(column).annotate(n=Count("pk")), column)
    if name == "kind":
        return {kind: found[kind] for kind in KINDS if kind in found}
    return found


def _lines(rows: Any) -> Iterator[list[Any]]:
    for row in rows:
        current = row.current
        yield [
            row.domain.slug,
            row.kind,
            row.slug,
            current.number if current else None,
            current.body_id if current else None,
            row.used,
            current.source if current else None,
            current.created if current else None,
        ]
