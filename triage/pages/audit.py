"""The audit log: who did what to what, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from components.models import AuditEntry
from components.models.audit import AuditQuerySet
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, counted, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet
from worlds.canonical import canonical

NOBODY = "command line"
FILTERS = {"action": ("Action", ""), "actor": ("Who", ""), "domain": ("Domain", "")}
COLUMNS: Mapping[str, str] = {
    "action": "action",
    "actor": "actor__username",
    "domain": "domain__slug",
}
HEADINGS = (
    Heading("When", "when", ("at",), css="col-s", falling=True),
    Heading("Who", "who", ("actor__username",), css="col-m wide-only"),
    Heading("Action", "action", ("action",), css="col-k"),
    Heading("Domain", "domain", ("domain__slug",), css="col-m wide-only"),
    Heading("To what", "target", ("target",)),
    Heading("Detail", css="wide-only"),
)
AT_ONCE = timedelta(seconds=2)
"""Between the entries of one act."""
CSV = ["at", "who", "action", "domain", "target", "detail"]


@login_required
def audit(request: HttpRequest) -> HttpResponseBase:
    """`/audit/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "-when")
    rows = narrowed(user, here).select_related("actor", "domain").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("audit", CSV, map(_line, rows))
    listing = listed(here, rows, sort, facets(user, here), FILTERS)
    listing.page.object_list = acts(listing.page.object_list)
    return render(request, "pages/audit.html", {"listing": listing})


@dataclass(frozen=True)
class Act:
    """The entries of one act: one a domain, so that readers of one see nothing of the others."""

    entries: list[AuditEntry]

    @property
    def first(self) -> AuditEntry:
        return self.entries[0]

    @property
    def domains(self) -> str:
        """By name; nothing where it was in none."""
        return ", ".join(sorted(entry.domain.slug for entry in self.entries if entry.domain))

    def is_of(self, entry: AuditEntry) -> bool:
        """Whether the same act wrote `entry` too, about another domain."""
        mine, domains = self.first, [one.domain_id for one in self.entries]
        return (
            (mine.actor_id, mine.action, mine.target)
            == (entry.actor_id, entry.action, entry.target)
            and None not in domains
            and entry.domain_id not in [None, *domains]
            and abs(mine.at - entry.at) < AT_ONCE
        )


def acts(entries: Iterable[AuditEntry]) -> list[Act]:
    """Neighbouring entries of one act together."""
    found: list[Act] = []
    for entry in entries:
        if found and found[-1].is_of(entry):
            found[-1].entries.append(entry)
        else:
            found.append(Act([entry]))
    return found


def narrowed(user: User, here: Address, leaving: str = "") -> AuditQuerySet:
    """The entries that a user may see and the address asks for, all filters but `leaving`."""
    rows = AuditEntry.objects.visible_to(user)
    for word in here.one("q").split():
        rows = rows.filter(Q(target__icontains=word) | Q(action__icontains=word))
    for name, column in COLUMNS.items():
        if here.all(name) and name != leaving:
            rows = rows.filter(_among(name, column, here.all(name)))
    return rows


def _among(name: str, column: str, values: list[str]) -> Q:
    named = Q(**{f"{column}__in": values})
    return named | Q(actor=None) if name == "actor" and NOBODY in values else named


def facets(user: User, here: Address) -> list[Facet]:
    """Each facet counts what the other filters leave: one query a facet."""
    return [
        facet(here, name, *FILTERS[name], _counts(name, narrowed(user, here, leaving=name)))
        for name in FILTERS
    ]


def _counts(name: str, rows: AuditQuerySet) -> dict[str, int]:
    column = COLUMNS[name]
    found = [dict(row) for row in rows.order_by().values(column).annotate(n=Count("pk"))]
    if name == "actor":
        found = [{**row, column: row[column] or NOBODY} for row in found]
    return counted(found, column)


def _line(entry: AuditEntry) -> list[Any]:
    return [
        entry.at,
        entry.actor.get_username() if entry.actor else NOBODY,
        entry.action,
        entry.domain.slug if entry.domain else "",
        entry.target,
        canonical(entry.detail),
    ]
