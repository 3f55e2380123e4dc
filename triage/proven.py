"""What has been seen to work: bodies with which environments were solvable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from components.models import Component
from triage.models import Check
from triage.models.check import ended_as
from triage.models.result import Status


@dataclass(frozen=True)
class Proven:
    """In the newest round that shows it."""

    environments: int
    round: int

    def __str__(self) -> str:
        one = self.environments == 1
        counted = "one environment was" if one else f"{self.environments} environments were"
        return f"with which {counted} solvable in round {self.round}"


def proven(component: Component, body: str) -> Proven | None:
    """Whether environments were solvable with a component that said what this body says; one query."""
    checks = Check.objects.filter(
        environment__domain=component.domain_id,
        manifest__contains=_named(component, body),
    )
    solvable = checks.alias(ended=ended_as()).filter(ended=Status.SOLVABLE).order_by()
    counted = solvable.values("round").annotate(several=Count("environment"))
    newest = counted.order_by("-round").values_list("several", "round").first()
    return None if newest is None else Proven(*newest)


def _named(component: Component, body: str) -> dict[str, Any]:
    """What the manifest of a bundle has of it."""
    slug = {} if component.kind == "domain" else {"slug": component.slug}
    ref = {**slug, "body": body}
    several = {"rule": "rules", "toolserver": "toolservers"}
    name = several.get(component.kind)
    return {component.kind: ref} if name is None else {name: [ref]}
