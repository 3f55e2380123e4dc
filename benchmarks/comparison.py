"""Another version of the task files beside the published one, defect by defect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.readings import Row, defects, key
from benchmarks.report import kept

Plans = Mapping[str, Mapping[str, str]]
"""Domain → task → a digest of the steps of its plan."""

SAID = (
    *("domain", "task", "code", "severity", "kind", "component", "symbol"),
    *("step", "tool", "clause", "message", "label"),
)


def compared(
    rows: Iterable[Row], plans: Plans, published: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the published ones of these tasks (`benchmarks/tau2.json`) show and other files do not (`gone`), the
    reverse (`new`), and how many defects both show. One whose step has another number counts as another.
    `plans` has the tasks whose steps differ from the published ones, each with the certain findings that are new."""
    was = published or kept("tau2")
    before = _first(row for row in was["rows"] if row["task"] in plans.get(row["domain"], ()))
    now = _first(rows)
    new = [row for name, row in now.items() if name not in before]
    return {
        "same": len(before.keys() & now.keys()),
        "gone": [_short(row) for name, row in before.items() if name not in now],
        "new": [_short(row) for row in new],
        "plans": list(_changed(plans, was["plans"], new)),
    }


def _changed(plans: Plans, published: Plans, new: Sequence[Row]) -> Iterator[dict[str, Any]]:
    for domain, tasks in plans.items():
        for task, steps in tasks.items():
            if steps == published[domain].get(task, steps):
                continue
            certain = [
                row["symbol"]
                for row in new
                if (row["domain"], row["task"], row["severity"]) == (domain, task, "blocking")
            ]
            yield {"domain": domain, "task": task, "certain": list(dict.fromkeys(certain))}


def _first(rows: Iterable[Row]) -> dict[tuple[str, str, str], Row]:
    return {key(row): row for row, *_ in defects(rows)}


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in SAID}
