"""Whom attribution names for the confirmed defects of the published τ² tasks, beside whom their readers named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.faults import weighing
from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.ranking import places, standing
from benchmarks.faults.scene import checked, forget
from benchmarks.readings import LABELS, Key
from components.tau2 import folder, installed_data

if TYPE_CHECKING:
    from triage.models import Fault, Round

Row = dict[str, Any]


def readings(path: Path = LABELS) -> dict[Key, str]:
    """Defect → `KIND/SLUG` of who is at fault, of what people confirmed in the published files."""
    found = {}
    for line in map(json.loads, path.read_text().splitlines()):
        if line["label"] == "right" and "published" in line.get("data", "published"):
            domain = line["environment"].partition("/")[0].removeprefix("tau2-")
            key = (domain, line["fingerprint"], line["place"])
            found[key] = f"{line['kind']}/{line['component']}"
    return found


def rows(domain: str, path: Path = LABELS) -> list[Row]:
    """Import a published domain, check it, gather, and set what was gathered beside the readings: a row for each
    confirmed defect that was found. Nothing is swapped."""
    from components.load import load

    forget()
    load([folder(domain, installed_data(domain), LIBRARY)], None, source="import_tau2", repins=True)
    made = checked()
    causes = weighing.gathered(made)
    named = {cause.pk: weighing.suspects(cause) for cause in causes}
    read = readings(path)
    return [
        _row(domain, found, read[key], [named[cause.pk] for cause in _showing(causes, found)])
        for found in _defects(made)
        if (key := (domain, found["fingerprint"], found["place"])) in read
    ]


def _defects(made: Round) -> list[Row]:
    """What counts in a round, once for each fingerprint and place, with a check that shows it."""
    from triage.models import Finding

    names = ("fingerprint", "place", "code", "result__checks", "result__checks__environment__slug")
    found = Finding.objects.counted().filter(result__checks__round=made).order_by("pk")
    rows = [dict(zip(names, row, strict=True)) for row in found.values_list(*names)]
    return list({(row["fingerprint"], row["place"]): row for row in reversed(rows)}.values())[::-1]


def _showing(causes: list[Fault], found: Row) -> list[Fault]:
    """The causes that explain a defect where it was found."""
    return [
        cause
        for cause in causes
        if cause.symptoms.filter(fingerprint=found["fingerprint"]).exists()
        and cause.sightings.filter(check_row=found["result__checks"]).exists()
    ]


def _row(domain: str, found: Row, reading: str, suspects: list[list[Row]]) -> Row:
    ranked = [standing(places(each), [reading]) for each in suspects]
    firsts = [each.among(1) if each else 0.0 for each in ranked]
    best = suspects[firsts.index(max(firsts))] if firsts else []
    return {
        "domain": domain,
        "task": found["result__checks__environment__slug"].removeprefix("task-"),
        "code": found["code"],
        "place": found["place"],
        "fingerprint": found["fingerprint"],
        "reading": reading,
        "named": [each["component"] for each in best if each["rank"] == 1],
        "first": round(max(firsts, default=0.0), 3),
        "causes": len(suspects),
    }
