"""A few of many rows, of each kind as many as of every other."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.faults.stratified import drawn, shares

KINDS = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 30))


def rows(**counts: int) -> list[dict[str, Any]]:
    return [
        {"half": "development", "domain": "d", "name": kind, "kind": kind, "place": str(number)}
        for kind, count in counts.items()
        for number in range(count)
    ]


@given(KINDS, st.integers(0, 60))
def test_as_many_are_taken_as_asked_for_or_there_are(counts: dict[str, int], most: int) -> None:
    found = shares(counts, most)
    assert sum(found.values()) == min(most, sum(counts.values()))
    assert all(found[kind] <= count for kind, count in counts.items())


@given(KINDS, st.integers(0, 60))
def test_no_kind_has_two_more_than_another_that_has_some_left(
    counts: dict[str, int], most: int
) -> None:
    found = shares(counts, most)
    for kind, count in counts.items():
        if found[kind] < count:
            assert max(found.values()) <= found[kind] + 1


def test_a_kind_of_which_there_is_little_leaves_room_to_the_others() -> None:
    assert shares({"a": 2, "b": 20, "c": 9}, 20) == {"a": 2, "b": 9, "c": 9}


def test_the_same_rows_are_drawn_whatever_their_order_and_are_not_the_first() -> None:
    every = rows(a=30, b=3)
    found = drawn(every, 8)
    assert {tuple(row.items()) for row in drawn(every[::-1], 8)} == {
        tuple(row.items()) for row in found
    }
    assert found != [*every[:5], *every[-3:]]
    assert [row for row in every if row in found] == found
