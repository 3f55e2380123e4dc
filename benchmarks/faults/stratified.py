"""A few of many rows, so that each kind has its share, always the same ones."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Row = dict[str, Any]
SEED = "envcurate repair benchmark 1"


def drawn(rows: Sequence[Row], most: int) -> list[Row]:
    """`most` of them, or all when there are fewer, in their order: of each kind as many as of every other, as far as it
    has them."""
    left = shares(Counter(row["kind"] for row in rows), most)
    chosen = []
    for row in sorted(rows, key=_lot):
        if left[row["kind"]]:
            left[row["kind"]] -= 1
            chosen.append(id(row))
    return [row for row in rows if id(row) in chosen]


def shares(counts: Mapping[str, int], most: int) -> dict[str, int]:
    """How many to take of each kind: one of each in turn, those with more to give first, until there are enough."""
    taken = dict.fromkeys(sorted(counts, key=lambda kind: (-counts[kind], kind)), 0)
    for _ in range(min(most, sum(counts.values()))):
        open_ = [kind for kind in taken if taken[kind] < counts[kind]]
        taken[min(open_, key=lambda kind: taken[kind])] += 1
    return taken


def _lot(row: Row) -> str:
    said = "\n".join([SEED, *(row[name] for name in ("half", "domain", "name", "place"))])
    return hashlib.sha256(said.encode()).hexdigest()
