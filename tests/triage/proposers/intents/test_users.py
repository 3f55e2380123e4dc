"""What the user knows and says."""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.intents.broken import broken, first_sound, proposed
from triage.proposers.intents.users import users


def asks(intent: dict[str, Any], answer: str) -> None:
    """The user tells the order's number only when asked."""
    intent["user"] = {
        "opens": "I am {user.name} ({user.email}). Cancel my order: I ordered it by mistake. How much do I get back?",
        "knows": {"order": answer},
    }
    plan = intent["plans"]["default"]
    plan.insert(1, {"call": "ask_user", "args": {"about": "order"}, "as": "number"})
    plan[2]["args"]["order_id"] = "{number}"


def test_an_answer_that_names_no_row_becomes_the_slot_that_is_meant() -> None:
    case = broken(lambda intent: asks(intent, "{order.order_id}0"))
    assert first_sound(users, case)["user"]["knows"] == {"order": "{order.order_id}"}


def test_intents_without_a_user_are_no_matter_of_it() -> None:
    case = broken(lambda intent: intent["goal"].update(outcome="refused"))
    assert proposed(users, case) == []
