"""How many findings on the published τ² tasks are right, by people's labels.

Every blocking finding and a random sample of the warnings were read against the task, the policy and the tools;
`labels.jsonl` has what came of it, a line each: `{environment, code, severity, kind, component, place, symbol,
fingerprint, label: right | wrong, why}`. `python -m benchmarks.precision --unlabelled` prints those that nobody
has read, in the same form.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from agents import panel
from benchmarks.report import FOLDER, publish
from benchmarks.stages import TAU2, bundles, folders
from worlds.check import check
from worlds.findings import Finding

LABELS = FOLDER / "labels.jsonl"
SAMPLE = 60
"""Warnings that are read."""
SEED = "2026"

Key = tuple[str, str, str]
"""Environment, fingerprint, place: one defect shown by one environment."""


def found() -> dict[Key, Finding]:
    """All findings on the published tasks."""
    domains = folders()
    return {
        (f"tau2-{name}/{bundle.manifest.intent.slug}", item.fingerprint, item.place): item
        for name in TAU2
        for bundle in bundles(domains[f"tau2-{name}"])
        for item in check(bundle, panel()).findings
    }


def to_read(findings: Mapping[Key, Finding]) -> list[Key]:
    """All blocking ones, then warnings in an order that depends on each alone: a changed check moves few of them."""
    blocking = [key for key, item in findings.items() if item.severity == "blocking"]
    warnings = [key for key, item in findings.items() if item.severity == "warning"]
    return [*blocking, *sorted(warnings, key=_rank)[:SAMPLE]]


def _rank(key: Key) -> str:
    return hashlib.sha256("\n".join((SEED, *key)).encode()).hexdigest()


def labels() -> dict[Key, str]:
    """Each label that was given."""
    lines = map(json.loads, LABELS.read_text().splitlines())
    return {
        (each["environment"], each["fingerprint"], each["place"]): each["label"] for each in lines
    }


def line(key: Key, item: Finding) -> dict[str, Any]:
    """A finding as a line to be labelled."""
    return {
        "environment": key[0],
        "code": item.code,
        "severity": item.severity,
        "kind": item.kind,
        "component": item.component,
        "place": item.place,
        "symbol": item.symbol,
        "fingerprint": item.fingerprint,
        "message": item.message,
        "label": "",
        "why": "",
    }


def rows(findings: Mapping[Key, Finding], given: Mapping[Key, str]) -> Iterator[dict[str, Any]]:
    """By severity and code: how many there are, how many were read, how many were right."""
    kinds = sorted({(item.severity, item.code) for item in findings.values()})
    for severity, code in kinds:
        keys = [k for k, item in findings.items() if (item.severity, item.code) == (severity, code)]
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
                print(json.dumps(line(key, findings[key]), ensure_ascii=False))
        return
    blocking = [given[k] for k in wanted if k in given and findings[k].severity == "blocking"]
    warnings = [given[k] for k in wanted if k in given and findings[k].severity == "warning"]
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
