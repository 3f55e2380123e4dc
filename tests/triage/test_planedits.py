"""Arguments of plans, renamed to what their tools know."""

from __future__ import annotations

from typing import Any

from triage.planedits import with_known_arguments
from worlds.intent import Intent

SCHEMAS: dict[str, Any] = {
    "book": {
        "properties": {"room_id": {}, "start": {}, "note": {}},
        "required": ["room_id", "start"],
    }
}


def intent(**args: Any) -> Intent:
    plan = [{"call": "book", "args": args}, {"finish": {}}]
    return Intent.parse({"instruction": "Book.", "goal": {}, "plans": {"default": plan, "b": plan}})


def test_an_unknown_argument_takes_the_name_of_the_closest_required_one_that_is_free() -> None:
    edited = with_known_arguments(intent(roomid="R1", starts="9", note="x"), "default", SCHEMAS)
    assert edited is not None
    made, said = edited
    assert made.plans["default"][0].args == {"room_id": "R1", "start": "9", "note": "x"}
    assert made.plans["b"][0].args == {"roomid": "R1", "starts": "9", "note": "x"}
    assert said == ["book[0].roomid → room_id", "book[0].starts → start"]


def test_nothing_is_renamed_where_all_is_known_or_nothing_is_close() -> None:
    assert with_known_arguments(intent(room_id="R1", start="9"), "default", SCHEMAS) is None
    assert with_known_arguments(intent(colour="red"), "default", SCHEMAS) is None
    assert with_known_arguments(intent(room="R1", room_id="R1"), "default", SCHEMAS) is None
    assert with_known_arguments(intent(roomid="R1"), "default", {}) is None
    assert with_known_arguments(intent(roomid="R1"), "other", SCHEMAS) is None
