"""All that may change, from what the plan changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.triage.proposers.intents.broken import NAME, broken, first_sound, proposed
from triage.proposers.intents.changes import allowed_changes

ENTRY = "orders/{order.order_id}#status,reason"
SORTED = "orders/{order.order_id}#reason,status"


def test_a_goal_that_says_nothing_of_changes_says_what_the_plan_changes() -> None:
    case = broken(lambda intent: intent["goal"].pop("changes"))
    assert set(first_sound(allowed_changes, case)["goal"]["changes"]) <= {ENTRY, SORTED}


def test_a_field_that_is_missing_is_added_to_the_entry_of_its_row() -> None:
    case = broken(lambda intent: intent["goal"].update(changes=["orders/{order.order_id}#status"]))
    assert first_sound(allowed_changes, case)["goal"]["changes"] == [ENTRY]


def test_an_entry_of_any_row_becomes_as_narrow_as_the_plan() -> None:
    def breaks(intent: dict[str, Any]) -> None:
        intent["goal"].update(changes=["orders/*"])
        intent["goal"]["answer"]["refund"]["type"] = "date"

    case = replace(broken(breaks), codes=frozenset({"goal-blind"}))
    first = proposed(allowed_changes, case)[0].changes[NAME].content()
    assert set(first["goal"]["changes"]) <= {ENTRY, SORTED}


def test_a_table_that_is_misspelt_is_the_one_most_like_it() -> None:
    wrong = ["order/{order.order_id}#status,reason"]
    case = broken(lambda intent: intent["goal"].update(changes=wrong))
    assert (
        ENTRY
        in proposed(allowed_changes, case)[0]
        .changes["intent", "cancel"]
        .content()["goal"]["changes"]
    )


def test_an_entry_without_a_row_gets_the_row_of_its_slot() -> None:
    case = broken(lambda intent: intent["goal"].update(changes=["orders"]))
    entries = [
        each.changes["intent", "cancel"].content()["goal"]["changes"]
        for each in proposed(allowed_changes, case)
    ]
    assert ["orders/{order.order_id}"] in entries
