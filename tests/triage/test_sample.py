"""Drawing a sample of environments."""

from hypothesis import given
from hypothesis import strategies as st

from triage.sample import drawn, shares

SIZES = st.dictionaries(st.integers(), st.integers(1, 500), min_size=1, max_size=8)


@given(SIZES, st.data())
def test_the_shares_add_up_and_no_domain_gives_more_than_it_has(
    sizes: dict[int, int], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, sum(sizes.values())))
    split = shares(sizes, size)
    assert sum(split.values()) == size
    assert all(0 <= split[key] <= sizes[key] for key in sizes)


def test_every_domain_is_drawn_from_by_its_size() -> None:
    named = [(pk, pk % 3 == 0, f"task-{pk}") for pk in range(90)]
    chosen = drawn(named, 9, seed=0)
    assert len([pk for pk in chosen if pk % 3 == 0]) == 3
    assert len(chosen) == 9


def test_a_seed_always_draws_the_same_whatever_the_order_and_another_seed_others() -> None:
    named = [(pk, 1, f"task-{pk}") for pk in range(100)]
    assert drawn(named, 10, seed=1) == drawn(named[::-1], 10, seed=1)
    assert drawn(named, 10, seed=1) != drawn(named, 10, seed=2)


def test_what_is_added_elsewhere_does_not_change_the_order_within_a_domain() -> None:
    named = [(pk, 1, f"task-{pk}") for pk in range(20)]
    assert drawn(named, 5, seed=0) < drawn(named, 8, seed=0)
