"""Weighing suspects: direct evidence and spectrum, made into a probability.

The spectrum's measure is Ochiai's coefficient, n_ef / sqrt((n_ef + n_nf)(n_ef + n_ep)), over environments: `e`
exercise a location and `n` do not, `f` fail of this cause and `p` are sound. A component counts by its most suspicious
part.

The probability is a softmax over the components that may be behind the signs (McFadden's conditional logit: exactly one
of them is). Its weights are fitted on the development half of the fault benchmark, and on nothing else:
`python -m benchmarks.attribution --half development --fit`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from triage.observations import Evidence, Location, Observation, Sign, Weighed
from triage.pointers import Component, cited, may_show, pointers

LEAST = 0.001
"""The weight of what no sign points at, so that it has a logarithm."""


class Weights(NamedTuple):
    """What each feature of a suspect counts."""

    pointed: float
    """By the logarithm of the mean weight with which the signs point at it."""
    blamed: float
    """By the share of the environments in which a finding blames it."""
    odd: float
    """By the share of the environments in which a call of its tools was odd."""
    spectrum: float
    """By Ochiai's coefficient of its most suspicious part."""
    kind: Mapping[str, float]
    """By what it is."""
    sound: Mapping[str, float]
    """By kind, for the logarithm of 1 + the sound environments that use that part: of a clause or a plan all is asked
    each time, of a function or a records set only some of it."""


FITTED = Weights(
    pointed=2.26,
    blamed=-2.37,
    odd=1.12,
    spectrum=4.08,
    kind={"intent": 0.0, "rule": 1.3, "records": 0.48, "toolserver": 0.51, "domain": 1.86},
    sound={"intent": -1.16, "rule": -0.45, "records": -0.18, "toolserver": -0.63, "domain": -0.52},
)
"""That `blamed` counts against a suspect is so beside `pointed`, which holds the same once more: alone, it speaks for
it."""

Group = Sequence[tuple[Observation, tuple[Sign, ...]]]
"""Observations, each with those of its signs that one cause explains."""


class Part(NamedTuple):
    """A location of a suspect, as the spectrum sees it."""

    location: Location
    failing: int
    """Of the group's environments, those that exercise it."""
    sound: int
    """Sound environments that exercise it."""
    ochiai: float


@dataclass(frozen=True)
class Features:
    """What is known of one suspect of a group."""

    component: Component
    pointed: float
    blamed: float
    odd: float
    part: Part
    """Its most suspicious one."""

    def measured(self) -> tuple[tuple[float, float, float, float], float]:
        """What `Weights` weighs: of the first four, then of `sound`."""
        plain = (math.log(max(self.pointed, LEAST)), self.blamed, self.odd, self.part.ochiai)
        return plain, math.log1p(self.part.sound)

    def logit(self, weights: Weights) -> float:
        """How much speaks for it."""
        plain, sound = self.measured()
        kind = self.component[0]
        weighted = sum(weight * value for weight, value in zip(weights[:4], plain, strict=True))
        return float(weighted + weights.kind[kind] + weights.sound[kind] * sound)


class Spectrum:
    """Which sound environments exercise what."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        sound = [each for each in observations if not each.fails]
        self.environments = len(sound)
        self.sound = Counter(at for each in sound for at in each.locations)

    def parts(self, group: Group) -> dict[Component, list[Part]]:
        """Component → its parts that may show as the group's signs, the most suspicious first."""
        failing = Counter(at for each, signs in group for at in shown(each, signs))
        found: dict[Component, list[Part]] = defaultdict(list)
        for at, count in failing.items():
            sound = self.sound[at]
            ochiai = count / math.sqrt(len(group) * (count + sound))
            found[at.component].append(Part(at, count, sound, ochiai))
        for parts in found.values():
            parts.sort(key=lambda part: (-part.ochiai, part.location))
        return found


def shown(each: Observation, signs: Sequence[Sign]) -> set[Location]:
    """What took part and may show as one of the signs, and what these cite."""
    named = {at for sign in signs for at in cited(sign)}
    return {at for at in each.locations | named if any(may_show(sign, at) for sign in signs)}


