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
CERTAIN = 0.7
"""Likelihood from which on a candidate is tried as soon as it is thought of."""
TRIED = 2.0
"""In the place of a chance, of what was tried already."""
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
    _known: dict[object, float] = field(default_factory=dict)
    _order: int = 0
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
        heap = sorted(self._heap, key=lambda each: each[:2])
        return [(-chance, one) for chance, _, one in heap if self._is_due(one, -chance)]

    @property
    def counts(self) -> dict[str, int]:
        """Fate → candidates."""
        found = Counter(str(each.climbed.fate) for each in self.tried)
        left = len(self.left)
        return dict(found) | ({str(Fate.UNTRIED): left} if left else {})

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yields candidates tried, and all that are known of."""
        waiting = list(self.case.spots)
        while self.spent < self.seconds:
            if waiting and self._wants(waiting[0]):
                yield from self._think(waiting.pop(0))
            elif not self._heap or self._has_enough():
                return
            else:
                yield self._try_next()

    def _wants(self, spot: Spot) -> bool:
        """Whether the next suspect may have better to offer than what is at hand."""
        if not self._heap:
            return not self.working
        return (BASE + spot.score) * 0.5 > -self._heap[0][0]

    def _think(self, spot: Spot) -> Iterator[tuple[int, int]]:
        """What is as good as certain is tried at once."""
        for propose in self.proposers.values():
            for candidate in islice(propose(self.case, spot), EACH):
                self._add(candidate, candidate.likelihood * min(1.0, BASE + spot.score))
                if candidate.likelihood >= CERTAIN and self.spent < self.seconds:
                    yield self._try_next()
                if self._has_thought_enough():
                    return

    def _has_thought_enough(self) -> bool:
        is_late = self.spent > self.seconds * GENERATING and len(self._heap) > ENOUGH
        is_found = any(each.candidate.likelihood >= CERTAIN for each in self._whole)
        return is_late or is_found or self.spent > self.seconds

    def _add(self, candidate: Candidate, chance: float) -> None:
        """The same said by several counts once, at what the one says who thinks most of it."""
        if chance > self._known.get(candidate.digests, 0.0):
            self._known[candidate.digests] = chance
            self._order += 1
            heapq.heappush(self._heap, (-chance, self._order, candidate))

    def _is_due(self, candidate: Candidate, chance: float) -> bool:
        return chance == self._known[candidate.digests]

    def _has_enough(self) -> bool:
        if not self._whole:
            return False
        best = max(each.chance for each in self._whole)
        return len(self._whole) >= ENOUGH or -self._heap[0][0] < best * RIVAL

    @property
    def _whole(self) -> list[Tried]:
        """Those that cure all that they were tried on, at no cost."""
        sound = (each for each in self.working if not (each.weakens or each.redefines))
        return [each for each in sound if len(each.climbed.cured) == each.climbed.tried]

    def _try_next(self) -> tuple[int, int]:
        chance, _, candidate = heapq.heappop(self._heap)
        if self._is_due(candidate, -chance):
            self._known[candidate.digests] = TRIED
            climbed = self.ladder.climbed(candidate)
            weakens, redefines = self.weigh(candidate, climbed) if climbed.works else (False, False)
            self.tried.append(Tried(candidate, climbed, -chance, weakens, redefines))
        return len(self.tried), len(self.tried) + len(self._heap)
