"""From signs to causes: who may have caused what a round observed, and which signs have one cause.

Few causes explain many signs. So the location that explains most of what is unexplained is taken first, and all that it
can explain with it; then the next. How much a location explains: the weight with which the signs may point there
(`triage.pointers`), over the environments that exercise it, times the share of those that fail. A part that as many
sound environments use explains little (spectrum-based fault localisation: Abreu, Zoeteweij, van Gemund, "On the accuracy
of spectrum-based fault localization", TAIC PART 2007; several faults: greedy covering, as in Jones, Bowring, Harrold,
"Debugging in parallel", ISSTA 2007).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from triage.observations import Cause, Location, Observation, Sign
from triage.pointers import Component, cited, may_show, pointers, unproven
from triage.weighing import Spectrum, weighed

PURITY = 2.0
"""How fast a location loses by sound environments that use it: the power of the share of those that fail."""
LEAST_SHARE = 0.5
"""Of the largest weight with which a sign points anywhere: how much it must point at a cause to be explained by it."""


def causes(observations: Sequence[Observation]) -> list[Cause]:
    """The causes that explain all signs of the observations of one domain, the one that explains most first. Pure: the
    same observations give the same causes, whatever their order."""
    ordered = sorted(observations, key=lambda each: each.environment)
    puzzle = _Puzzle(ordered)
    groups = list(_groups(puzzle))
    spectrum = Spectrum(ordered)
    found = [
        Cause(_signs(units), weighed(_by_observation(puzzle, units), spectrum)) for units in groups
    ]
    return sorted(found, key=lambda cause: (-len(cause.signs), min(cause.signs)))


@dataclass(frozen=True)
class Unit:
    """One sign of one observation: what is to be explained."""

    number: int
    observation: Observation
    sign: Sign
    weights: Mapping[Component, float]
    share: float
    """Its part of the observation's signs, so that an environment counts once, however many there are."""


@dataclass
class _Puzzle:
    observations: Sequence[Observation]
    units: list[Unit] = field(default_factory=list)
    by_location: dict[Location, list[Unit]] = field(default_factory=lambda: defaultdict(list))
    """The units that each location may explain."""
    sound: dict[Location, int] = field(default_factory=lambda: defaultdict(int))
    """Environments that exercise a location, and are sound."""

    def __post_init__(self) -> None:
        for each in self.observations:
            if each.fails:
                self._add(each)
            else:
                for location in _locations(each):
                    self.sound[location] += 1

    def _add(self, each: Observation) -> None:
        signs = each.signs or (unproven(each),)
        locations = _locations(each)
        for sign in signs:
            weights = pointers(sign, each)
            unit = Unit(len(self.units), each, sign, weights, 1 / len(signs))
            self.units.append(unit)
            for location in _pointed_at(sign, locations, weights):
                self.by_location[location].append(unit)


def _locations(each: Observation) -> set[Location]:
    return {*each.exercised, *(Location(kind, slug) for kind, slug in each.parts)}


def _pointed_at(
    sign: Sign, locations: set[Location], weights: Mapping[Component, float]
) -> Iterator[Location]:
    for at in {*locations, *cited(sign)}:
        if at.component in weights and may_show(sign, at):
            yield at


def _groups(puzzle: _Puzzle) -> Iterator[list[Unit]]:
    left = {unit.number for unit in puzzle.units}
    while left:
        best = max(puzzle.by_location, key=lambda at: _gain(puzzle, at, left))
        taken = [unit for unit in puzzle.by_location[best] if unit.number in left]
        clear = [unit for unit in taken if _points(unit, best)] or taken
        left -= {unit.number for unit in clear}
        yield clear
        puzzle.by_location = {
            at: rest
            for at, units in puzzle.by_location.items()
            if (rest := [unit for unit in units if unit.number in left])
        }
        if not puzzle.by_location:
            break


def _points(unit: Unit, at: Location) -> bool:
    return unit.weights[at.component] >= LEAST_SHARE * max(unit.weights.values())


def _gain(puzzle: _Puzzle, at: Location, left: set[int]) -> tuple[float, str]:
    units = puzzle.by_location[at]
    explained = sum(unit.weights[at.component] * unit.share for unit in units)
    failing = len({unit.observation.check for unit in units})
    purity = failing / (failing + puzzle.sound[at])
    return explained * purity**PURITY, "\0".join(at)


def _signs(units: Sequence[Unit]) -> dict[int, tuple[Sign, ...]]:
    found: dict[int, list[Sign]] = defaultdict(list)
    for unit in units:
        found[unit.observation.check].append(unit.sign)
    return {check: tuple(signs) for check, signs in found.items()}


def _by_observation(
    puzzle: _Puzzle, units: Sequence[Unit]
) -> list[tuple[Observation, tuple[Sign, ...]]]:
    signs = _signs(units)
    return [(each, signs[each.check]) for each in puzzle.observations if each.check in signs]
