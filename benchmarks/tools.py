"""What the tools of a τ² domain accept though its policy forbids it, and write though an invariant does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.reference import Reference
from benchmarks.readings import read
from worlds.bundle import Bundle
from worlds.canonical import canonical
from worlds.findings import Finding
from worlds.probing import Limits, Probed, Probes, probe


@dataclass(frozen=True)
class LetThrough:
    """What probing the tools of a domain showed, as the document lists it."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    """What the tools are to blame for, one for each tool and clause, invariant, field or reference."""
    not_probed: list[dict[str, Any]] = field(default_factory=list)
    """Clauses and invariants of which the probes say nothing, and why."""


def let_through(
    domain: str, bundles: Mapping[str, Bundle], limits: Limits | None = None
) -> LetThrough:
    """Probe the tools by calls that differ a little from those of the plans."""
    probes = probe(bundles, Reference.of, limits=limits)
    unsaid = [{"domain": domain, **each.model_dump()} for each in probes.not_probed]
    return LetThrough(list(_rows(domain, probes)), unsaid)


def _rows(domain: str, probes: Probes) -> Iterator[dict[str, Any]]:
    blamed = (row for row in probes.rows if row.is_finding)
    for probed, item in zip(blamed, probes.findings(), strict=True):
        yield read(_row(domain, probed, item))


def _row(domain: str, probed: Probed, item: Finding) -> dict[str, Any]:
    example = probed.example
    assert example is not None  # noqa: S101  # what is a finding has one
    calls = [f"{call.tool}({canonical(call.args)})" for call in (*example.before, example.call)]
    return {
        "domain": domain,
        "task": None,
        "environment": f"tau2-{domain}/{example.environment}",
        **item.model_dump(exclude={"evidence"}),
        "fingerprint": item.fingerprint,
        "step": None,
        "tool": probed.tool,
        "clause": probed.name if probed.kind == "clause" else None,
        "invariant": None if probed.kind == "clause" else probed.name,
        "row": None,
        "text": probed.text,
        "tried": probed.tried,
        "applied": probed.applied,
        "accepted": probed.accepted,
        "example": "; ".join(calls),
    }
