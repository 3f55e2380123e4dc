"""Choices of one from each of several lists, cheapest sum first, without making them all."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from agents.options import Option


def cheapest(choices: Sequence[Sequence[Option]]) -> Iterator[tuple[float, tuple[Option, ...]]]:
    """Every choice with its cost, in order; the lists must be sorted by cost."""
    if any(not options for options in choices):
        return
    heap = [(sum(options[0].cost for options in choices), 0, (0,) * len(choices))]
    while heap:
        cost, first, indexes = heapq.heappop(heap)
        yield cost, tuple(options[i] for options, i in zip(choices, indexes, strict=True))
        # Raising only from the last raised place on makes each choice exactly once.
        for place in range(first, len(choices)):
            options, index = choices[place], indexes[place] + 1
            if index < len(options):
                more = options[index].cost - options[index - 1].cost
                raised = (*indexes[:place], index, *indexes[place + 1 :])
                heapq.heappush(heap, (cost + more, place, raised))
