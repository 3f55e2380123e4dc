"""Pins: made once, and never a reason to fail."""

from __future__ import annotations

from agents.pinning import pin
from tests.worlds.shop import Whole, bundle
from worlds.bundle import Pin


def test_rows_are_bound_and_no_effect_is_kept_where_none_is_asked_for() -> None:
    assert pin(bundle()) == Pin(binding={"order": "W1", "user": "ann"})


def test_the_effect_of_the_plan_is_kept_with_fresh_keys_masked() -> None:
    made = pin(bundle(intent={"goal": {"matches_plan": True}}))
    assert made.effect is not None
    assert [(c["table"], c["key"], c["op"]) for c in made.effect] == [
        ("orders", "W1", "update"),
        ("refunds", "+refunds:1", "insert"),
    ]


def test_pinning_again_gives_the_same_pin() -> None:
    pinned = bundle(intent={"goal": {"matches_plan": True}})
    assert pin(pinned) == pinned.manifest.pin


def test_a_slot_without_a_row_leaves_the_pin_empty() -> None:
    assert pin(bundle(intent={"slots": {"order": {"where": "row.total > 99.0"}}})) == Pin()


def test_a_plan_of_nonsense_still_gives_a_pin() -> None:
    nonsense = {"goal": {"matches_plan": True}, "plans": Whole({"default": [{"call": "nothing"}]})}
    assert pin(bundle(intent=nonsense)).effect == []
