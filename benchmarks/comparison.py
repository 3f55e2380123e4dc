"""Another version of the task files beside the published one, defect by defect."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchmarks.readings import Row, defects, key
from benchmarks.report import kept

SAID = (
    *("domain", "task", "code", "severity", "kind", "component", "symbol"),
    *("step", "tool", "clause", "message", "label"),
)


def compared(
    rows: Iterable[Row], domains: Collection[str], published: Iterable[Row] | None = None
) -> dict[str, Any]:
    """What the published tasks (`benchmarks/tau2.json`) show of these domains and other files do not (`gone`), the
    reverse (`new`), and how many defects both show. One whose step has another number counts as another."""
    was = published if published is not None else kept("tau2")["rows"]
    before = _first(row for row in was if row["domain"] in domains)
    now = _first(rows)
    return {
        "same": len(before.keys() & now.keys()),
        "gone": [_short(row) for name, row in before.items() if name not in now],
        "new": [_short(row) for name, row in now.items() if name not in before],
    }


def _first(rows: Iterable[Row]) -> dict[tuple[str, str, str], Row]:
    return {key(row): row for row, *_ in defects(rows)}


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in SAID}
