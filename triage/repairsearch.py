"""The search for one case's repair: the likeliest candidates first, until enough of them work or the time is up."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from triage.ladder import Climbed, Ladder
from triage.models.repair import Fate
from triage.proposers import PROPOSERS, Proposer
from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot

ENOUGH = 3
"""Candidates that work, after which less likely ones are left alone."""
RIVAL = 0.3
"""How likely a candidate must be, against the best that works, to be tried still."""
EACH = 400
"""Candidates of one proposer for one suspect."""
GENERATING = 0.35
"""Share of the time after which nothing more is thought up."""
BASE = 0.03
"""Added to the score of every suspect: attribution may be wrong."""

Weigh = Callable[[Candidate, Climbed], tuple[bool, bool]]
"""Whether a candidate that works weakens a verifier, and whether it redefines a task."""


@dataclass(frozen=True)
class Tried:
    """A candidate and what became of it."""

    candidate: Candidate
    climbed: Climbed
    chance: float
    """Its likelihood times its suspect's probability."""
    weakens: bool = False
    redefines: bool = False

    @property
    def rank(self) -> tuple[bool, int, bool, float]:
        """What those that work are sorted by, the best first, as trials are (`triage.trialreport.rank_key`)."""
        return (
            self.weakens or self.redefines,
            -len(self.climbed.cured),
            not self.candidate.authority,
            -self.chance,
        )


@dataclass
class Search:
    """Iterate over it: each step tries one candidate."""

    case: Case
    ladder: Ladder
    weigh: Weigh
    seconds: float
    proposers: Mapping[str, Proposer] = field(default_factory=lambda: PROPOSERS)
    tried: list[Tried] = field(default_factory=list)
    _heap: list[tuple[float, int, Candidate]] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """Seconds since it was made."""
        return time.monotonic() - self._began

    @property
    def working(self) -> list[Tried]:
        """Those that work, the best first."""
        return sorted(
            (each for each in self.tried if each.climbed.works), key=lambda each: each.rank
        )

    @property
    def left(self) -> list[tuple[float, Candidate]]:
        """Those whose turn did not come, with their chances, the likeliest first."""
        return [
            (-chance, candidate) for chance, _, candidate in sorted(self._heap, key=lambda e: e[:2])
        ]

    @property
    def counts(self) -> dict[str, int]:
        """Fate → candidates."""
        found = Counter(str(each.climbed.fate) for each in self.tried)
        return dict(found) | ({str(Fate.UNTRIED): len(self._heap)} if self._heap else {})

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yields candidates tried, and all that are known of."""
        waiting = list(self.case.spots)
        while self.spent < self.seconds:
            if waiting and self._wants(waiting[0]):
                yield from self._think(waiting.pop(0))
                continue
            if not self._heap or self._has_enough():
                return
            chance, _, candidate = heapq.heappop(self._heap)
            self._try(candidate, -chance)
            yield len(self.tried), len(self.tried) + len(self._heap)

    def _wants(self, spot: Spot) -> bool:
        """Whether the next suspect may have better to offer than what is at hand."""
        if not self._heap:
            return not self.working
        return (BASE + spot.score) * 0.5 > -self._heap[0][0]

    def _think(self, spot: Spot) -> Iterator[tuple[int, int]]:
        for propose in self.proposers.values():
            for candidate in islice(propose(self.case, spot), EACH):
                if candidate.digests not in self._seen:
                    self._seen.add(candidate.digests)
                    chance = candidate.likelihood * min(1.0, BASE + spot.score)
                    heapq.heappush(self._heap, (-chance, len(self._seen), candidate))
                if self.spent > self.seconds * GENERATING and len(self._heap) > ENOUGH:
                    break
            yield len(self.tried), len(self.tried) + len(self._heap)

    def _has_enough(self) -> bool:
        sound = [each for each in self.working if not (each.weakens or each.redefines)]
        whole = [each for each in sound if len(each.climbed.cured) == each.climbed.tried]
        if not whole:
            return False
        best = max(each.chance for each in whole)
        return len(whole) >= ENOUGH or -self._heap[0][0] < best * RIVAL

    def _try(self, candidate: Candidate, chance: float) -> None:
        climbed = self.ladder.climbed(candidate)
        weakens, redefines = self.weigh(candidate, climbed) if climbed.works else (False, False)
        self.tried.append(Tried(candidate, climbed, chance, weakens, redefines))
