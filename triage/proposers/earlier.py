"""What a suspect said before, where that worked."""

from __future__ import annotations

from collections.abc import Iterator

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot

NAME = "earlier"


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Each of its earlier versions that is at hand, the newest first."""
    now = case.body(spot.name)
    for place, (number, body) in enumerate(case.earlier.get(spot.name, ())):
        if now is None or body.digest == now.digest:
            continue
        yield Candidate(
            NAME,
            {spot.name: body},
            f"Take {spot.slug} back to version {number}",
            f"{spot.slug} v{number}, with which environments were solvable",
            0.9 * 0.8**place,
            "What came after it brought the fault in, or the fault came with it.",
        )
