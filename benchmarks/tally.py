"""Counts of findings: how many are certain, in how many tasks, how many were read and right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from benchmarks.readings import precision

Row = Mapping[str, Any]
"""A finding as the benchmark `tau2` lists it."""


def tallied(statuses: Sequence[str], rows: Sequence[Row]) -> dict[str, int]:
    """How many tasks there are, how they ended, and how many are touched by what."""
    certain, warnings = split(rows)
    return {
        "tasks": len(statuses),
        **{status: statuses.count(status) for status in ("broken", "solvable", "unproven")},
        "certain": len(certain),
        "certain_tasks": touched(certain),
        "warnings": len(warnings),
        "warning_tasks": touched(warnings),
    }


def headline(statuses: Sequence[str], rows: Sequence[Row], tools: Sequence[Row]) -> dict[str, Any]:
    """The figures of all domains together; `tools` is what the tools let through, of no task."""
    certain, warnings = split(rows)
    made = precision([*rows, *tools])
    return {
        **tallied(statuses, rows),
        "certain_precision": precision(certain)["precision"],
        "warning_precision": precision(warnings)["precision"],
        "let_through": len(tools),
        "let_through_precision": precision(tools)["precision"],
        "defects": made["defects"],
        "unread": made["defects"] - made["read"],
        "findings": dict(Counter(row["code"] for row in rows)),
        "tasks_touched": {
            code: touched([row for row in rows if row["code"] == code])
            for code in dict.fromkeys(row["code"] for row in rows)
        },
    }


def split(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Those that are certain, and the warnings."""
    found: tuple[list[Row], list[Row]] = ([], [])
    for row in rows:
        found[row["severity"] != "blocking"].append(row)
    return found


def touched(rows: Iterable[Row]) -> int:
    """In how many tasks they are."""
    return len({row["environment"] for row in rows})


def by_code(rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """By severity, code, and the kind of component blamed: how many, in how many tasks, how many read and right."""

    def named(row: Row) -> tuple[str, str, str]:
        return row["severity"], row["code"], row["kind"] or ""

    for (severity, code, kind), group in groupby(sorted(rows, key=named), named):
        found = list(group)
        counts = {"findings": len(found), "tasks": touched(found)}
        yield {"severity": severity, "code": code, "kind": kind, **counts, **precision(found)}
