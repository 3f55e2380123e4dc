"""How many findings on the published τ² tasks are right, by people's labels.

Every finding is read against the task, the policy and the tools; `labels.jsonl` has what came of it, a line for each
defect (one that a shared component shows in many environments counts once): `{environment, code, severity, kind,
component, place, symbol, fingerprint, label: right | wrong, why, correction}`. `why` says how it was confirmed,
`correction` what would mend the published files, as a small diff. Lines stay when a mended check makes their finding
no longer. `python -m benchmarks.precision --unlabelled` prints those that nobody has read, in the same form.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents import panel
from benchmarks.report import FOLDER, publish
from benchmarks.stages import TAU2, bundles, folders
from worlds.check import check
from worlds.findings import Finding

LABELS = FOLDER / "labels.jsonl"

Key = tuple[str, str, str]
"""Domain, fingerprint, place: one defect, however many environments show it."""


@dataclass(frozen=True)
class Shown:
    """A finding, and the first environment that shows it."""

    environment: str
    finding: Finding


def found() -> dict[Key, Shown]:
    """All defects found on the published tasks."""
    defects: dict[Key, Shown] = {}
    domains = folders()
    for domain in (f"tau2-{name}" for name in TAU2):
        for bundle in bundles(domains[domain]):
            for item in check(bundle, panel()).findings:
                shown = Shown(f"{domain}/{bundle.manifest.intent.slug}", item)
                defects.setdefault((domain, item.fingerprint, item.place), shown)
    return defects


def to_read(findings: Mapping[Key, Shown]) -> list[Key]:
    """Those that count: blocking ones first, then warnings."""
    by_severity = {
        severity: [key for key, item in findings.items() if item.finding.severity == severity]
        for severity in ("blocking", "warning")
    }
    return [*by_severity["blocking"], *by_severity["warning"]]


def labels() -> dict[Key, str]:
    """Each label that was given."""
    lines = map(json.loads, LABELS.read_text().splitlines())
    return {
        (each["environment"].partition("/")[0], each["fingerprint"], each["place"]): each["label"]
        for each in lines
    }


def line(shown: Shown) -> dict[str, Any]:
    """A finding as a line to be labelled."""
    item = shown.finding.model_dump(exclude={"evidence"})
    item["fingerprint"] = shown.finding.fingerprint
    return {"environment": shown.environment, **item, "label": "", "why": "", "correction": ""}


def rows(findings: Mapping[Key, Shown], given: Mapping[Key, str]) -> Iterator[dict[str, Any]]:
    """By severity and code: how many there are, how many were read, how many were right."""
    by_code: dict[tuple[str, str], list[Key]] = {}
    for key, shown in findings.items():
        by_code.setdefault((shown.finding.severity, shown.finding.code), []).append(key)
    for (severity, code), keys in sorted(by_code.items()):
        read = [given[key] for key in keys if key in given]
        yield {
            "severity": severity,
            "code": code,
            "findings": len(keys),
            "read": len(read),
            "right": read.count("right"),
            "precision": share(read),
        }


def share(read: list[str]) -> float | None:
    """Of labels, those that say right; None of none."""
    return round(read.count("right") / len(read), 3) if read else None


def main(arguments: list[str]) -> None:
    """Print what is to be labelled, or the precision of what was."""
    start = time.perf_counter()
    findings = found()
    given = labels()
    wanted = to_read(findings)
    if "--unlabelled" in arguments:
        for key in wanted:
            if key not in given:
                print(json.dumps(line(findings[key]), ensure_ascii=False))
        return
    blocking = [
        given[k] for k in wanted if k in given and findings[k].finding.severity == "blocking"
    ]
    warnings = [
        given[k] for k in wanted if k in given and findings[k].finding.severity == "warning"
    ]
    headline = {
        "blocking_precision": share(blocking),
        "warning_precision": share(warnings),
        "blocking_read": len(blocking),
        "warnings_read": len(warnings),
        "unread": sum(key not in given for key in wanted),
    }
    publish("precision", time.perf_counter() - start, headline, list(rows(findings, given)))


if __name__ == "__main__":
    main(sys.argv[1:])
