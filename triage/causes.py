"""From signs to causes: who may have caused what a round observed, and which signs have one cause.

Few causes explain many signs. So the location that explains most of what is unexplained is taken first, and all that it
can explain with it; then the next. How much a location explains: the weight with which the signs may point there
(`triage.pointers`), over the environments that exercise it, times the share of those that fail. A part that as many
sound environments use explains little. Spectrum-based fault localisation: Abreu, Zoeteweij, van Gemund, "On the
accuracy of spectrum-based fault localization", TAIC PART 2007; several faults at once, by covering greedily: Jones,
Bowring, Harrold, "Debugging in parallel", ISSTA 2007.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from triage.observations import Cause, Location, Observation, Sign
from triage.pointers import Component, cited, may_show, pointers, unproven
from triage.weighing import LEAST, Group, Spectrum, weighed

PURITY = 2.0
"""How fast a location loses by sound environments that use it: the power of the share of those that fail."""
LEAST_SHARE = 0.5
"""Of the largest weight with which a sign points anywhere: how much it must point at a cause to be explained by it.
What all environments have in common would explain everything a little."""


def causes(observations: Sequence[Observation]) -> list[Cause]:
    """The causes that explain all signs of the observations of one domain, the one that explains most first. Pure: the
    same observations give the same causes, whatever their order."""
    spectrum = Spectrum(observations)
    found = [
        Cause({each.check: mine for each, mine in group}, weighed(group, spectrum))
        for group in groups(observations)
    ]
    return sorted(found, key=lambda cause: (-len(cause.signs), min(cause.signs)))


def groups(observations: Sequence[Observation]) -> list[Group]:
    """The signs that have one cause, by observation; those of the cause that explains most come first."""
    ordered = sorted(observations, key=lambda each: each.environment)
    return [_grouped(units) for units in _Puzzle(ordered).groups()]


@dataclass(frozen=True)
class Unit:
    """One sign of one observation: what is to be explained."""

    number: int
    observation: Observation
    sign: Sign
    weights: Mapping[Component, float]
    share: float
    """Its part of the observation's signs, so that an environment counts once, however many there are."""
    locations: frozenset[Location]
    """That may explain it."""


class _Puzzle:
    """What is left to explain, and how much of it each location would."""

    def __init__(self, observations: Sequence[Observation]) -> None:
        self.observations = observations
        self.sound = Counter(at for each in observations if not each.fails for at in each.locations)
        """Environments that exercise a location, and are sound."""
        self._explains: dict[Location, dict[int, Unit]] = defaultdict(dict)
        self._nowhere: dict[str, list[Unit]] = defaultdict(list)
        """Fingerprint → signs that point at no part of their environment."""
        for each in observations:
            if each.fails:
                self._add(each)
        self._gains = {at: self._gain(at) for at in self._explains}

    def _add(self, each: Observation) -> None:
        signs = each.signs or (unproven(each),)
        for sign in signs:
            weights = pointers(sign, each)
            least = LEAST_SHARE * max(weights.values(), default=0.0)
            locations = frozenset(
                at
                for at in {*each.locations, *cited(sign)}
                if weights.get(at.component, 0.0) >= max(least, LEAST) and may_show(sign, at)
            )
            if not locations:  # it blames nobody, and stands for itself
                locations = frozenset({sign.blamed})
            self._number += 1
            unit = Unit(self._number, each, sign, weights, 1 / len(signs), locations)
            for at in locations:
                self._explains[at][unit.number] = unit
            if not locations:
                self._nowhere[sign.fingerprint].append(unit)

    _number = 0

    def groups(self) -> Iterator[list[Unit]]:
        """Units that have one cause, until none is left."""
        while self._gains:
            best = max(self._gains, key=lambda at: (self._gains[at], at))
            taken = list(self._explains[best].values())
            yield taken
            self._drop(taken)
        yield from self._nowhere.values()

    def _gain(self, at: Location) -> float:
        units = self._explains[at].values()
        explained = sum(unit.weights.get(at.component, LEAST) * unit.share for unit in units)
        failing = len({unit.observation.check for unit in units})
        purity = failing / (failing + self.sound[at])
        return float(explained * purity**PURITY)

    def _drop(self, taken: Sequence[Unit]) -> None:
        for unit in taken:
            for at in unit.locations:
                del self._explains[at][unit.number]
        for at in {at for unit in taken for at in unit.locations}:
            if self._explains[at]:
                self._gains[at] = self._gain(at)
            else:
                del self._explains[at], self._gains[at]


def _grouped(units: Sequence[Unit]) -> Group:
    """As observations, each with those of its signs that are among the units."""
    signs: dict[int, list[Sign]] = defaultdict(list)
    for unit in units:
        signs[unit.observation.check].append(unit.sign)
    observations = {unit.observation.check: unit.observation for unit in units}
    return [(observations[check], tuple(mine)) for check, mine in signs.items()]
