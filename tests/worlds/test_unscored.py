"""worlds.unscored"""

from __future__ import annotations

import pytest

from worlds.intent import Goal, Unscored
from worlds.unscored import uncounted

PINNED = Goal(matches_plan=True)


def left(goal: Goal, *texts: str) -> list[str]:
    return [each.text for each in uncounted(goal, [Unscored(kind="nl", text=t) for t in texts])]


@pytest.mark.parametrize(
    "text",
    [
        "Agent cancels reservation FDZ0T5",
        "Check that agent does not remove a passenger from the flight.",
        "Agent updates it to 2 checked bags.",
        "Agent should not make any changes.",
    ],
)
def test_what_is_to_be_changed_or_left_is_covered_by_a_goal_that_judges_the_state(
    text: str,
) -> None:
    assert left(PINNED, text) == []
    assert left(Goal(changes=[]), text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Agent should tell the user the total.",
        "Check that Agent searched for direct flights.",
        "Agent checks all reservations.",
        "829.43",
        "20 hours",
    ],
)
def test_what_is_said_found_out_or_a_fact_is_not(text: str) -> None:
    assert left(PINNED, text) == [text]


def test_a_goal_that_judges_no_state_covers_no_change() -> None:
    assert left(Goal(outcome="done"), "Agent cancels the order") == ["Agent cancels the order"]


def test_what_speaks_of_a_fact_that_is_to_be_mentioned_is_covered() -> None:
    goal = Goal(matches_plan=True, mentions=["1628"])
    said = "Agent communicates that the total cost is $1,628."
    assert left(goal, said, "Agent should tell the name.") == ["Agent should tell the name."]
