"""The residual defect rate: right where it can be computed by hand, and its bounds hold as often as they say."""

from __future__ import annotations

import math
import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.estimate import CONFIDENCE, Estimate, Stratum, beta, bounds, estimated

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def below(count: int, size: int, share: float) -> float:
    """The chance of at most `count` of `size`."""
    return sum(
        math.comb(size, one) * share**one * (1 - share) ** (size - one) for one in range(count + 1)
    )


@settings(max_examples=40)
@given(COUNTS, st.floats(0.001, 0.999))
def test_the_beta_function_is_the_binomial_tail(counts: tuple[int, int], share: float) -> None:
    count, size = counts
    if count < size:
        tail = 1 - below(count, size, share)
        assert beta(share, count + 1, size - count) == pytest.approx(tail, abs=1e-9)


@settings(max_examples=40)
@given(COUNTS)
def test_at_each_bound_what_was_seen_is_just_as_unlikely_as_it_may_be(
    counts: tuple[int, int],
) -> None:
    defective, read = counts
    low, high = bounds(defective, read)
    assert 0 <= low <= defective / read <= high <= 1
    if defective < read:
        assert below(defective, read, high) == pytest.approx(1 - CONFIDENCE, abs=1e-9)
    if defective:
        assert 1 - below(defective - 1, read, low) == pytest.approx(1 - CONFIDENCE, abs=1e-9)


@settings(max_examples=40)
@given(COUNTS, st.integers(61, 500))
def test_over_one_stratum_the_estimate_is_exact(counts: tuple[int, int], population: int) -> None:
    defective, read = counts
    found = estimated([Stratum("a", population, read, defective)])
    assert (found.low, found.high) == pytest.approx(bounds(defective, read), abs=1e-12)
    assert found.rate == pytest.approx(defective / read)


STRATA = st.lists(
    st.integers(1, 40).flatmap(
        lambda read: st.builds(
            Stratum,
            name=st.sampled_from("abcdef"),
            population=st.integers(read, 400),
            read=st.just(read),
            defective=st.integers(0, read),
        )
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=40)
@given(STRATA)
def test_the_rate_lies_within_its_bounds_and_more_strata_never_narrow_them_beyond_what_was_read(
    strata: list[Stratum],
) -> None:
    found = estimated(strata)
    assert found.rate is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.rate + 1e-9
    assert found.rate - 1e-9 <= found.high <= 1 + 1e-9
    if found.read < found.population and found.rate in (0, 1):
        low, high = bounds(found.rate * found.read, found.read)
        assert found.low <= low + 1e-9
        assert found.high >= high - 1e-9


def test_a_stratum_weighs_as_much_as_it_holds() -> None:
    found = estimated([Stratum("a", 900, 10, 1), Stratum("b", 100, 10, 5)])
    assert found.rate == pytest.approx(0.9 * 0.1 + 0.1 * 0.5)


def test_it_is_honest_in_words() -> None:
    assert estimated([Stratum("a", 300, 12, 0)]).said == "0 defective of 12 read: at most 22%"
    assert estimated([Stratum("a", 300, 0, 0)]).said == "nothing read yet"
    assert estimated([]).said == "nothing read yet"
    assert estimated([Stratum("a", 12, 12, 3)]).said == "3 defective of 12 read: 25%, all of them"
    two = estimated([Stratum("a", 300, 40, 2), Stratum("b", 300, 0, 0)])
    assert two.said == "2 defective of 40 read: 5.0%, between 0.9% and 15%"
    assert (two.unread, two.population) == (("b",), 300)


@pytest.mark.parametrize("rates", [(0.02, 0.02, 0.02), (0.0, 0.3, 0.02), (0.1, 0.2, 0.4)])
def test_the_bounds_hold_as_often_as_they_say(rates: tuple[float, float, float]) -> None:
    luck, draws = random.Random(7), 400
    populations, sizes = (600, 300, 100), (18, 9, 3)

    @cache
    def found_for(seen: tuple[int, ...]) -> Estimate:
        counted = zip("abc", populations, sizes, seen, strict=True)
        return estimated([Stratum(*one) for one in counted])

    truth = sum(n * rate for n, rate in zip(populations, rates, strict=True)) / sum(populations)
    above = beneath = 0
    for _ in range(draws):
        drawn = zip(sizes, rates, strict=True)
        found = found_for(tuple(sum(luck.random() < rate for _ in range(n)) for n, rate in drawn))
        assert found.low is not None
        assert found.high is not None
        above += truth > found.high + 1e-12
        beneath += truth < found.low - 1e-12
    allowed = draws * (1 - CONFIDENCE) + 3 * math.sqrt(draws * 0.05 * 0.95)
    assert max(above, beneath) <= allowed, (above, beneath)
