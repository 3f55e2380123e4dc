"""Goals that ask for the very words."""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.intents.broken import broken, first_sound
from triage.proposers.intents.narrowed import narrow_goals

WORDS = "Your order has been cancelled"


def test_words_that_nobody_is_told_are_asked_for_no_longer() -> None:
    def breaks(intent: dict[str, Any]) -> None:
        intent["goal"]["mentions"] = [WORDS]
        intent["plans"]["default"][-1]["finish"]["message"] = f"{WORDS}."

    assert "mentions" not in first_sound(narrow_goals, broken(breaks))["goal"]


def test_a_number_that_is_asked_for_as_text_is_asked_for_as_a_number() -> None:
    def breaks(intent: dict[str, Any]) -> None:
        intent["goal"]["answer"]["refund"]["type"] = "string"
        intent["plans"]["default"][-1]["finish"]["answer"]["refund"] = "44.5"

    goal = first_sound(narrow_goals, broken(breaks))["goal"]
    assert goal["answer"]["refund"]["type"] == "number"


def test_a_constant_that_the_plan_does_not_write_becomes_the_one_that_the_user_names() -> None:
    wrong = "get('orders', order.order_id).reason == 'no longer needed'"

    def breaks(intent: dict[str, Any]) -> None:
        intent["goal"]["require"][1] = wrong

    require = first_sound(narrow_goals, broken(breaks))["goal"]["require"]
    assert require[1] == "get('orders', order.order_id).reason == 'ordered by mistake'"
