"""The codes of findings: what each means, how much it found, how often it is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from triage.codes import Standing, standings
from triage.models import Label
from triage.pages.address import Address
from triage.pages.audit import NOBODY
from triage.pages.documentation import rendered
from triage.pages.listing import Facet, Heading, Sort, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import Sheets, asked_for, spreadsheet
from triage.precision import ENOUGH, LEAST

FILTERS = {
    "stage": ("Stage", ""),
    "severity": ("Severity", "severity"),
    "demoted": ("Demoted", ""),
    "labelled": ("Labelled", ""),
}
VALUES: Mapping[str, Callable[[Standing], str]] = {
    "stage": lambda one: one.stage,
    "severity": lambda one: one.severity,
    "demoted": lambda one: "yes" if one.is_demoted else "no",
    "labelled": lambda one: "yes" if one.precision.labels else "no",
}
HEADINGS = (
    Heading("Severity", "severity", ("severity",), css="col-s col-sign"),
    Heading("Code", "code", ("code",)),
    Heading("Stage", "stage", ("stage",), css="col-s wide-only"),
    Heading("Findings", "findings", ("findings",), css="col-s number", falling=True),
    Heading("Right", "right", ("right",), css="col-xs number wide-only", falling=True),
    Heading("Wrong", "wrong", ("wrong",), css="col-xs number wide-only", falling=True),
    Heading("Precision", "precision", ("precision",), css="col-s number"),
    Heading("95% interval", css="col-m number wide-only"),
)
ORDERS: Mapping[str, Callable[[Standing], Any]] = {
    "code": lambda one: one.name,
    "stage": lambda one: one.stage,
    "severity": lambda one: one.severity,
    "findings": lambda one: one.findings,
    "right": lambda one: one.precision.right,
    "wrong": lambda one: one.precision.wrong,
}
CSV = [
    "code",
    "stage",
    "severity",
    "demoted",
    "findings",
    "not counted",
    "right",
    "wrong",
    "precision",
    "interval from",
    "interval to",
    "meaning",
]
LABELS = ["label", "reason", "author", "at", "domain", "kind", "component", "version", "place"]
MOST_LABELS = 200


@login_required
def codes(request: HttpRequest) -> HttpResponseBase:
    """`/codes/`"""
    here = address(request)
    every, sort = standings(reader(request)), Sort(here, HEADINGS, "code")
    rows = ordered(narrowed(every, here), sort.asked)
    if here.one("format") == "csv":
        return spreadsheet("codes", CSV, map(_line, rows))
    listing = listed(here, rows, sort, facets(every, here), FILTERS)
    found = {"listing": listing, "least": LEAST, "enough": ENOUGH}
    return render(request, "pages/codes.html", found)


@login_required
def code(request: HttpRequest, name: str) -> HttpResponseBase:
    """`/codes/CODE/`"""
    here, user = address(request), reader(request)
    found = next((one for one in standings(user) if one.name == name), None)
    if found is None:
        raise Http404(f"there is no code {name}")
    given = Label.objects.visible_to(user).filter(code=name)
    labels = given.select_related("author", "component__domain", "version", "domain")
    if (download := asked_for(here, sheets(name, labels))) is not None:
        return download
    shown = {
        "here": here,
        "code": found,
        "text": rendered(name),
        "labels": labels[:MOST_LABELS],
        "given": given.count(),
        "least": LEAST,
        "enough": ENOUGH,
    }
    return render(request, "pages/code.html", shown)


def narrowed(rows: Iterable[Standing], here: Address, leaving: str = "") -> list[Standing]:
    """The codes that the address asks for, by all filters but `leaving`."""
    words = here.one("q").lower().split()
    asked = {name: here.all(name) for name in VALUES if here.all(name) and name != leaving}
    return [
        one
        for one in rows
        if all(
            word in f"{one.name} {one.code.meaning if one.code else ''}".lower() for word in words
        )
        and all(VALUES[name](one) in values for name, values in asked.items())
    ]


def ordered(rows: Iterable[Standing], asked: str) -> list[Standing]:
    """As a heading asks; codes without a precision stand last in either order."""
    name, falling = asked.removeprefix("-"), asked.startswith("-")
    rows = sorted(rows, key=lambda one: one.name)
    if name in ORDERS:
        return sorted(rows, key=ORDERS[name], reverse=falling)
    known = [one for one in rows if one.precision.labels]
    known.sort(key=lambda one: one.precision.share or 0.0, reverse=falling)
    return known + [one for one in rows if not one.precision.labels]


def facets(rows: Sequence[Standing], here: Address) -> list[Facet]:
    """Each facet counts what the other filters leave."""
    return [
        facet(here, name, *FILTERS[name], _counts(name, narrowed(rows, here, leaving=name)))
        for name in FILTERS
    ]


def _counts(name: str, rows: Iterable[Standing]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in rows:
        if value := VALUES[name](one):
            counts[value] = counts.get(value, 0) + 1
    return counts


def sheets(name: str, labels: Iterable[Label]) -> Sheets:
    """The page's lists, to be downloaded."""
    return {"labels": lambda: spreadsheet(f"{name}-labels", LABELS, map(_label, labels))}


def _line(one: Standing) -> list[Any]:
    said = one.document()
    low, high = said["interval"] or (None, None)
    numbers = [said[key] for key in ("findings", "not_counted", "right", "wrong", "precision")]
    named = [one.name, one.stage, one.severity, "yes" if one.is_demoted else "no"]
    return [*named, *numbers, low, high, one.code.meaning if one.code else ""]


def _label(one: Label) -> list[Any]:
    return [
        one.word,
        one.reason,
        one.author.get_username() if one.author else NOBODY,
        one.at,
        one.domain.slug,
        one.component.kind if one.component else "",
        one.component.slug if one.component else "",
        one.version.number if one.version else None,
        one.place,
    ]
