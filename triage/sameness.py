"""Which cause of a round is which fault of rounds before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAST_SHARED = 0.25
"""Of the sightings of whichever has fewer: below, two causes only happen to make the same finding somewhere."""


class Party(NamedTuple):
    """A suspect, as it is known again: neither by version nor by score."""

    party: str
    kind: str = ""
    slug: str = ""
    symbol: str = ""


@dataclass(frozen=True)
class Traits:
    """What a cause, or a fault, is known again by."""

    code: str
    weights: Mapping[str, int]
    """Fingerprint → how many checks showed it."""
    best: Party | None
    """Its best suspect."""


def matched(causes: Sequence[Traits], faults: Mapping[int, Traits]) -> dict[int, int]:
    """Position of a cause → the fault that it is, one to one; those of no fault are left out.

    By fingerprints first, those that agree best before others, and of what is left by the best suspect and code.
    """
    found = _greedy(_overlaps(causes, faults), {}, set())
    return _greedy(_namesakes(causes, faults), found, set(found.values()))


Pair = tuple[tuple[float, ...], int, int]
"""How well they agree, a cause's position, and a fault."""


def _greedy(pairs: Iterable[Pair], found: dict[int, int], taken: set[int]) -> dict[int, int]:
    for _, cause, fault in sorted(
        pairs, key=lambda pair: (*(-part for part in pair[0]), *pair[1:])
    ):
        if cause not in found and fault not in taken:
            found[cause] = fault
            taken.add(fault)
    return found


def _overlaps(causes: Sequence[Traits], faults: Mapping[int, Traits]) -> Iterator[Pair]:
    owners: dict[Hashable, set[int]] = defaultdict(set)
    for pk, fault in faults.items():
        for print_ in fault.weights:
            owners[print_].add(pk)
    for position, cause in enumerate(causes):
        for pk in {pk for print_ in cause.weights for pk in owners.get(print_, ())}:
            if agreement := _agreement(cause, faults[pk]):
                yield agreement, position, pk


def _agreement(cause: Traits, fault: Traits) -> tuple[float, ...] | None:
    ours, theirs = cause.weights, fault.weights
    shared = sum(min(count, theirs.get(print_, 0)) for print_, count in ours.items())
    all_ours, all_theirs = sum(ours.values()), sum(theirs.values())
    is_same_suspect = _name(cause) is not None and _name(cause) == _name(fault)
    if shared < LEAST_SHARED * min(all_ours, all_theirs) and not is_same_suspect:
        return None
    return shared / (all_ours + all_theirs - shared), float(is_same_suspect)


def _namesakes(causes: Sequence[Traits], faults: Mapping[int, Traits]) -> Iterator[Pair]:
    named: dict[Hashable, list[int]] = defaultdict(list)
    for pk, fault in faults.items():
        if name := _name(fault):
            named[name].append(pk)
    for position, cause in enumerate(causes):
        for pk in named.get(_name(cause), ()):
            yield (), position, pk


def _name(one: Traits) -> tuple[str, Party] | None:
    return (one.code, one.best) if one.best else None
