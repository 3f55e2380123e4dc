"""Drawing some of many environments: each domain its share, the same for the same seed."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping


def drawn(named: Iterable[tuple[int, int, str]], size: int, seed: int) -> set[int]:
    """`size` ids out of (id, stratum, slug): of each stratum its share, ordered by sha256 of slug and seed."""
    strata: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for pk, stratum, slug in named:
        order = hashlib.sha256(f"{slug} {seed}".encode()).hexdigest()
        strata[stratum].append((order, pk))
    sizes = {stratum: len(members) for stratum, members in strata.items()}
    return {
        pk
        for stratum, share in shares(sizes, size).items()
        for _, pk in sorted(strata[stratum])[:share]
    }


def shares(sizes: Mapping[int, int], size: int) -> dict[int, int]:
    """`size` (at most the sum of `sizes`) split in proportion to `sizes`, by largest remainder."""
    total = sum(sizes.values())
    split = {key: size * count // total for key, count in sizes.items()}
    by_remainder = sorted(sizes, key=lambda key: (-(size * sizes[key] % total), key))
    for key in by_remainder[: size - sum(split.values())]:
        split[key] += 1
    return split
