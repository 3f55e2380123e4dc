"""Who is suspected of a fault: the best one in a list, all of them with evidence on its page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, CharField, F, OuterRef, Prefetch, Subquery, When
from django.urls import reverse

from components.models import Environment, Version
from triage.models import Fault, Finding, Suspect
from triage.models.attribution import Party
from triage.models.fault import FaultQuerySet
from triage.pages.place import component_url, place_url

BEST = ("rank", "-score", "id")
SORTS = {
    "direct": "points here",
    "spectrum": "takes part",
    "counterfactual": "swapped alone",
    "version": "history",
}
"""What a sentence of evidence rests on, in words."""

KEY = re.compile(r"[0-9a-f]{64}")
Cites = Mapping[str, Any]


def with_suspected(faults: FaultQuerySet) -> Any:
    """Each with `suspected`: the kind of its best suspect, or what sort of party that is; None where there is none."""
    best = Suspect.objects.filter(fault=OuterRef("pk")).order_by(*BEST)
    is_component = When(party=Party.COMPONENT, then=F("component__kind"))
    kind = Case(is_component, default=F("party"), output_field=CharField())
    return faults.annotate(suspected=Subquery(best.values(kind_of=kind)[:1]))


def with_best(faults: Any) -> list[Any]:
    """Faults, each with its `best` suspect (or None) and how many `others` tie with it; one query more."""
    suspects = Suspect.objects.select_related("component__domain", "version").defer("evidence")
    listed: list[Any] = list(faults.prefetch_related(Prefetch("suspects", suspects)))
    for row in listed:
        all_of_it = row.suspects.all()
        row.best = all_of_it[0] if all_of_it else None
        row.others = sum(one.rank == row.best.rank for one in all_of_it) - 1 if row.best else 0
    return listed


@dataclass(frozen=True)
class Sentence:
    """A sentence of evidence, and where to see what it cites."""

    sort: str
    text: str
    url: str
    words: str
    """Of the link; empty where nothing is cited."""


@dataclass(frozen=True)
class Suspected:
    """A suspect with its evidence."""

    row: Suspect
    evidence: list[Sentence]

    @property
    def kind(self) -> str:
        """Of the component, or what sort of party it is."""
        return self.row.component.kind if self.row.component else self.row.party

    @property
    def place(self) -> str:
        """The address of where it is said to be at fault."""
        component, symbol = self.row.component, self.row.symbol
        if component is None:
            return ""
        number = self.row.version.number if self.row.version else None
        if component.kind == "rule":
            return place_url(component, f"clauses.{symbol}", number)
        if component.kind in ("intent", "domain"):
            return place_url(component, symbol, number)
        return component_url(component, number)


@dataclass(frozen=True)
class Rank:
    """Those that are suspected equally."""

    number: int
    suspects: list[Suspected]

    @property
    def is_tie(self) -> bool:
        return len(self.suspects) > 1

    @property
    def question(self) -> str:
        """What would break the tie."""
        return next((one.row.question for one in self.suspects if one.row.question), "")


def ranks(fault: Fault, user: User) -> list[Rank]:
    """The suspects of a fault, the likeliest first; four queries at most."""
    rows = list(fault.suspects.select_related("component__domain", "version").order_by(*BEST))
    cited = Cited.by(rows, user)
    found = [Suspected(row, [cited.sentence(one) for one in row.evidence]) for row in rows]
    return [Rank(number, list(some)) for number, some in groupby(found, lambda one: one.row.rank)]


@dataclass(frozen=True)
class Cited:
    """All that the evidence of suspects cites and a user may see, by id."""

    findings: Mapping[int, str]
    """Finding → the key of its result."""
    versions: Mapping[int, Version]
    environments: Mapping[int, Environment]

    @classmethod
    def by(cls, rows: Iterable[Suspect], user: User) -> Cited:
        cites = [one.get("cites", {}) for row in rows for one in row.evidence]

        def named(name: str) -> set[int]:
            return {one[name] for one in cites if isinstance(one.get(name), int)}

        findings = Finding.objects.filter(pk__in=named("finding")).visible_to(user)
        versions = Version.objects.select_related("component__domain")
        environments = Environment.objects.visible_to(user).select_related("domain")
        return cls(
            dict(findings.order_by().values_list("pk", "result_id")),
            versions.in_bulk(named("version")),
            environments.in_bulk(named("environment")),
        )

    def sentence(self, one: Mapping[str, Any]) -> Sentence:
        sort = str(one.get("sort", ""))
        url, words = self._link(one.get("cites", {}))
        return Sentence(SORTS.get(sort, sort), str(one.get("text", "")), url, words)

    def _link(self, cites: Cites) -> tuple[str, str]:
        if (key := self.findings.get(cites.get("finding", 0))) is not None:
            return f"{reverse('result', args=[key])}#finding-{cites['finding']}", "finding"
        if (version := self.versions.get(cites.get("version", 0))) is not None:
            line = cites.get("line")
            url = component_url(version.component, version.number)
            return (f"{url}#L{line}", f"line {line}") if line else (url, f"v{version.number}")
        if (row := self.environments.get(cites.get("environment", 0))) is not None:
            return reverse("environment", args=[row.domain.slug, row.slug]), "environment"
        if KEY.fullmatch(str(cites.get("episode", ""))):
            url, step = reverse("episode", args=[cites["episode"]]), cites.get("step")
            return (
                (url, "episode")
                if step is None
                else (f"{url}?step={step}#step-{step}", f"step {step}")
            )
        if KEY.fullmatch(str(cites.get("result", ""))):
            return reverse("result", args=[cites["result"]]), "result"
        return "", ""
