"""Findings of many environments as text, JSON or SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worlds.about import Accepted
from worlds.findings import CODES, Finding

Location = tuple[str, int]
"""File and line."""

SARIF_LEVELS = {"blocking": "error", "warning": "warning", "advice": "note"}
ORDER = {"blocking": 0, "warning": 1, "advice": 2}


@dataclass
class Reported:
    """A finding with where it stands and every environment that showed it."""

    finding: Finding
    path: str
    line: int
    accepted: Accepted | None = None
    """By whom and why it is accepted: it is shown, and counts for nothing."""
    environments: list[str] = field(default_factory=list)


def gathered(
    findings: Mapping[str, Sequence[Finding]],
    locate: Callable[[Finding], Location],
    accepts: Callable[[Finding], Accepted | None],
) -> list[Reported]:
    """Findings by environment → each defect once, worst first and what is accepted last, with the environments that
    show it."""
    seen: dict[tuple[str, str, str], Reported] = {}
    for environment, items in findings.items():
        for item in items:
            key = (item.fingerprint, item.place, item.severity)
            if key not in seen:
                seen[key] = Reported(item, *locate(item), accepts(item))
            seen[key].environments.append(environment)
    return sorted(
        seen.values(),
        key=lambda r: (
            r.accepted is not None,
            ORDER[r.finding.severity],
            r.path,
            r.line,
            r.finding.code,
            r.finding.place,
        ),
    )


def as_text(reported: Iterable[Reported]) -> str:
    """One line a defect: `path:line: severity code: message (environments)`, with `accepted` before the severity
    and reason and name at the end where it is."""
    lines = []
    for item in reported:
        shown = ", ".join(item.environments[:3])
        more = f" and {len(item.environments) - 3} more" if len(item.environments) > 3 else ""
        found = item.finding
        lines.append(
            f"{item.path}:{item.line}: {'accepted ' if item.accepted else ''}{found.severity} {found.code}:"
            f" {found.message} [{found.place}] ({shown}{more})"
            + (f"; accepted by {item.accepted.by}: {item.accepted.reason}" if item.accepted else "")
        )
    return "\n".join(lines)


def as_json(reported: Iterable[Reported], statuses: Mapping[str, str]) -> str:
    """`{environments: {name: status}, findings: [{…finding, path, line, environments, accepted}]}`;
    `accepted` is null where the finding counts."""
    findings = [
        {
            **item.finding.model_dump(mode="json"),
            "fingerprint": item.finding.fingerprint,
            "path": item.path,
            "line": item.line,
            "environments": item.environments,
            "accepted": item.accepted.model_dump(mode="json") if item.accepted else None,
        }
        for item in reported
    ]
    return json.dumps({"environments": dict(statuses), "findings": findings}, indent=2)


def as_sarif(reported: Iterable[Reported]) -> str:
    """A SARIF 2.1.0 log (OASIS), as code hosts and editors show it."""
    driver = {
        "name": "envcurate",
        "informationUri": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/",
        "rules": [
            {"id": code, "shortDescription": {"text": spec.meaning}} for code, spec in CODES.items()
        ],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_sarif(item) for item in reported]}],
    }
    return json.dumps(log, indent=2)


def _sarif(item: Reported) -> dict[str, Any]:
    physical = {
        "artifactLocation": {"uri": item.path},
        "region": {"startLine": max(1, item.line)},
    }
    return {
        "ruleId": item.finding.code,
        "level": SARIF_LEVELS[item.finding.severity],
        "message": {"text": item.finding.message},
        "locations": [
            {
                "physicalLocation": physical,
                "logicalLocations": [{"fullyQualifiedName": item.finding.place}],
            }
        ],
        "partialFingerprints": {"envcurate/v1": item.finding.fingerprint},
        "properties": {"environments": item.environments},
        **({"suppressions": [_suppression(item.accepted)]} if item.accepted else {}),
    }


def _suppression(accepted: Accepted) -> dict[str, Any]:
    """In the source: the about block of the component's file says it."""
    return {
        "kind": "inSource",
        "status": "accepted",
        "justification": accepted.reason,
        "properties": {"by": accepted.by},
    }


def has_blocking(reported: Iterable[Reported]) -> bool:
    """Whether one of them is blocking and nobody accepted it."""
    return any(item.finding.severity == "blocking" and item.accepted is None for item in reported)
