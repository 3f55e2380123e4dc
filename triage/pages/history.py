"""Checks in numbers, by round, by domain and by code: of one round or of many, or of where everything stands
now. Of a round they are what `triage.rounds.summary` says; each takes a fixed number of queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from agents import FLOOR
from components.models import Component
from components.models.component import AUTHORITIES, OURS
from triage.codes import by_code
from triage.models import Check, Round
from triage.models.check import CheckQuerySet, State
from triage.models.result import Status
from triage.pages.spreadsheet import Sheets, spreadsheet
from triage.rounds import numbers


@dataclass
class Tally:
    """How many environments a round (or its part in a domain) had, and how they ended; or how they stand now."""

    environments: int = 0
    solvable: int = 0
    broken: int = 0
    unproven: int = 0
    errors: int = 0
    solved: dict[str, int] = field(default_factory=dict)
    """Agent → environments that it solved, of the agents that solved any."""
    cancelled: int = 0
    """Beside `environments`: those whose check was cancelled. They left the scope."""
    unchecked: int = 0
    """Beside `environments`: those that no check tells of as they are now. No rate counts them."""
    met: dict[str, int] = field(default_factory=dict)
    """Agent → environments that it was let into, where that is not all of them."""

    @property
    def total(self) -> int:
        """Checked as they are, or not."""
        return self.environments + self.unchecked

    @property
    def planned(self) -> int:
        """How many there were before any was cancelled."""
        return self.environments + self.cancelled

    @property
    def waiting(self) -> int:
        """Not checked yet."""
        return self.environments - self.concluded - self.errors

    @property
    def concluded(self) -> int:
        """Checked without trouble of ours."""
        return self.solvable + self.broken + self.unproven

    @property
    def judged(self) -> int:
        """What solvability is a share of: all but the errors."""
        return self.environments - self.errors

    @property
    def solvability(self) -> float | None:
        """A share from 0 to 1, None over nothing."""
        return self.solvable / self.judged if self.judged else None

    def rate(self, agent: str) -> float | None:
        """The share of the environments that an agent solved, of those that it met."""
        met = self.met.get(agent, self.environments)
        return self.solved.get(agent, 0) / met if met else None

    def floor(self, panel: Sequence[str]) -> float | None:
        """The best rate of an agent that understands nothing."""
        rates = [self.rate(agent) or 0.0 for agent in panel if agent in FLOOR]
        return max(rates, default=None) if self.environments else None

    @property
    def numbers(self) -> list[int]:
        """Environments, solvable, broken, unproven, errors."""
        return [self.environments, self.solvable, self.broken, self.unproven, self.errors]

    def counts(self) -> list[tuple[str, int]]:
        """Status and number, as bars draw them."""
        return [
            ("solvable", self.solvable),
            ("broken", self.broken),
            ("unproven", self.unproven),
            ("error", self.errors),
            ("unverified", self.waiting + self.unchecked),
        ]


def checks_of(row: Round, user: User) -> CheckQuerySet:
    """The checks of a round that a user may read."""
    return Check.objects.visible_to(user).filter(round=row)


def by_round(rounds: Sequence[Round], user: User) -> dict[int, Tally]:
    """Round → tally over the checks that a user may read; two queries."""
    found = _tallies(Check.objects.visible_to(user).filter(round__in=rounds), "round")
    return {row.pk: found.get(row.pk, Tally()) for row in rounds}


def by_domain(checks: CheckQuerySet) -> dict[str, Tally]:
    """Domain → tally of its checks, by name; two queries."""
    return dict(sorted(_tallies(checks, "environment__domain__slug").items()))


def together(tallies: Collection[Tally]) -> Tally:
    """The tallies of domains, as one."""
    names = ("environments", "solvable", "broken", "unproven", "errors", "cancelled", "unchecked")
    numbers = {name: sum(getattr(one, name) for one in tallies) for name in names}
    solved, met = Counter[str](), Counter[str]()
    for one in tallies:
        solved.update(one.solved)
        met.update(one.met)
    return Tally(**numbers, solved=dict(solved), met=dict(met))


def by_authority(
    tallies: Mapping[str, Tally], contracts: Mapping[str, Component]
) -> dict[str, dict[str, Tally]]:
    """The tallies of domains, ours apart from given ones; only what is there has a key. One whose contract is not
    known is ours."""
    sorts: dict[str, dict[str, Tally]] = {name: {} for name in AUTHORITIES}
    for domain, tally in tallies.items():
        authority = contracts[domain].authority if domain in contracts else OURS
        sorts[authority][domain] = tally
    return {name: found for name, found in sorts.items() if found}


def by_intent(checks: CheckQuerySet) -> tuple[int, int]:
    """How many distinct intents were judged, and of how many every environment was solvable; one query."""
    checks = checks.exclude(state__in=[State.ERROR, State.CANCELLED])
    intents = (
        checks.with_status().order_by().values("manifest__intent__slug", "environment__domain")
    )
    sound = Count("pk", filter=Q(status=Status.SOLVABLE))
    rows = intents.annotate(n=Count("pk"), sound=sound)
    return len(rows), sum(one["n"] == one["sound"] for one in rows)


def errors(checks: CheckQuerySet) -> list[tuple[str, int]]:
    """What ended checks in error, each text once with how many it ended, the most first; one query."""
    rows = checks.filter(state=State.ERROR).order_by().values_list("error")
    return list(rows.annotate(n=Count("pk")).order_by("-n", "error"))


CODES_CSV = ["code", "severity", "environments", "findings", "not counted"]
DOMAINS_CSV = [
    "domain",
    "environments",
    "solvable",
    "broken",
    "unproven",
    "errors",
    "unverified",
    "solvability",
]


def sheets(
    name: str, checks: CheckQuerySet, panel: Sequence[str], tallies: Mapping[str, Tally]
) -> Sheets:
    """What a page shows of checks by code and by domain (`tallies`), to be downloaded under `name`."""
    return {
        "codes": lambda: spreadsheet(f"{name}-codes", CODES_CSV, _code_lines(checks)),
        "domains": lambda: spreadsheet(
            f"{name}-domains", [*DOMAINS_CSV, *panel, "floor"], _domain_lines(tallies, panel)
        ),
    }


def _code_lines(checks: CheckQuerySet) -> Iterator[list[Any]]:
    for one in by_code(checks):
        counts = [one["environments"], one["findings"], one["off"]]
        yield [one["code"], one["severity"], *counts]


def _domain_lines(tallies: Mapping[str, Tally], panel: Sequence[str]) -> Iterator[list[Any]]:
    for domain, tally in tallies.items():
        rates = (tally.rate(agent) for agent in panel)
        numbers = [tally.total, *tally.numbers[1:], tally.waiting + tally.unchecked]
        yield [domain, *numbers, tally.solvability, *rates, tally.floor(panel)]


def _tallies(checks: CheckQuerySet, key: str) -> dict[Any, Tally]:
    ended: Any = checks.with_status(many=key == "round").order_by()
    rows = defaultdict(list)
    for place, *row in ended.values_list(key, "state", "status").annotate(n=Count("pk")):
        rows[place].append(tuple(row))
    counts: dict[Any, dict[str, Any]] = {place: numbers(some) for place, some in rows.items()}
    found = {place: Tally(**one) for place, one in counts.items()}
    for place, agent, solved in _solved(checks, key):
        found[place].solved[agent] = solved
    return found


def _solved(checks: CheckQuerySet, key: str) -> Any:
    """As `triage.rounds` counts it: by the first attempt, or by any where the agent does not try."""
    agent = "result__episodes__agent__name"
    counted = Q(result__episodes__attempt=0) | Q(**{f"{agent}__in": FLOOR})
    rows = checks.filter(counted, result__episodes__reward=1).order_by().values_list(key, agent)
    return rows.annotate(solved=Count("pk", distinct=True))
