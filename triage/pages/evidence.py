"""What the evidence of findings names, as links: the step, the clause, the invariant, the row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse

from components.models import Component, Domain
from triage.models import Episode, Finding
from triage.pages import bodies
from triage.pages.place import clause_url, invariant_url, row_url

CLAUSE = re.compile(r"[\w-]+/\S+")
Link = tuple[str, str]
"""Address and words."""


@dataclass(frozen=True)
class Cited:
    """What findings about an environment may name: its episodes and its parts."""

    domain: Domain
    episodes: list[Episode]
    parts: list[Component]

    def links(self, findings: Iterable[Finding]) -> dict[int, list[Link]]:
        """Finding (its id) → what its evidence leads to."""
        return {one.pk: list(self._of(one)) for one in findings}

    def _of(self, finding: Finding) -> Iterator[Link]:
        evidence = finding.evidence
        yield from self._step(finding)
        if CLAUSE.fullmatch(clause := str(evidence.get("clause"))):
            yield clause_url(self.domain, clause), "Open the clause"
        if invariant := evidence.get("invariant"):
            yield invariant_url(self.domain, str(invariant)), "Open the invariant"
        if finding.kind != "records":  # the place of those is the row
            yield from self._row(str(evidence.get("table", "")), str(evidence.get("key", "")))

    def _step(self, finding: Finding) -> Iterator[Link]:
        cited = finding.evidence.get("agent"), finding.evidence.get("attempt", 0)
        step = finding.evidence.get("step")
        for episode in self.episodes:
            if (episode.agent.name, episode.attempt) == cited:
                url, name = reverse("episode", args=[episode.key]), episode.agent.name
                if isinstance(step, int):
                    yield f"{url}?step={step}#step-{step}", f"Open step {step} of {name}"
                else:
                    yield url, f"Open {name}'s episode"
                return

    def _row(self, table: str, key: str) -> Iterator[Link]:
        """Nothing where the records have no such row: a tool has inserted it."""
        if not (table and key):
            return
        found = {part.kind: part for part in self.parts if part.kind in ("domain", "records")}
        said = {
            kind: bodies.content(part.current.body_id)
            for kind, part in found.items()
            if part.current
        }
        if bodies.row(said.get("domain", {}), said.get("records", {}), table, key) is not None:
            yield row_url(found["records"], table, key), f"Open the row {table}/{key}"
