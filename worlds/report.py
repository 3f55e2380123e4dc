"""Findings of many environments as text, JSON or SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

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
    environments: list[str] = field(default_factory=list)


def gathered(
    findings: Mapping[str, Sequence[Finding]], locate: Callable[[Finding], Location]
) -> list[Reported]:
    """Findings by environment → each defect once, worst first, with the environments that show it."""
    seen: dict[tuple[str, str, str], Reported] = {}
    for environment, items in findings.items():
        for item in items:
            key = (item.fingerprint, item.place, item.severity)
            if key not in seen:
                seen[key] = Reported(item, *locate(item))
            seen[key].environments.append(environment)
    return sorted(
        seen.values(),
        key=lambda r: (ORDER[r.finding.severity], r.path, r.line, r.finding.code, r.finding.place),
    )


def as_text(reported: Iterable[Reported]) -> str:
    """One line a defect: `path:line: severity code: message (environments)`."""
    lines = []
    for item in reported:
        shown = ", ".join(item.environments[:3])
        more = f" and {len(item.environments) - 3} more" if len(item.environments) > 3 else ""
        found = item.finding
        lines.append(
            f"{item.path}:{item.line}: {found.severity} {found.code}: {found.message}"
            f" [{found.place}] ({shown}{more})"
        )
    return "\n".join(lines)


def as_json(reported: Iterable[Reported], statuses: Mapping[str, str]) -> str:
    """`{environments: {name: status}, findings: [{…finding, path, line, environments}]}`."""
    findings = [
        {
            **item.finding.model_dump(mode="json"),
            "fingerprint": item.finding.fingerprint,
            "path": item.path,
            "line": item.line,
            "environments": item.environments,
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
    }
