"""The list of environments, as a page and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from components.models import Environment
from triage.counterexamples import doubts
from triage.models import Check, Counterexample, Episode, Finding, Result
from triage.pages.environment_list import FILTERS, facets, narrowed, standing
from triage.pages.listing import Heading, Listing, Sort, chips, paged
from triage.pages.reader import address, reader
from triage.pages.spreadsheet import spreadsheet

HEADINGS = (
    Heading("Status", "status", ("status", "domain__slug", "slug"), css="col-s col-sign"),
    Heading("Environment", "environment", ("domain__slug", "slug")),
    Heading("Findings", css="col-l"),
    Heading("Blamed", css="col-k wide-only"),
    Heading("Solved by", css="col-m wide-only"),
    Heading("Took", "took", ("seconds",), css="col-xs number wide-only", falling=True),
    Heading("Checked", "checked", ("checked",), css="col-s number wide-only", falling=True),
)
COLUMNS = [
    "domain",
    "environment",
    "status",
    "findings",
    "blamed",
    "solved by",
    "seconds",
    "checked",
    "not counted",
    "counterexamples",
]
"""`not counted` has the codes of findings that are accepted, dismissed or demoted, `findings` the others;
`counterexamples` what people say that break it."""
STAGES = ("static", "controls", "soundness", "solving")
AT_ONCE = 500
"""How many environments a download reads at a time."""


@dataclass(frozen=True)
class Standing:
    """An environment with where it stands: its status and the check that says so."""

    environment: Environment
    status: str
    check: Check | None
    doubts: Sequence[Counterexample] = ()
    """Those of people that make it broken."""

    @property
    def result(self) -> Result | None:
        return self.check.result if self.check else None

    @property
    def findings(self) -> list[Finding]:
        return list(self.result.findings.all()) if self.result else []

    @property
    def episodes(self) -> list[Episode]:
        return list(self.result.episodes.all()) if self.result else []

    @property
    def timed(self) -> list[tuple[Episode, float | None]]:
        """The episodes, each with the seconds that it took, None where nobody measured."""
        return timed(self.result, self.episodes) if self.result else []

    @property
    def stages(self) -> list[tuple[str, float]]:
        """What took time beside the agents: a stage and its seconds."""
        times = self.result.times if self.result else {}
        return [(name, sum(times[name])) for name in STAGES if name in times]

    @property
    def solvers(self) -> list[Episode]:
        """The episodes that solved it, one an agent, in the order of the panel."""
        solved = {one.agent.name: one for one in reversed(self.episodes) if one.reward == 1}
        panel = self.check.round.panel if self.check else []
        return [solved[agent] for agent in panel if agent in solved]

    @property
    def seconds(self) -> float | None:
        return self.result.seconds if self.result else None

    @property
    def checked(self) -> datetime | None:
        return self.check.finished if self.check else None


@login_required
def environments(request: HttpRequest) -> HttpResponseBase:
    """`/environments/`"""
    here, user = address(request), reader(request)
    sort = Sort(here, HEADINGS, "environment")
    shelf = standing(user, here)
    rows = narrowed(shelf, here).select_related("domain").order_by(*sort.fields)
    if here.one("format") == "csv":
        return spreadsheet("environments", COLUMNS, _lines(rows.iterator(AT_ONCE)))
    page = paged(rows, here)
    page.object_list = standings(page.object_list)
    listing = Listing(
        here, page, sort.columns(), facets(shelf, here), chips(here, FILTERS), here.one("q")
    )
    return render(request, "pages/environments.html", {"listing": listing})


def timed(result: Result, episodes: Iterable[Episode]) -> list[tuple[Episode, float | None]]:
    """Episodes of a result, each with the seconds that it took, None where nobody measured."""
    return [(one, _of(result.times.get(one.agent.name, ()), one.attempt)) for one in episodes]


def _of(seconds: Sequence[float], attempt: int) -> float | None:
    return seconds[attempt] if attempt < len(seconds) else None


def standings(rows: Iterable[Environment]) -> list[Standing]:
    """Where environments (with `status` and `latest_check`) stand, in a fixed number of queries."""
    listed: list[Any] = list(rows)
    wanted = [row.latest_check for row in listed if row.latest_check]
    checks = _detailed().in_bulk(wanted)
    people = doubts(wanted)
    return [
        Standing(row, row.status, checks.get(row.latest_check), people.get(row.latest_check, ()))
        for row in listed
    ]


def _detailed() -> Any:
    """Checks with result, findings (and whom they blame) and episodes, without their documents."""
    return Check.objects.select_related("result", "round").prefetch_related(
        Prefetch("result__findings", Finding.objects.for_list()),
        Prefetch("result__episodes", Episode.objects.for_list()),
    )


def _lines(rows: Iterator[Environment]) -> Iterator[list[Any]]:
    while some := list(islice(rows, AT_ONCE)):
        yield from map(_line, standings(some))


def _line(row: Standing) -> list[Any]:
    return [
        row.environment.domain.slug,
        row.environment.slug,
        row.status,
        _joined(finding.code for finding in row.findings if finding.is_counted),
        _joined(str(finding.component) for finding in row.findings if finding.component),
        _joined(episode.agent.name for episode in row.solvers),
        row.seconds,
        row.checked,
        _joined(finding.code for finding in row.findings if not finding.is_counted),
        "; ".join(f"{one.code}: {one.told}" for one in row.doubts),
    ]


def _joined(words: Iterable[str]) -> str:
    return " ".join(sorted(set(words)))
