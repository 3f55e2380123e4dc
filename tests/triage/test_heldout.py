"""The half that no proposer may look at."""

from triage.heldout import is_held_out


def test_a_name_is_of_one_half_for_ever() -> None:
    halves = [is_held_out(f"task-{number}") for number in range(4)]
    assert halves == [False, False, False, True]


def test_it_is_about_the_half() -> None:
    assert 400 < sum(is_held_out(f"task-{number}") for number in range(1000)) < 600
