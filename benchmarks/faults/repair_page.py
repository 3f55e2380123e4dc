"""The parts of the report on repairs, as blocks of a page: `<!-- repair PART -->`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.faults.attributed import ALONE, STANDINS
from benchmarks.faults.page import lines

Document = dict[str, Any]
STAGES = {ALONE: "nothing sound at hand", STANDINS: "an earlier version and siblings at hand"}


def kinds(document: Document) -> str:
    """What is repaired of each kind."""
    return _table(["half", "of"], document["rows"])


def operators(document: Document) -> str:
    """What is repaired of each operator's faults."""
    return _table(["half", "kind", "operator"], document["operators"])


def _table(names: list[str], rows: list[dict[str, Any]]) -> str:
    cells = [
        [
            *(row[name] for name in names),
            f"{row['repaired']} of {row['faults']}",
            row["repaired_95"] or "–",
            row["as_sound"],
            f"{row['agree']} of {row['compared']}" if row["compared"] else "–",
            "–" if row["share_standins"] is None else f"{row['repaired_standins']}",
        ]
        for row in rows
    ]
    said = ["repaired", "95%", "as the sound one", "same answers", "with standins"]
    return lines([*names, *said], cells)


def reasons(document: Document) -> str:
    """Why faults were not repaired."""
    rows = [
        [row["half"], STAGES[row["stage"]], row["why"], row["faults"]]
        for row in document["reasons"]
    ]
    return lines(["half", "with", "why not", "faults"], rows) if rows else "None."


def missed(document: Document) -> str:
    """The development faults that were not repaired, one by one."""
    rows = [
        [
            row["domain"],
            row["name"],
            row["place"],
            row[ALONE]["why"],
            row[ALONE]["title"] or "–",
            row[ALONE]["harm"] or "–",
        ]
        for row in document["faults"]
        if not row[ALONE]["repaired"]
    ]
    head = ["domain", "what", "where", "why not", "proposed first", "harm"]
    return lines(head, rows) if rows else "None."


BLOCKS: Mapping[str, Callable[[Document], str]] = {
    "kinds": kinds,
    "operators": operators,
    "reasons": reasons,
    "missed": missed,
}
