"""The parts of the report on attribution, as blocks of a page: `<!-- attribution PART -->`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.faults.page import lines
from benchmarks.faults.suspected import main_stage, ranked

Document = dict[str, Any]
NAMES = {
    "quick": "as gathered",
    "alone": "with swaps",
    "standins": "with swaps, an earlier version and siblings at hand",
    "directly": "direct evidence alone",
    "spectral": "Ochiai alone",
}


def shares(document: Document) -> str:
    """How often a true component is named first, among three, by half, kind and ranking."""
    rows = [
        [
            row["half"],
            row["of"],
            NAMES[row["ranking"]],
            row["faults"],
            *(_number(row[name]) for name in ("first", "three", "reciprocal")),
        ]
        for row in document["rows"]
        if row["faults"]
    ]
    head = ["half", "of", "ranking", "faults", "first", "among three", "mean reciprocal rank"]
    return lines(head, rows)


def certain(document: Document) -> str:
    """How often what is confirmed is so, and how well scores are probabilities."""
    confirmed = [
        [
            row["half"],
            NAMES[row["ranking"]],
            f"{row['right']} of {row['confirmed']}",
            _number(row["precision"]),
            _number(row["recall"]),
        ]
        for row in document["confirmed"]
    ]
    scored = [
        [row["half"], *(_number(row[name]) for name in CALIBRATION)]
        for row in document["calibration"]
    ]
    bins = [
        [row["half"], row["scores"], row["candidates"], *(_number(row[name]) for name in BIN)]
        for row in document["reliability"]
    ]
    return "\n\n".join(
        [
            lines(["half", "ranking", "confirmed and true", "precision", "recall"], confirmed),
            lines(["half", "candidates", "Brier score", "skill", "base rate"], scored),
            lines(["half", "scores", "candidates", "mean score", "at fault"], bins),
        ]
    )


CALIBRATION = ("candidates", "brier", "skill", "base_rate")
BIN = ("mean_score", "at_fault")


def together(document: Document) -> str:
    """Several faults at once."""
    head = ["half", "at once", "sets", "faults", "first", "hidden", "split", "causes"]
    names = [name.replace(" ", "_") for name in head]
    return lines(head, [[row[name] for name in names] for row in document["at_once"]])


def missed(document: Document) -> str:
    """Every single fault whose component does not stand first alone."""
    rows = [
        [
            row["half"],
            row["domain"],
            row["name"],
            row["place"],
            ", ".join(row["culprits"]),
            _first(row),
        ]
        for row in document["faults"]
        if (found := ranked(row, main_stage(row))) is None or found.among(1) < 1
    ]
    head = ["half", "domain", "what", "where", "at fault", "named first"]
    return lines(head, rows) if rows else "None."


def _first(row: dict[str, Any]) -> str:
    suspects = row[main_stage(row)]
    named = [f"{each['component']} {each['score']:.2f}" for each in suspects if each["rank"] == 1]
    return ", ".join(named) or row["error"] or "nobody"


def tasks(document: Document) -> str:
    """Every confirmed defect of the published tasks for which somebody else is named than by its reader."""
    rows = [
        [row["domain"], row["task"], row["code"], row["reading"], ", ".join(row["named"]) or "–"]
        for row in document["tau2"]
        if row["first"] < 1
    ]
    count = len(document["tau2"])
    head = f"{count - len(rows)} of {count} confirmed defects: the same component stands first."
    table = lines(["domain", "task", "finding", "by reading", "named first"], rows)
    return f"{head}\n\n{table}" if rows else head


def _number(value: Any) -> Any:
    return "–" if value is None else value


BLOCKS: Mapping[str, Callable[[Document], str]] = {
    "shares": shares,
    "certain": certain,
    "together": together,
    "missed": missed,
    "tasks": tasks,
}
