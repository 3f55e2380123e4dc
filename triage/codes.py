"""Codes: what checks found by each, and how often people say that it was right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

from django.db.models import Count

from components.actor import Actor, visible_domains
from components.models import Environment
from triage.models import Finding, Label
from triage.models.check import CheckQuerySet
from triage.models.finding import Severity
from triage.precision import Precision
from triage.standing import latest_checks
from worlds.findings import CODES, Code


class Found(TypedDict):
    """What checks found by one code, of one severity (that it has now)."""

    code: str
    severity: str
    environments: int
    """In which it counts."""
    findings: int
    """That count."""
    off: int
    """Findings that do not: accepted, dismissed, or of a code that demoted itself."""


def by_code(checks: CheckQuerySet) -> list[Found]:
    """What checks found, the code that counts in most environments first; one query."""
    rows: Any = Finding.objects.with_marks().filter(result__checks__in=checks).order_by()
    counted = rows.values_list("code", "weight", "is_counted").annotate(
        findings=Count("result__checks"),
        environments=Count("result__checks__environment", distinct=True),
    )
    found: dict[tuple[str, str], Found] = {}
    for code, severity, is_counted, findings, environments in counted:
        empty = Found(code=code, severity=severity, environments=0, findings=0, off=0)
        one = found.setdefault((code, severity), empty)
        if is_counted:
            one["findings"], one["environments"] = findings, environments
        else:
            one["off"] = findings
    return sorted(found.values(), key=lambda one: (-one["environments"], one["code"]))


@dataclass(frozen=True)
class Standing:
    """A code as it stands now."""

    name: str
    code: Code | None
    """None where the table of this version has it no longer."""
    precision: Precision = field(default_factory=Precision)
    """Over the labels of all domains, whoever asks: a code stands in one way."""
    findings: int = 0
    """Of the environments as they are now, those that count."""
    off: int = 0
    """Of the same, those that do not."""

    @property
    def stage(self) -> str:
        return self.code.stage if self.code else ""

    @property
    def reported(self) -> str:
        """The severity that checks report it with, unless they have a reason for another."""
        return self.code.severity if self.code else ""

    @property
    def is_demoted(self) -> bool:
        return self.precision.is_demoted

    @property
    def severity(self) -> str:
        """The severity that it has now."""
        return Severity.ADVICE.value if self.is_demoted else self.reported

    def document(self) -> dict[str, Any]:
        """As commands and the API say it."""
        low, high = self.precision.interval or (None, None)
        return {
            "code": self.name,
            "stage": self.stage,
            "severity": self.reported,
            "demoted": self.is_demoted,
            "findings": self.findings,
            "not_counted": self.off,
            "right": self.precision.right,
            "wrong": self.precision.wrong,
            "precision": self.precision.share,
            "interval": None if low is None else [low, high],
        }


def standings(actor: Actor) -> list[Standing]:
    """Every code in the order of the table, then those that only old findings and labels have. `findings` are those
    that `actor` may see."""
    environments = Environment.objects.filter(domain__in=visible_domains(actor))
    findings: dict[str, int] = {}
    off: dict[str, int] = {}
    for one in by_code(latest_checks(environments)):
        findings[one["code"]] = findings.get(one["code"], 0) + one["findings"]
        off[one["code"]] = off.get(one["code"], 0) + one["off"]
    precisions = Label.objects.precisions()
    others = sorted({*findings, *precisions} - set(CODES))
    return [
        Standing(
            name,
            CODES.get(name),
            precisions.get(name, Precision()),
            findings.get(name, 0),
            off.get(name, 0),
        )
        for name in [*CODES, *others]
    ]
