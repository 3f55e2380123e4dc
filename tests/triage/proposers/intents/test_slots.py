"""Slots that no row fits."""

from __future__ import annotations

from typing import Any

from tests.triage.proposers.intents.broken import broken, first_sound, proposed
from triage.proposers.intents.slots import fitting_slots


def test_a_value_in_other_letters_is_spelt_as_the_schema_has_it() -> None:
    case = broken(lambda intent: intent["slots"]["order"]["match"].update(status="Pending"))
    first = first_sound(fitting_slots, case)["slots"]["order"]
    assert first == {"table": "orders", "match": {"status": "pending"}}
    assert "pending" in proposed(fitting_slots, case)[0].authority


def test_a_field_that_there_is_not_is_the_one_most_like_it() -> None:
    def breaks(intent: dict[str, Any]) -> None:
        intent["slots"]["order"]["match"] = {"state": "pending"}

    assert first_sound(fitting_slots, broken(breaks))["slots"]["order"]["match"] == {
        "status": "pending"
    }


def test_a_reference_to_another_key_is_turned_to_the_row_that_is_meant() -> None:
    def breaks(intent: dict[str, Any]) -> None:
        intent["slots"]["user"]["match"] = {"user_id": "{order.order_id}"}

    slots = first_sound(fitting_slots, broken(breaks))["slots"]
    assert slots["user"]["match"] == {"user_id": "{order.user_id}"}


def test_a_bound_that_is_too_strict_is_loosened_before_it_is_taken_out() -> None:
    case = broken(lambda intent: intent["slots"]["order"].update(where="size(row.items) >= 51"))
    kinds = [
        each.changes["intent", "cancel"].content()["slots"]["order"]
        for each in proposed(fitting_slots, case)
    ]
    assert kinds[0]["where"] == "size(row.items) >= 1"
    assert "where" not in kinds[-1]
