"""What a round observed of a domain, from its rows: counted findings by check."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from components.models import Domain
from triage.models import Check, Finding, Round
from triage.models.check import State
from triage.models.finding import Severity
from triage.observations import Observation, Sign
from worlds.bundle import Manifest

COLUMNS = (
    "code",
    "severity",
    "kind",
    "slug",
    "place",
    "symbol",
    "fingerprint",
    "message",
    "evidence",
    "pk",
)


def observed(made: Round, domain: Domain) -> list[Observation]:
    """The checks of a domain that a round did well, each with its findings that count and are no advice."""
    checks = Check.objects.filter(round=made, environment__domain=domain, state=State.DONE)
    signs = _signs(checks)
    rows: Any = checks.with_status(many=True).order_by("environment")
    return [
        Observation(environment, check, status, _parts(manifest), tuple(signs[check]), frozenset())
        for environment, check, status, manifest in rows.values_list(
            "environment", "pk", "status", "manifest"
        )
    ]


def _signs(checks: Any) -> dict[int, list[Sign]]:
    counted = Finding.objects.counted().exclude(severity=Severity.ADVICE)
    found: dict[int, list[Sign]] = defaultdict(list)
    rows: Any = counted.filter(result__checks__in=checks).order_by("pk")
    for check, *values in rows.values_list("result__checks", *COLUMNS):
        found[check].append(Sign(*values))
    return found


def _parts(document: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    refs = Manifest.model_validate(document).refs()
    return tuple((kind, "domain" if kind == "domain" else ref.slug) for kind, ref in refs)
