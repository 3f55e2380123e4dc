"""Shares with their intervals, and what is counted where."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.detected import headline, missed, shares, table, wilson


def row(**said: Any) -> dict[str, Any]:
    """A planted change as the benchmark keeps it."""
    plain = {
        "half": "heldout",
        "kind": "rule",
        "name": "clause-gone",
        "catalogue": False,
        "rewrite": False,
        "harmful": True,
        "detected": True,
        "errors": [],
        "checks": 1,
        "episodes": 5,
        "calls": 9,
        "seconds_checking": 1.0,
        "seconds": 1.5,
    }
    return plain | said


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (95, 100, 0.8882, 0.9785),
    ],
)
def test_the_interval_is_wilsons(part: int, whole: int, low: float, high: float) -> None:
    assert wilson(part, whole) == pytest.approx((low, high), abs=1e-4)


@given(whole=st.integers(1, 500), data=st.data())
def test_an_interval_holds_its_share_and_shrinks_with_more_of_the_same(
    whole: int, data: st.DataObject
) -> None:
    part = data.draw(st.integers(0, whole))
    low, high = wilson(part, whole) or (1.0, 0.0)
    assert -1e-9 <= low <= part / whole + 1e-9
    assert part / whole - 1e-9 <= high <= 1 + 1e-9
    lower, higher = wilson(part * 4, whole * 4) or (0.0, 1.0)
    assert higher - lower < high - low


def test_of_nothing_there_is_no_interval() -> None:
    assert wilson(0, 0) is None


def test_a_rewrite_that_the_keys_call_harmful_counts_among_the_harmful() -> None:
    rows = [
        row(),
        row(detected=False),
        row(rewrite=True),
        row(rewrite=True, harmful=False, detected=True),
        row(rewrite=True, harmful=False, detected=False),
        row(harmful=False, detected=True),
    ]
    said = shares(rows)
    assert (said["harmful"], said["detected"]) == (3, 2)
    assert (said["rewrites"], said["alarms"], said["alarms_share"]) == (2, 1, 0.5)
    assert (said["harmless"], said["harmless_alarms"]) == (1, 1)


def test_halves_kinds_and_the_catalogue_are_apart() -> None:
    rows = [row(), row(kind="intent"), row(half="development"), row(catalogue=True, detected=False)]
    found = {(each["half"], each["of"]): each["harmful"] for each in table(rows)}
    assert found["heldout", "operators"] == 2
    assert found["heldout", "rule"] == found["heldout", "intent"] == 1
    assert found["heldout", "catalogue"] == 1
    assert found["development", "operators"] == 1


def test_the_headline_leaves_the_catalogue_out_and_adds_up_what_was_spent() -> None:
    rows = [row(), row(detected=False), row(catalogue=True), row(half="development")]
    said = headline(rows)
    assert (said["held_out_detection"], said["development_detection"]) == (0.5, 1.0)
    assert said["held_out_alarm"] is None
    assert (said["planted"], said["checks"], said["calls"]) == (4, 4, 36)
    assert said["seconds_judging"] == 2.0


def test_what_was_missed_is_harmful_and_silent() -> None:
    rows = [row(), row(detected=False, name="a"), row(harmful=False, detected=False)]
    assert [each["name"] for each in missed(rows)] == ["a"]
