"""How many of the certified environments are defective all the same, from those that people read.

The rate is the stratified estimate: each stratum's share of defective ones, weighted by its size. Each bound holds
with 95% confidence by itself (so the two together with at least 90%); with nothing defective that is the "at most"
of J. A. Hanley and A. Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249 (1983): 0 of 12 read
means at most 22%.

Over one stratum the bounds are exact: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits
illustrated in the case of the binomial", Biometrika 26 (1934). Over several they are those of E. L. Korn and B. I.
Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated from survey
data", Survey Methodology 24 (1998): the same limits, at the effective sample size. That is taken as the lesser of
what the variance of the estimate says and of Kish's (what uneven weights leave), never as more than was read. Both
take strata for endless, which makes the bounds too wide rather than too narrow where much of one was read; where all
of all strata was read there is nothing left to estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95
"""Of each bound."""


@dataclass(frozen=True)
class Stratum:
    """A part of the population, and what was read of it."""

    name: str
    population: int
    read: int
    defective: int


@dataclass(frozen=True)
class Estimate:
    """Of the share of defective ones in the strata of which anything was read; None where nothing was."""

    read: int
    defective: int
    population: int
    """Of the strata of which anything was read."""
    rate: float | None
    low: float | None
    high: float | None
    unread: tuple[str, ...]
    """The strata of which nothing was read: the estimate says nothing of them."""

    @property
    def is_bounded(self) -> bool:
        """Whether it is known only between bounds: something was read, and not all."""
        return self.low != self.high

    @property
    def said(self) -> str:
        """In words: `0 defective of 12 read: at most 22%`."""
        if self.rate is None or self.low is None or self.high is None:
            return "nothing read yet"
        told = f"{self.defective} defective of {self.read} read"
        if self.low == self.high:
            return f"{told}: {_percent(self.rate)}, all of them"
        if not self.defective:
            return f"{told}: at most {_percent(self.high)}"
        return (
            f"{told}: {_percent(self.rate)}, between {_percent(self.low)} and {_percent(self.high)}"
        )


def _percent(share: float) -> str:
    """`22%`, `4.5%`: one decimal below ten."""
    return f"{share:.1%}" if 0 < share < 0.0995 else f"{share:.0%}"


def estimated(strata: Sequence[Stratum]) -> Estimate:
    """The estimate from what was read, honest about what was not."""
    seen = [stratum for stratum in strata if stratum.read]
    unread = tuple(sorted(stratum.name for stratum in strata if not stratum.read))
    read, defective = sum(one.read for one in seen), sum(one.defective for one in seen)
    whole = sum(one.population for one in seen)
    if not seen:
        return Estimate(0, 0, 0, None, None, None, unread)
    rate = sum(one.population / whole * one.defective / one.read for one in seen)
    if read == whole:
        return Estimate(read, defective, whole, rate, rate, rate, unread)
    size = _effective_size(seen, whole, rate)
    low, high = bounds(rate * size, size)
    return Estimate(read, defective, whole, rate, low, high, unread)


def _effective_size(seen: Sequence[Stratum], whole: int, rate: float) -> float:
    if len(seen) == 1:
        return float(seen[0].read)
    weights = [one.population / whole for one in seen]
    kish = 1 / sum(weight**2 / one.read for weight, one in zip(weights, seen, strict=True))
    variance = sum(weight**2 * _variance(one) for weight, one in zip(weights, seen, strict=True))
    by_variance = rate * (1 - rate) / variance if variance > 0 else math.inf
    return min(kish, by_variance, float(sum(one.read for one in seen)))


def _variance(one: Stratum) -> float:
    """Of a stratum's share of defective ones, estimated; 0 where one reading alone tells nothing of it."""
    share = one.defective / one.read
    return share * (1 - share) / (one.read - 1) if one.read > 1 else 0.0


def bounds(defective: float, read: float) -> tuple[float, float]:
    """The Clopper-Pearson bounds of a share of which `defective` of `read` were seen; neither need be whole."""
    low = _quantile(1 - CONFIDENCE, defective, read - defective + 1) if defective > 0 else 0.0
    high = _quantile(CONFIDENCE, defective + 1, read - defective) if defective < read else 1.0
    return low, high


def _quantile(share: float, a: float, b: float) -> float:
    """Where the beta distribution of `a` and `b` has `share` of its mass below, by halving."""
    return _root(lambda x: beta(x, a, b) - share)


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2


def beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # there the fraction converges fast on the other side
        return 1 - beta(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logarithm + a * math.log(x) + b * math.log1p(-x)) / a
    return front / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float, terms: int = 100) -> float:
    """1 + d1/(1 + d2/(1 + …)), from the inside out; as many terms do for thousands of readings."""
    value = 1.0
    for term in range(terms, 0, -1):
        value = 1 + _term(term, x, a, b) / value
    return value


def _term(term: int, x: float, a: float, b: float) -> float:
    half = term // 2
    if term % 2:
        return -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
    return half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
