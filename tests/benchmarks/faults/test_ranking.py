"""Ranks with ties, what is confirmed, and how well scores are probabilities."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.ranking import (
    Standing,
    calibration,
    confirmation,
    judged,
    named,
    places,
    reliability,
    standing,
)


def suspect(component: str, rank: int, score: float, state: str = "") -> dict[str, Any]:
    return {"component": component, "rank": rank, "score": score, "state": state}


def test_a_true_component_alone_at_the_top_is_first() -> None:
    found = standing({"a": 0.9, "b": 0.1}, ["a"])
    assert found is not None
    assert (found.among(1), found.among(3), found.reciprocal) == (1, 1, 1)


def test_a_tie_for_first_counts_as_the_share_of_the_tie() -> None:
    found = standing({"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5}, ["a"])
    assert found is not None
    assert found.among(1) == 0.25
    assert found.among(3) == 0.75


def test_of_two_true_ones_the_better_counts() -> None:
    assert standing({"a": 0.9, "b": 0.5, "c": 0.1}, ["b", "c"]) == Standing(1, 1, 1)


@pytest.mark.parametrize("scores", [{}, {"b": 1.0}, {"a": 0.0, "b": 1.0}])
def test_a_true_one_that_nobody_suspects_has_no_place(scores: dict[str, float]) -> None:
    assert standing(scores, ["a"]) is None


@given(st.lists(st.sampled_from([0.2, 0.5, 0.8]), min_size=1, max_size=5), st.data())
def test_shares_are_those_of_all_ways_to_break_ties(
    scores: list[float], data: st.DataObject
) -> None:
    names = list(range(len(scores)))
    true = data.draw(st.sets(st.sampled_from(names), min_size=1))
    found = standing({str(n): scores[n] for n in names}, [str(n) for n in true])
    assert found is not None
    orders = [
        order
        for order in permutations(names)
        if [scores[n] for n in order] == sorted(scores, reverse=True)
    ]
    best = [1 + min(order.index(n) for n in true) for order in orders]
    for most in (1, 3):
        expected = sum(place <= most for place in best) / len(best)
        assert found.among(most) == pytest.approx(expected)
    assert found.reciprocal == pytest.approx(sum(1 / place for place in best) / len(best))


def test_of_a_component_that_is_named_twice_the_better_place_counts() -> None:
    suspects = [suspect("a", 1, 0.9), suspect("b", 2, 0.5), suspect("a", 3, 0.1)]
    assert places(suspects) == {"a": 1, "b": 0.5}


def test_faults_without_a_ranking_count_as_missed() -> None:
    said = named([Standing(0, 1, 1), None, Standing(1, 2, 1), None])
    assert said == {"faults": 4, "first": 0.25, "three": 0.5, "reciprocal": 0.354}


def test_of_no_faults_nothing_is_said() -> None:
    assert named([])["first"] is None


def test_precision_is_over_what_is_confirmed_and_recall_over_all_culprits() -> None:
    faults = [
        ([suspect("a", 1, 0.9, "confirmed"), suspect("b", 2, 0.1, "cleared")], ["a"]),
        ([suspect("c", 1, 0.9, "confirmed")], ["d"]),
        ([suspect("e", 1, 0.9, "consistent")], ["e", "f"]),
    ]
    assert confirmation(faults) == {
        "confirmed": 2,
        "right": 1,
        "precision": 0.5,
        "culprits": 4,
        "recall": 0.25,
    }


def test_a_true_component_that_is_not_listed_is_judged_as_zero() -> None:
    assert judged([suspect("a", 1, 0.7)], ["b"]) == [(0.0, True), (0.7, False)]


def test_skill_is_nothing_for_the_base_rate_and_one_for_certainty() -> None:
    assert calibration([(0.5, True), (0.5, False)])["skill"] == 0
    assert calibration([(1.0, True), (0.0, False)])["skill"] == 1
    assert calibration([(0.0, True), (1.0, False)])["skill"] == -3
    assert calibration([])["brier"] is None


def test_each_score_falls_into_one_bin_and_one_into_the_last() -> None:
    bins = reliability([(0.0, False), (0.19, False), (0.2, True), (1.0, True)])
    assert [row["candidates"] for row in bins] == [2, 1, 0, 0, 1]
    assert bins[-1] == {"scores": "0.8–1", "candidates": 1, "mean_score": 1.0, "at_fault": 1.0}
    assert bins[2]["at_fault"] is None
