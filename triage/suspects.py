"""A fault's suspects as rows, at the versions that a round ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from components.models import Component, Domain, Version
from triage.models import Check, Fault, Round, Suspect
from triage.models.attribution import Party as Sort
from triage.observations import Weighed
from triage.sameness import Party
from worlds.bundle import Manifest


class Ran(NamedTuple):
    """A component as a round ran it."""

    component: Component
    body: str | None
    """Digest; None where no check of the round used it."""
    version: Version | None
    """Of several versions with this body, the newest."""


@dataclass(frozen=True)
class Roster:
    """The components of a domain, by kind and slug, as a round ran them."""

    components: dict[tuple[str, str], Ran]

    @classmethod
    def of(cls, made: Round, domain: Domain) -> Roster:
        """In three queries."""
        bodies = _bodies(made, domain)
        versions = {
            (row.component_id, row.body_id): row
            for row in Version.objects.filter(
                component__domain=domain, body__in=bodies.values()
            ).order_by("number")
        }
        return cls(
            {
                name: Ran(row, body, versions.get((row.pk, body or "")))
                for row in Component.objects.filter(domain=domain)
                for name in [(row.kind, row.slug)]
                for body in [bodies.get(name)]
            }
        )

    def still_has(self, suspects: Sequence[Suspect]) -> bool:
        """Whether the round ran none of them in another version than the one that was suspected."""
        return all(self._is_same(row) for row in suspects if row.component)

    def _is_same(self, row: Suspect) -> bool:
        assert row.component is not None  # noqa: S101  # the caller looked
        ran = self.components.get((row.component.kind, row.component.slug))
        if ran is None or ran.body is None:
            return True
        return row.version is not None and row.version.body_id == ran.body


def _bodies(made: Round, domain: Domain) -> dict[tuple[str, str], str]:
    """(kind, slug) → digest: the same in all checks of a round, which pinned them at once."""
    found: dict[tuple[str, str], str] = {}
    checks = Check.objects.filter(round=made, environment__domain=domain).order_by("pk")
    for document in checks.values_list("manifest", flat=True).iterator():
        for kind, ref in Manifest.model_validate(document).refs():
            found[kind, "domain" if kind == "domain" else ref.slug] = ref.body
    return found


MOST = 8
"""Suspects of a fault that are kept."""


def rows_of(fault: Fault, weighed: Sequence[Weighed], roster: Roster) -> Iterator[Suspect]:
    """Unsaved rows of the likeliest, at most `MOST`; none for components that are gone."""
    ranked = sorted(weighed, key=lambda one: -one.score)[:MOST]
    scores = [one.score for one in ranked]
    for one in ranked:
        is_component = one.party == Sort.COMPONENT
        ran = roster.components.get(one.location.component) if is_component else None
        if is_component and ran is None:
            continue
        yield Suspect(
            fault=fault,
            rank=scores.index(one.score) + 1,
            party=one.party,
            component=ran.component if ran else None,
            version=ran.version if ran else None,
            symbol=one.location.symbol[:400] if is_component else "",
            score=one.score,
            direct=one.direct,
            spectrum=one.spectrum,
            evidence=[
                {"sort": each.sort, "text": each.text, "cites": dict(each.cites)}
                for each in one.evidence
            ],
        )


def best_of(suspects: Sequence[Suspect]) -> Party | None:
    """The first of a fault's suspects, as it is known again."""
    if not suspects:
        return None
    first = suspects[0]
    if first.component is None:
        return Party(first.party)
    return Party(first.party, first.component.kind, first.component.slug, first.symbol)
