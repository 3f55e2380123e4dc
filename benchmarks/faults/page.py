"""The parts of the report on planted faults, as blocks of a page: `<!-- detection PART -->`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.faults.detected import by_operator, missed

Document = dict[str, Any]


def operators(document: Document) -> str:
    """What was found of each operator's faults, and complained of in each rewrite."""
    rows = by_operator(document["changes"])
    faults = [
        [
            row["half"],
            row["kind"],
            row["operator"],
            f"{row['detected']} of {row['harmful']}",
            row["detected_95"] or "–",
            f"{row['harmless_alarms']} of {row['harmless']}",
        ]
        for row in rows
        if not row["rewrite"]
    ]
    rewrites = [
        [
            row["half"],
            row["kind"],
            row["operator"],
            f"{row['alarms']} of {row['rewrites']}",
            row["harmful"],
        ]
        for row in rows
        if row["rewrite"]
    ]
    head = ["half", "kind", "fault", "harmful ones found", "95%", "alarms on those that do no harm"]
    return "\n\n".join(
        [
            lines(head, faults),
            lines(["half", "kind", "rewrite", "alarms", "harmful by the keys"], rewrites),
        ]
    )


def silent(document: Document) -> str:
    """Every harmful change, catalogue and all, that nothing spoke of."""
    rows = [
        [row["half"], row["domain"], row["name"], row["place"], row["harm"]]
        for row in missed(document["changes"])
    ]
    return lines(["half", "domain", "what", "where", "harm"], rows)


def alarmed(document: Document) -> str:
    """Every alarm on a rewrite."""
    rows = [
        [row["half"], row["domain"], row["name"], row["place"], "; ".join(row["alarms"])]
        for row in document["changes"]
        if row["rewrite"] and row["detected"] and not row["harmful"]
    ]
    return lines(["half", "domain", "rewrite", "where", "alarms"], rows) if rows else "None."


def lines(head: list[str], rows: list[list[Any]]) -> str:
    """A table in Markdown."""
    table = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(value) for value in row)} |" for row in table)


def _cell(value: Any) -> str:
    text = " ".join(str(value).split()).replace("|", "\\|").replace("<", "&lt;")
    return text if len(text) <= 160 else f"{text[:159]}…"


BLOCKS: Mapping[str, Callable[[Document], str]] = {
    "operators": operators,
    "silent": silent,
    "alarmed": alarmed,
}
