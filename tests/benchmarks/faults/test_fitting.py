"""Fitting the weights of the score."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.fitting import PRIOR, Example, first, fitted, report, softmax, vector


def example(operator: str, spectrum: tuple[float, float], culprit: int) -> Example:
    """An intent and a tool server, of which one is at fault."""
    vectors = [
        vector(kind, (0.0, 0.0, 0.0, value), 0.0)
        for kind, value in zip(("intent", "toolserver"), spectrum, strict=True)
    ]
    return Example(operator, 1.0, vectors, [number == culprit for number in range(2)])


def test_what_tells_culprits_apart_gains_weight() -> None:
    examples = [example("a", (1.0, 0.2), 0), example("b", (0.2, 1.0), 1)] * 3
    weights = fitted(examples)
    assert weights[3] > PRIOR[3]
    assert first(weights, examples) == 1.0


def test_a_kind_that_is_always_at_fault_is_believed_sooner() -> None:
    examples = [example(name, (0.5, 0.5), 1) for name in "abcdef"]
    assert dict(report(examples)["weights"]["kind"])["toolserver"] > 0.2


def test_without_examples_the_prior_stays() -> None:
    assert fitted([]) == pytest.approx(PRIOR)


def test_a_cause_without_a_culprit_says_nothing() -> None:
    nobody = Example("a", 1.0, [vector("intent", (0, 0, 0, 1), 0)], [False])
    assert fitted([nobody]) == pytest.approx(PRIOR)


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=5))
def test_probabilities_sum_to_one(values: list[float]) -> None:
    chances = softmax(PRIOR, [vector("rule", (value, 0, 0, 0), 0) for value in values])
    assert math.isclose(sum(chances), 1.0)
    assert all(0 <= chance <= 1 for chance in chances)
