"""What people made of the findings on the published τ² tasks: `labels.jsonl`, a line for each defect.

A defect is a domain, a fingerprint and a place: one that a shared component shows in many tasks is read once.
A line stays when a mended clause or check makes its finding no longer.
`python -m benchmarks.tau2 --unread` prints those that nobody has read as lines to be filled in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from benchmarks.report import FOLDER

LABELS = FOLDER / "labels.jsonl"

Key = tuple[str, str, str]
"""Domain, fingerprint, place."""
Row = Mapping[str, Any]
"""A finding as the benchmark `tau2` lists it."""

NAMED = ("code", "severity", "kind", "component", "place", "symbol", "fingerprint", "message")
"""What a line to be read says of its finding."""


@dataclass(frozen=True)
class Reading:
    """What a person who read a finding says of it."""

    label: Literal["right", "wrong"]
    """*Right*: what it says is so, and a curator would want to know."""
    why: str
    """How that was confirmed."""
    correction: str = ""
    """A diff in the terms of the published files; empty where nothing should change."""
    data: str = "published"
    """The versions of the task files in which it was read: `published`, `older`, `corrected`."""


READ = tuple(each.name for each in fields(Reading))
SHOWN = ("label", "why", "correction")
"""What is told of a reading beside its finding."""


def key(row: Row) -> Key:
    """The defect that a finding shows."""
    return row["domain"], row["fingerprint"], row["place"]


@cache
def readings(path: Path = LABELS) -> Mapping[Key, Reading]:
    """Every reading by the defect that was read; raises ValueError when one is told twice."""
    found: dict[Key, Reading] = {}
    for line in map(json.loads, path.read_text().splitlines()):
        domain = line["environment"].partition("/")[0].removeprefix("tau2-")
        named = (domain, line["fingerprint"], line["place"])
        if named in found:
            raise ValueError(f"{path.name}: {line['environment']}, {line['place']} is read twice")
        found[named] = Reading(**{each: line[each] for each in READ if each in line})
    return found


def defects(rows: Iterable[Row]) -> list[list[Row]]:
    """The findings that show the same defect together, in the order of the first of each."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.values())


def read(row: Row) -> dict[str, Any]:
    """The finding with what was made of it; None each where nobody read it."""
    made = readings().get(key(row))
    return {**row, **{name: getattr(made, name, None) for name in SHOWN}}


def gone(rows: Iterable[Row], domains: Collection[str]) -> dict[str, int]:
    """How many defects of these domains were read in the published files, right and wrong, that are found no more:
    their lines stay."""
    found = {key(row) for row in rows}
    left = [
        made.label
        for at, made in readings().items()
        if at[0] in domains and at not in found and "published" in made.data
    ]
    return {label: left.count(label) for label in ("right", "wrong")}


def unread(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each defect that nobody has read."""
    for row, *_ in defects(row for row in rows if row["label"] is None):
        named = {"environment": row["environment"], **{name: row[name] for name in NAMED}}
        blank = {"label": "", "why": "", "correction": ""}
        yield json.dumps({**named, **blank}, ensure_ascii=False)


def precision(rows: Iterable[Row]) -> dict[str, Any]:
    """Of findings: how many defects they show, how many of these were read, how many are right."""
    found = defects(rows)
    labels = [row["label"] for row, *_ in found if row["label"] is not None]
    right = labels.count("right")
    return {
        "defects": len(found),
        "read": len(labels),
        "right": right,
        "precision": round(right / len(labels), 3) if labels else None,
    }
