"""Rounds in numbers, many at once: what `triage.rounds.summary` says of each, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q

from agents import FLOOR
from triage.models import Check, Round
from triage.models.check import CheckQuerySet, State
from triage.pages.spreadsheet import Sheets, spreadsheet
from triage.rounds import COUNTS


@dataclass
class Tally:
    """How many environments a round (or its part in a domain) had, and how they ended."""

    environments: int = 0
    solvable: int = 0
    broken: int = 0
    unproven: int = 0
    errors: int = 0
    solved: dict[str, int] = field(default_factory=dict)
    """Agent → environments that it solved, of the agents that solved any."""

    @property
    def waiting(self) -> int:
        """Not checked yet."""
        return self.environments - self.solvable - self.broken - self.unproven - self.errors

    @property
    def judged(self) -> int:
        """What solvability is a share of: all but the errors."""
        return self.environments - self.errors

    @property
    def solvability(self) -> float | None:
        """A share from 0 to 1, None over nothing."""
        return self.solvable / self.judged if self.judged else None

    def rate(self, agent: str) -> float | None:
        """The share of the environments that an agent solved."""
        return self.solved.get(agent, 0) / self.environments if self.environments else None

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
            ("unverified", self.waiting),
        ]


def by_round(rounds: Sequence[Round], user: User) -> dict[int, Tally]:
    """Round → tally over the checks that a user may read; two queries."""
    found = _tallies(Check.objects.visible_to(user).filter(round__in=rounds), "round")
    return {row.pk: found.get(row.pk, Tally()) for row in rounds}


def by_domain(row: Round, user: User) -> dict[str, Tally]:
    """Domain → tally of one round, by name; two queries."""
    checks = Check.objects.visible_to(user).filter(round=row)
    return dict(sorted(_tallies(checks, "environment__domain__slug").items()))


def by_intent(row: Round, user: User) -> tuple[int, int]:
    """How many distinct intents a round judged, and of how many every environment was solvable; one query."""
    checks = Check.objects.visible_to(user).filter(round=row)
    checks = checks.exclude(state__in=[State.ERROR, State.CANCELLED])
    intents = checks.order_by().values("manifest__intent__slug", "environment__domain")
    sound = Count("pk", filter=Q(result__status="solvable"))
    rows = intents.annotate(n=Count("pk"), sound=sound)
    return len(rows), sum(one["n"] == one["sound"] for one in rows)


def codes(row: Round, user: User) -> list[Any]:
    """A dict for each code found in a round, with `findings` and the `environments` that have it; one query."""
    checks = Check.objects.visible_to(user).filter(round=row).exclude(result__findings=None)
    rows = checks.order_by().values("result__findings__code", "result__findings__severity")
    counted = rows.annotate(
        findings=Count("result__findings"), environments=Count("pk", distinct=True)
    )
    return list(counted.order_by("-environments", "result__findings__code"))


CODES_CSV = ["code", "severity", "environments", "findings"]
DOMAINS_CSV = ["domain", "environments", "solvable", "broken", "unproven", "errors", "solvability"]


def sheets(row: Round | None, user: User) -> Sheets:
    """What a page about a round shows by code and by domain, to be downloaded."""
    if row is None:
        return {}
    return {
        "codes": lambda: spreadsheet(f"round-{row.pk}-codes", CODES_CSV, _code_lines(row, user)),
        "domains": lambda: spreadsheet(
            f"round-{row.pk}-domains",
            [*DOMAINS_CSV, *row.panel, "floor"],
            _domain_lines(row, user),
        ),
    }


def _code_lines(row: Round, user: User) -> Iterator[list[Any]]:
    for one in codes(row, user):
        named = (one["result__findings__code"], one["result__findings__severity"])
        yield [*named, one["environments"], one["findings"]]


def _domain_lines(row: Round, user: User) -> Iterator[list[Any]]:
    for domain, tally in by_domain(row, user).items():
        rates = (tally.rate(agent) for agent in row.panel)
        yield [domain, *tally.numbers, tally.solvability, *rates, tally.floor(row.panel)]


def _tallies(checks: CheckQuerySet, key: str) -> dict[Any, Tally]:
    rows = checks.order_by().values(key)
    found = {one.pop(key): Tally(**one) for one in rows.annotate(**COUNTS)}
    for place, agent, solved in _solved(checks, key):
        found[place].solved[agent] = solved
    return found


def _solved(checks: CheckQuerySet, key: str) -> Any:
    """As `triage.rounds` counts it: by the first attempt, or by any where the agent does not try."""
    agent = "result__episodes__agent__name"
    counted = Q(result__episodes__attempt=0) | Q(**{f"{agent}__in": FLOOR})
    rows = checks.filter(counted, result__episodes__reward=1).order_by().values_list(key, agent)
    return rows.annotate(solved=Count("pk", distinct=True))
