"""Two rounds side by side: which environments moved, and what moved each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from triage.models import Round
from triage.models.result import Status
from triage.moves import Move, Moved, Moves, moves
from triage.pages.address import Address
from triage.pages.listing import Facet, Heading, Sort, facet, listed
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet

ABSENT = "absent"
"""The status of an environment in a round that has no check of it that ended."""
FILTERS = {
    "from": ("From", "status"),
    "to": ("To", "status"),
    "fared": ("Fared", ""),
    "domain": ("Domain", ""),
    "cause": ("Moved by", ""),
}
STATUSES = (*(status.value for status in Status), None)
HEADINGS = (
    Heading("From", "from", ("from",), css="col-s col-sign"),
    Heading("To", "to", ("to",), css="col-s col-sign"),
    Heading("Environment", "environment", ("environment",)),
    Heading("Moved by", "cause", ("cause",), css="wide-only"),
)
CSV = ["domain", "environment", "from", "to", "fared", "moved by"]
Row = tuple[Move, Moved]


@login_required
def compare(request: HttpRequest, number: int, other: int) -> HttpResponseBase:
    """`/rounds/N/compare/M/`, the earlier one first."""
    here, user = address(request), reader(request)
    if number > other:
        return redirect("compare", other, number)
    found = moves(_round(user, number), _round(user, other), user)
    every = [(move, group) for group in found.groups for move in group.moves]
    sort = Sort(here, HEADINGS, "environment")
    rows = _ordered(_narrowed(every, here), sort.asked)
    if here.one("format") == "csv":
        return spreadsheet(f"rounds-{number}-{other}", CSV, map(_line, rows))
    listing = listed(here, rows, sort, _facets(every, here), FILTERS)
    shown = {"moves": found, "table": _table(found, here), "listing": listing}
    return render(
        request, "pages/compare.html", {**shown, "statuses": [_name(one) for one in STATUSES]}
    )


def _round(user: User, number: int) -> Round:
    return get_object_or_404(Round.objects.visible_to(user), pk=number)


def _name(status: str | None) -> str:
    return status or ABSENT


def _table(found: Moves, here: Address) -> list[tuple[str, list[tuple[int, str]]]]:
    """From each status how many went to each, with the address that lists them; none where they did not move."""
    return [
        (_name(before), [_cell(found, here, before, after) for after in STATUSES])
        for before in STATUSES
    ]


def _cell(found: Moves, here: Address, before: str | None, after: str | None) -> tuple[int, str]:
    count = found.table.get((before, after), 0)
    asked = {"from": _name(before), "to": _name(after)}
    return count, here.only(**asked) if count and before != after else ""


def fared(move: Move) -> str:
    """`fixed`, `broken` or `other`."""
    return "fixed" if move.is_fixed else "broken" if move.is_broken else "other"


VALUES: Mapping[str, Callable[[Row], str]] = {
    "from": lambda row: _name(row[0].before),
    "to": lambda row: _name(row[0].after),
    "fared": lambda row: fared(row[0]),
    "domain": lambda row: row[0].environment.domain.slug,
    "cause": lambda row: row[1].text,
    "environment": lambda row: str(row[0].environment),
}


def _narrowed(rows: Iterable[Row], here: Address, leaving: str = "") -> list[Row]:
    words = here.one("q").lower().split()
    asked = {name: here.all(name) for name in FILTERS if here.all(name) and name != leaving}
    return [
        row
        for row in rows
        if all(word in str(row[0].environment).lower() for word in words)
        and all(VALUES[name](row) in values for name, values in asked.items())
    ]


def _ordered(rows: Iterable[Row], asked: str) -> list[Row]:
    by_name = sorted(rows, key=VALUES["environment"])
    return sorted(by_name, key=VALUES[asked.removeprefix("-")], reverse=asked.startswith("-"))


def _facets(rows: Sequence[Row], here: Address) -> list[Facet]:
    """Each facet counts what the other filters leave."""
    return [
        facet(here, name, *FILTERS[name], _counts(name, _narrowed(rows, here, leaving=name)))
        for name in FILTERS
    ]


def _counts(name: str, rows: Iterable[Row]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        value = VALUES[name](row)
        counts[value] = counts.get(value, 0) + 1
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def _line(row: Row) -> list[Any]:
    names = ("domain", "environment", "from", "to", "fared", "cause")
    line = [VALUES[name](row) for name in names]
    return [line[0], row[0].environment.slug, *line[2:]]
