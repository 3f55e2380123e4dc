"""Suspects between whom nothing decides, and what would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.observations import Location
from triage.ties import TIE, question_of, ranks_of

PEN, WRITE = Location("toolserver", "pen"), Location("toolserver", "quill", "write")
ROW = Location("records", "desk", "notes/N1")


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.9, 0.1], [1, 2]),
        ([0.4, 0.38, 0.1], [1, 1, 3]),
        ([0.5, 0.41, 0.35], [1, 1, 3]),
        ([0.5, 0.2, 0.19, 0.01], [1, 2, 2, 4]),
        ([], []),
    ],
)
def test_those_whose_probabilities_lie_close_share_a_rank(
    scores: list[float], ranks: list[int]
) -> None:
    assert ranks_of(scores) == ranks


@given(st.lists(st.floats(0, 1), max_size=9).map(lambda scores: sorted(scores, reverse=True)))
def test_who_shares_a_rank_lies_close_to_the_first_of_it_and_no_other_does(
    scores: list[float],
) -> None:
    ranks = ranks_of(scores)
    for place, (rank, score) in enumerate(zip(ranks, scores, strict=True), 1):
        assert 1 <= rank <= place
        assert ranks[rank - 1] == rank
        assert score >= TIE * scores[rank - 1]
        if rank == place > 1:
            assert score < TIE * scores[ranks[place - 2] - 1]


def test_a_tie_has_the_question_that_would_break_it() -> None:
    assert question_of([PEN, WRITE, ROW]) == (
        "pen, quill (write) or desk (notes/N1)? An environment that uses `pen` without `write`, or the other way "
        "round, would tell; so would a version of either that is known to be right."
    )


def test_one_alone_is_no_question() -> None:
    assert question_of([PEN]) == ""
    assert question_of([]) == ""
