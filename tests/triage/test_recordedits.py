"""Single values of records, mended as what stands around them says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.worlds.shop import Whole, bundle
from triage.recordedits import with_usual_values
from worlds.recordcheck import all_record_findings
from worlds.world import World

ROWS = [
    {"room_id": f"R{number}", "seats": number, "open": "2025-03-0" + str(number), "floor": "first"}
    for number in range(1, 7)
]
SCHEMA = {
    "type": "object",
    "properties": {
        "room_id": {"type": "string"}, "seats": {"type": "integer"}, "open": True, "floor": {},
        "state": {"enum": ["in-use", "closed"]}, "more": {"type": "boolean"},
    },
}  # fmt: skip


def world(changes: dict[str, Any], **domain: Any) -> World:
    """The shop with a table of rooms, of which R2 is changed."""
    rows = [{**row, **(changes if row["room_id"] == "R2" else {})} for row in ROWS]
    made = bundle(
        domain={"tables": {"rooms": {"key": "room_id", "schema": SCHEMA}}, **domain},
        records={"tables": Whole(rooms=rows, users=[{"user_id": "ann", "name": "Ann"}], orders=[
            {"order_id": "W1", "user_id": "ann", "status": "pending", "total": 20}])},
    )  # fmt: skip
    return World(made)


@pytest.mark.parametrize(
    ("changes", "mended"),
    [
        ({"seats": "4"}, {"seats": 4}),
        ({"seats": "four"}, {}),
        ({"seats": 4.5}, {}),
        ({"open": "2025/03/02"}, {"open": "2025-03-02"}),
        ({"floor": None}, {"floor": "first"}),
        ({"floor": "FIRST"}, {"floor": "first"}),
        ({"state": "In use"}, {"state": "in-use"}),
        ({"more": "True"}, {"more": True}),
        ({"open": "soon"}, {}),
        ({"floor": "attic"}, {}),
        ({"closed": "2025-03-02"}, {}),
        ({}, {}),
    ],
)
def test_a_value_is_typed_spelled_or_made_usual_and_never_guessed(
    changes: dict[str, Any], mended: dict[str, Any]
) -> None:
    edited = with_usual_values(world(changes))
    if not mended:
        assert edited is None
        return
    assert edited is not None
    made, said = edited
    after = {row["room_id"]: row for row in made.tables["rooms"]}
    assert after["R2"] == {**ROWS[1], **changes, **mended}
    assert [after[row["room_id"]] for row in ROWS if row["room_id"] != "R2"] == [
        row for row in ROWS if row["room_id"] != "R2"
    ]
    assert [str(each).partition(" ")[0] for each in said] == [f"rooms/R2#{next(iter(mended))}"]


def test_what_an_invariant_asks_of_is_mended_where_that_makes_it_hold() -> None:
    invariant = {"id": "low", "text": "Low.", "table": "rooms", "require": "row.floor == 'first'"}
    before = world({"floor": "upper"}, invariants=[invariant])
    edited = with_usual_values(before)
    assert edited is not None
    ref = before.bundle.manifest.records.model_copy(update={"body": edited[0].digest})
    manifest = before.bundle.manifest.model_copy(update={"records": ref})
    after = World(replace(before.bundle, manifest=manifest, records=edited[0]))
    assert all_record_findings(before)
    assert not all_record_findings(after)


def test_a_row_that_is_missing_is_not_invented() -> None:
    made = bundle(records={"tables": {"users": [{"user_id": "bob", "name": "Bob"}]}})
    assert with_usual_values(World(made)) is None
