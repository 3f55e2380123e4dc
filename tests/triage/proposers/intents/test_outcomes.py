"""How it is to end."""

from __future__ import annotations

from tests.triage.proposers.intents.broken import broken, first_sound, proposed
from triage.proposers.intents.outcomes import outcomes


def test_the_goal_asks_for_the_end_of_all_plans() -> None:
    case = broken(lambda intent: intent["goal"].update(outcome="handed_off"))
    assert first_sound(outcomes, case)["goal"]["outcome"] == "done"


def test_of_several_plans_the_one_that_ends_alone_is_mended() -> None:
    def breaks(intent: dict) -> None:  # type: ignore[type-arg]  # plain JSON
        intent["plans"]["other"] = [{"finish": {}}]
        intent["plans"]["default"][-1]["finish"]["outcome"] = "refused"

    first = proposed(outcomes, broken(breaks))
    ends = [each.changes["intent", "cancel"].content()["plans"]["default"][-1] for each in first]
    assert {"finish": {"answer": {"refund": "{found.total}"}}} in ends
