"""The search for one case's repair: the likeliest candidates first, until enough of them work or the time is up."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any

from triage.ladder import Climbed, Ladder
from triage.models.repair import Fate
from triage.proposers import PROPOSERS, Proposer
from triage.proposers.candidate import Candidate, Name
from triage.proposers.case import Case, Spot
from worlds.canonical import digest

ENOUGH = 3
"""Candidates that work, after which less likely ones are left alone."""
RIVAL = 0.3
"""How likely a candidate must be, against the best that works, to be tried still."""
EACH = 2_000
"""Candidates of one proposer for one suspect."""
GENERATING = 0.35
"""Share of the time that is spent on thinking up what is wrong with one suspect, at most."""
CERTAIN = 0.7
"""Likelihood from which on a candidate is tried as soon as it is thought of."""
PAIRED = 8
"""Edits of one component that are tried together with those of another."""
TRIED = 2.0
"""In the place of a chance, of what was tried already."""
BASE = 0.03
"""Added to the score of every suspect: attribution may be wrong."""

PAIRS = "pairs"
"""Who proposes what two proposers say together."""

Memory = dict[str, list[Any]]
"""Digest of a candidate → fate, because, cured, tried, weakens, redefines."""

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
        """What those that work are sorted by, the best first; trials, which look at more, rank what is proposed."""
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
    memory: Memory = field(default_factory=dict)
    """What was tried before, by who began with it, and is now."""
    before: float = 0.0
    """Seconds that it took then."""
    tried: list[Tried] = field(default_factory=list)
    _heap: list[tuple[float, int, Candidate]] = field(default_factory=list)
    _known: dict[object, float] = field(default_factory=dict)
    _order: int = 0
    _is_paired: bool = False
    _began: float = field(default_factory=time.monotonic)

    @property
    def spent(self) -> float:
        """Seconds that it took so far."""
        return self.before + time.monotonic() - self._began

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
            elif (not self._heap and not self._pair_up()) or self._has_enough():
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
        left = self.seconds * GENERATING
        for propose in self.proposers.values():
            source = islice(propose(self.case, spot), EACH)
            while left > 0 or len(self._heap) <= ENOUGH:
                began = time.monotonic()
                candidate = next(source, None)
                left -= time.monotonic() - began
                if candidate is None:
                    break
                self._add(candidate, candidate.likelihood * min(1.0, BASE + spot.score))
                if candidate.likelihood >= CERTAIN and self._heap and self.spent < self.seconds:
                    yield self._try_next()
                if self._is_found() or self.spent > self.seconds:
                    return

    def _is_found(self) -> bool:
        return any(each.candidate.likelihood >= CERTAIN for each in self._whole)

    def _pair_up(self) -> bool:
        """Where nothing works alone, two components may be at fault: the likeliest of each together; whether there is
        something new to try."""
        if self._is_paired or self.working:
            return False
        self._is_paired = True
        for one, other in combinations(self._likeliest(), 2):
            if one.candidate.changes.keys() != other.candidate.changes.keys():
                self._add(_both(one.candidate, other.candidate), one.chance * other.chance)
        return bool(self._heap)

    def _likeliest(self) -> Iterator[Tried]:
        """Of each component the edits that were thought likeliest, and did no harm."""
        kept: Counter[Name] = Counter()
        lost = (Fate.FAILING, Fate.UNCURED)
        for each in sorted(self.tried, key=lambda tried: -tried.chance):
            if each.climbed.fate in lost and len(each.candidate.changes) == 1:
                (name,) = each.candidate.changes
                kept[name] += 1
                if kept[name] <= PAIRED:
                    yield each

    def _add(self, candidate: Candidate, chance: float) -> None:
        """The same said by several counts once, at what the one says who thinks most of it."""
        is_turned_down = candidate.digests in self.case.rejected
        if not is_turned_down and chance > self._known.get(candidate.digests, 0.0):
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
            self.tried.append(self._tried(candidate, -chance))
        return len(self.tried), len(self.tried) + len(self._heap)

    def _tried(self, candidate: Candidate, chance: float) -> Tried:
        key = digest([[*name, said] for name, said in candidate.digests])
        if key not in self.memory:
            climbed = self.ladder.climbed(candidate)
            costs = self.weigh(candidate, climbed) if climbed.works else (False, False)
            told = (climbed.fate, climbed.because, [*climbed.cured], climbed.tried)
            self.memory[key] = [*told, *costs]
        fate, because, cured, tried, weakens, redefines = self.memory[key]
        climbed = Climbed(Fate(fate), because, cured, tried)
        return Tried(candidate, climbed, chance, weakens, redefines)


def _both(one: Candidate, other: Candidate) -> Candidate:
    return Candidate(
        PAIRS,
        {**one.changes, **other.changes},
        f"{one.says}; {other.says[:1].lower()}{other.says[1:]}",
        f"{one.authority}; {other.authority}" if one.authority and other.authority else "",
        one.likelihood * other.likelihood,
        "Neither does it alone.",
    )
