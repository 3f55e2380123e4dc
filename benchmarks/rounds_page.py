"""The parts of the report on rounds, as blocks of a page: `<!-- rounds PART -->`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.faults.page import lines

Document = dict[str, Any]


def approvals(document: Document) -> str:
    """What was approved by itself in the demo, and what each approval moved."""
    return _table([row for row in document["approvals"] if row["of"] == "demo"])


def published(document: Document) -> str:
    """What was approved of the published tasks, each with what defends it."""
    return _table([row for row in document["approvals"] if row["of"] == "tau2"])


def _table(rows: list[dict[str, Any]]) -> str:
    cells = [
        [
            row["after_round"],
            row["domain"],
            ", ".join(row["components"]),
            row["title"],
            row["defended_by"] or "–",
            row["fixed"],
            row["broken"],
            row["other"],
            row["shared"],
        ]
        for row in rows
    ]
    head = ["after round", "domain", "components", "what", "defended by"]
    head += ["fixed", "broken", "otherwise", "with others"]
    return lines(head, cells) if cells else "None."


BLOCKS: Mapping[str, Callable[[Document], str]] = {"approvals": approvals, "published": published}
