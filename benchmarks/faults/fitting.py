"""Fitting the weights of `triage.weighing` to faults whose culprits are known.

The likelihood is that of a conditional logit (McFadden, "Conditional logit analysis of qualitative choice behavior",
1974): of the suspects of a cause, the culprits together have the softmax of what speaks for them. A ridge towards plain
prior weights keeps few examples from saying much; the maximum is looked for by gradient steps of Adam (Kingma, Ba,
"Adam: a method for stochastic optimization", ICLR 2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KINDS = ("intent", "rule", "records", "toolserver", "domain")
PLAIN = ("pointed", "blamed", "odd", "spectrum")

PRIOR = [1.0, 0.3, 1.0, 5.0, *[0.0] * 4, -1.0, -1.0, -0.5, -0.5, -0.5]
"""Of `PLAIN`, then of each kind but the first, then of the sound environments of each kind."""
RIDGE = [0.5, 0.5, 0.5, 0.05, *[0.3] * 4, *[1.0] * 5]
STEPS, RATE, HALVED_EVERY = 1200, 0.05, 400
FOLDS = 8


@dataclass(frozen=True)
class Example:
    """The suspects of one cause."""

    operator: str
    weight: float
    """Its share of the environments that a planted fault breaks, so that each fault counts once."""
    vectors: Sequence[Sequence[float]]
    at_fault: Sequence[bool]


def vector(kind: str, plain: Sequence[float], sound: float) -> list[float]:
    """What is known of a suspect, as it is weighted: `plain` in the order of `PLAIN`, `sound` as a logarithm."""
    kinds = [float(kind == each) for each in KINDS[1:]]
    return [*plain, *kinds, *(sound if kind == each else 0.0 for each in KINDS)]


def softmax(weights: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    """The probability of each suspect."""
    logits = [sum(w * x for w, x in zip(weights, each, strict=True)) for each in vectors]
    grown = [math.exp(logit - max(logits)) for logit in logits]
    return [each / sum(grown) for each in grown]


def fitted(examples: Sequence[Example], steps: int = STEPS) -> list[float]:
    """The weights, in the order of `PRIOR`."""
    weights, mean, square, rate = list(PRIOR), [0.0] * len(PRIOR), [0.0] * len(PRIOR), RATE
    for step in range(1, steps + 1):
        for at, slope in enumerate(_gradient(weights, examples)):
            mean[at] = 0.9 * mean[at] + 0.1 * slope
            square[at] = 0.99 * square[at] + 0.01 * slope**2
            scale = math.sqrt(square[at] / (1 - 0.99**step)) + 1e-8
            weights[at] -= rate * mean[at] / (1 - 0.9**step) / scale
        if step % HALVED_EVERY == 0:
            rate /= 2
    return weights


def _gradient(weights: Sequence[float], examples: Sequence[Example]) -> list[float]:
    slopes = [r * (w - p) for r, w, p in zip(RIDGE, weights, PRIOR, strict=True)]
    for each in examples:
        chances = softmax(weights, each.vectors)
        culprits = sum(c for c, is_true in zip(chances, each.at_fault, strict=True) if is_true)
        if not culprits:
            continue
        for chance, is_true, one in zip(chances, each.at_fault, each.vectors, strict=True):
            by = each.weight * (chance - (chance / culprits if is_true else 0.0))
            for at, value in enumerate(one):
                slopes[at] += by * value
    return slopes


def first(weights: Sequence[float], examples: Sequence[Example]) -> float:
    """The share of causes of which a culprit is the likeliest, each counted by its weight."""
    right = 0.0
    for each in examples:
        chances = softmax(weights, each.vectors)
        right += each.weight * each.at_fault[chances.index(max(chances))]
    return right / sum(each.weight for each in examples)


def cross_validated(examples: Sequence[Example]) -> float:
    """The same share on operators that were left out of the fit, an eighth at a time."""
    names = sorted({each.operator for each in examples})
    right = whole = 0.0
    for fold in range(FOLDS):
        held = set(names[fold::FOLDS])
        tried = [each for each in examples if each.operator in held]
        if tried:
            weights = fitted([each for each in examples if each.operator not in held], STEPS // 2)
            weight = sum(each.weight for each in tried)
            right += first(weights, tried) * weight
            whole += weight
    return right / whole


def report(examples: Sequence[Example]) -> dict[str, Any]:
    """The weights by name, as `triage.weighing.FITTED` has them, and how often they are right."""
    weights = [round(each, 2) for each in fitted(examples)]
    plain, kinds, sound = weights[:4], [0.0, *weights[4:8]], weights[8:]
    return {
        "causes": len(examples),
        "operators": len({each.operator for each in examples}),
        "weights": {
            **dict(zip(PLAIN, plain, strict=True)),
            "kind": dict(zip(KINDS, kinds, strict=True)),
            "sound": dict(zip(KINDS, sound, strict=True)),
        },
        "first": round(first(weights, examples), 3),
        "first_left_out": round(cross_validated(examples), 3),
    }
