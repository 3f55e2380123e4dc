"""Which cause is which fault."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.sameness import Party, Traits, matched

PEN = Party("component", "toolserver", "pen", "write")
TRAITS = st.builds(
    Traits,
    st.sampled_from(["tool-crash", "plan-refused"]),
    st.dictionaries(st.sampled_from("abcd"), st.integers(1, 9), min_size=1),
    st.none() | st.builds(Party, st.just("component"), st.sampled_from("xy")),
)


def shown(best: Party | None = None, code: str = "tool-crash", **weights: int) -> Traits:
    return Traits(code, weights, best)


def test_a_cause_is_the_fault_with_which_it_shares_most() -> None:
    faults = {1: shown(a=10, b=30), 2: shown(a=10, c=30)}
    assert matched([shown(a=3, c=9)], faults) == {0: 2}


def test_a_fault_that_splits_is_the_bigger_part() -> None:
    assert matched([shown(b=4), shown(a=10)], {1: shown(a=10, b=4)}) == {1: 1}


def test_faults_that_merge_are_the_bigger_one() -> None:
    assert matched([shown(a=3, b=9)], {1: shown(a=3), 2: shown(b=9)}) == {0: 2}


def test_a_finding_that_two_causes_happen_to_share_makes_them_not_the_same() -> None:
    assert matched([shown(a=1, d=20)], {1: shown(a=1, b=20)}) == {}
    assert matched([shown(PEN, a=1, d=20)], {1: shown(PEN, a=1, b=20)}) == {0: 1}


def test_without_a_shared_fingerprint_the_best_suspect_and_the_code_decide() -> None:
    assert matched([shown(PEN, a=1)], {1: shown(PEN, b=1)}) == {0: 1}
    assert matched([shown(PEN, "state-leak", a=1)], {1: shown(PEN, b=1)}) == {}
    assert matched([shown(a=1)], {1: shown(b=1)}) == {}


def test_fingerprints_say_more_than_suspects() -> None:
    faults = {1: shown(PEN, b=5), 2: shown(a=5)}
    assert matched([shown(PEN, a=5)], faults) == {0: 2}


def test_among_equals_the_oldest_is_taken() -> None:
    assert matched([shown(a=1), shown(a=1)], {7: shown(a=1), 3: shown(a=1)}) == {0: 3, 1: 7}


@given(st.lists(TRAITS, max_size=5), st.dictionaries(st.integers(1, 9), TRAITS, max_size=5))
def test_no_fault_is_two_causes_and_order_of_faults_is_nothing(
    causes: list[Traits], faults: dict[int, Traits]
) -> None:
    found = matched(causes, faults)
    assert len(set(found.values())) == len(found)
    assert matched(causes, dict(reversed(faults.items()))) == found


@given(st.lists(TRAITS, max_size=5))
def test_what_has_not_changed_is_known_again(causes: list[Traits]) -> None:
    found = matched(causes, dict(enumerate(causes, start=1)))
    assert set(found) == set(range(len(causes)))
    assert all(causes[position].weights == causes[pk - 1].weights for position, pk in found.items())