def features(group: Group, spectrum: Spectrum) -> list[Features]:
    """Of each component that a sign of the group may point at, in the order of their names."""
    parts = spectrum.parts(group)
    pointed, blamed, odd = Counter[Component](), Counter[Component](), Counter[Component]()
    for each, signs in group:
        for component, weight in _pointed(each, signs).items():
            pointed[component] += weight  # type: ignore[assignment]  # a Counter of floats
        blamed.update({sign.blamed.component for sign in signs if sign.kind})
        odd.update({part for tool in each.odd for part in each.servers_of(tool)})
    size = len(group)
    return [
        Features(
            component,
            pointed[component] / size,
            blamed[component] / size,
            odd[component] / size,
            _named(parts.get(component) or [Part(Location(*component), 0, 0, 0.0)], group),
        )
        for component in sorted(pointed)
    ]


def _pointed(each: Observation, signs: Sequence[Sign]) -> dict[Component, float]:
    """The largest weight with which any of the signs points at each component."""
    found: dict[Component, float] = {}
    for sign in signs:
        for component, weight in pointers(sign, each).items():
            found[component] = max(weight, found.get(component, 0.0))
    return found


def _named(parts: Sequence[Part], group: Group) -> Part:
    """Of the most suspicious parts the one that findings name most often, else one with a name."""
    top = [part for part in parts if part.ochiai >= parts[0].ochiai - 1e-9]
    named = Counter(sign.blamed for _, signs in group for sign in signs)
    return max(top, key=lambda part: (named[part.location], bool(part.location.symbol)))


def probabilities(found: Sequence[Features], weights: Weights = FITTED) -> list[float]:
    """That each of the suspects is the one at fault; they sum to 1."""
    logits = [each.logit(weights) for each in found]
    largest = max(logits, default=0.0)
    grown = [math.exp(logit - largest) for logit in logits]
    return [each / sum(grown) for each in grown]


def weighed(group: Group, spectrum: Spectrum) -> tuple[Weighed, ...]:
    """The suspects of a group, the likeliest first, with the evidence for each."""
    found = features(group, spectrum)
    scored = zip(probabilities(found), found, strict=True)
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].component))
    return tuple(
        Weighed(
            location=each.part.location,
            score=score,
            direct=each.blamed,
            spectrum=each.part.ochiai,
            evidence=(*_direct(each, group), *_shared(each, group, spectrum)),
        )
        for score, each in ranked
    )


def _direct(each: Features, group: Group) -> Iterator[Evidence]:
    blaming: dict[str, list[Sign]] = defaultdict(list)
    for _, signs in group:
        for sign in signs:
            if sign.kind and sign.blamed.component == each.component:
                blaming[sign.code].append(sign)
    for code, mine in sorted(blaming.items(), key=lambda item: (-len(item[1]), item[0])):
        first = mine[0]
        who = "A finding" if len(mine) == 1 else f"{len(mine)} findings"
        text = f"{who} of {code} blame{'s' if len(mine) == 1 else ''} it: {first.message}"
        yield Evidence("direct", text, {"finding": first.finding} if first.finding else {})
    yield from _oddities(each, group)
    yield from _other_ways(each, group)


def _oddities(each: Features, group: Group) -> Iterator[Evidence]:
    tools = Counter(
        (tool, why)
        for one, _ in group
        for tool, why in one.odd.items()
        if each.component in one.servers_of(tool)
    )
    for (tool, why), count in sorted(tools.items(), key=lambda item: (-item[1], item[0])):
        example = next(one for one, _ in group if one.odd.get(tool) == why)
        text = f"`{tool}` {why}, in {count} of the {len(group)} environments that show this."
        yield Evidence("direct", text, {"environment": example.environment})


def _other_ways(each: Features, group: Group) -> Iterator[Evidence]:
    solved = [one for one, _ in group if one.is_solved_otherwise and each.component in one.parts]
    if each.component[0] == "intent" and solved:
        text = (
            f"Another way than its plan meets the goal in {len(solved)} of the {len(group)} environments that show it: "
            "tools, rules and records allow it."
        )
        yield Evidence("direct", text, {"environment": solved[0].environment})


def _shared(each: Features, group: Group, spectrum: Spectrum) -> Iterator[Evidence]:
    part = each.part
    if not part.failing:
        return
    example = next(one for one, signs in group if part.location in shown(one, signs))
    what = f"`{part.location.symbol}`" if part.location.symbol else "It"
    yield Evidence(
        "spectrum",
        f"{what} takes part in {part.failing} of the {len(group)} environments that show this, and in {part.sound} "
        f"of the {spectrum.environments} that are sound (Ochiai {part.ochiai:.2f}).",
        {"environment": example.environment},
    )
