"""What like rows have in a field: rows are alike where their repeated values agree."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from typing import Any

from triage.proposers.records.ground import Ground
from worlds.canonical import canonical
from worlds.records import Row

MOST = 6
"""Values that are told."""
MOST_FIELDS = 30
MOST_VALUES = 400
"""Different ones of a field: more are no kinds."""


def likely_values(ground: Ground, table: str, row: Row, field: str) -> list[tuple[Any, float]]:
    """Values of a field by how probable the row's other values make them (naïve Bayes, tempered); the row itself, as
    the records have it, does not count."""
    own = row.get(ground.domain.tables[table].key)
    known = {k: v for k, v in ground.column(table, field).items() if k != own}
    counts = Counter(known.values())
    if not counts or len(counts) > MOST_VALUES or len(counts) == len(known) > 1:
        return []
    scores = {value: math.log(count) for value, count in counts.items()}
    others = 0
    for name in sorted(row)[:MOST_FIELDS]:
        if name != field and name != ground.domain.tables[table].key:
            others += _weigh(scores, counts, known, ground.column(table, name), row[name])
    return _shares(scores, max(1.0, others / 3))


def _weigh(
    scores: dict[str, float],
    counts: Counter[str],
    known: dict[str, str],
    column: dict[str, str],
    value: Any,
) -> int:
    """Whether the field says anything: of a value that no other row has, it does not."""
    name = canonical(value)
    together: dict[str, int] = defaultdict(int)
    for key, each in column.items():
        if each == name and key in known:
            together[known[key]] += 1
    if not together:
        return 0
    for each in scores:
        scores[each] += math.log((together.get(each, 0) + 0.5) / (counts[each] + 1))
    return 1


def _shares(scores: dict[str, float], temper: float) -> list[tuple[Any, float]]:
    top = max(scores.values())
    weights = {value: math.exp((score - top) / temper) for value, score in scores.items()}
    total = sum(weights.values())
    ranked = sorted(weights, key=lambda value: (-weights[value], value))[:MOST]
    return [(json.loads(value), weights[value] / total) for value in ranked]
