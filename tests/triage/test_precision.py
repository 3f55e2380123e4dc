"""The precision of a code, in numbers alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.precision import Precision, wilson

counts = st.integers(0, 500)


def test_what_nobody_labelled_has_no_precision_and_no_interval() -> None:
    nobody = Precision()
    assert (nobody.share, nobody.interval, nobody.is_demoted) == (None, None, False)


@pytest.mark.parametrize(
    ("right", "wrong", "is_demoted"),
    [(0, 19, False), (0, 20, True), (11, 9, True), (12, 8, False), (59, 41, True), (60, 40, False)],
)
def test_demoted_below_sixty_per_cent_over_at_least_twenty_labels(
    right: int, wrong: int, is_demoted: bool
) -> None:
    assert Precision(right, wrong).is_demoted is is_demoted


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(10, 10, (0.7225, 1.0)), (0, 10, (0.0, 0.2775)), (81, 263, (0.2553, 0.3662))],
)
def test_the_interval_is_wilsons_as_published(
    part: int, whole: int, expected: tuple[float, float]
) -> None:
    assert wilson(part, whole) == pytest.approx(expected, abs=5e-5)


@given(counts, counts)
def test_the_interval_holds_the_share_and_stays_a_share(right: int, wrong: int) -> None:
    one = Precision(right, wrong)
    if one.interval is not None and one.share is not None:
        low, high = one.interval
        assert 0 <= low <= one.share + 1e-12
        assert one.share - 1e-12 <= high <= 1
