"""benchmarks.resting"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.resting import SHOWN, resting
from tests.library.tau2 import AIRLINE
from worlds.bundle import Bundle
from worlds.canonical import digest


def few(keys: list[str]) -> Bundle:
    """A published task with a few of the reservations, and the users and flights that they name."""
    bundle = AIRLINE.folder.bundle(AIRLINE.folder.environments["task-18"])
    tables = bundle.records.tables
    kept = [row for row in tables["reservations"] if row["reservation_id"] in keys]
    users = {row["user_id"] for row in kept}
    flights = {leg["flight_number"] for row in kept for leg in row["flights"]}
    named = {
        "users": [row for row in tables["users"] if row["user_id"] in users],
        "flights": [row for row in tables["flights"] if row["flight_number"] in flights],
    }
    return holding(bundle, kept, **named)


def holding(
    bundle: Bundle, reservations: list[dict[str, Any]], **others: list[dict[str, Any]]
) -> Bundle:
    """The bundle with other rows; its manifest says so, for rows are remembered by that."""
    tables = {**bundle.records.tables, "reservations": reservations, **others}
    records = bundle.records.model_copy(update={"tables": tables})
    ref = bundle.manifest.records.model_copy(update={"body": digest(tables)})
    manifest = bundle.manifest.model_copy(update={"records": ref})
    return replace(bundle, records=records, manifest=manifest)


def test_each_invariant_that_rows_break_is_counted_with_the_first_of_them() -> None:
    same = [
        key
        for key, row in AIRLINE.db["reservations"].items()
        if row["origin"] == row["destination"]
    ][: SHOWN + 2]
    rows = {row["symbol"]: row for row in resting("airline", few(same))}
    row = rows["reservations leads-somewhere"]
    assert row["text"] == "A journey leads from one airport to another."
    assert (row["domain"], row["rows"], row["of"]) == ("airline", len(same), len(same))
    assert row["first"] == [f"reservations/{key}" for key in sorted(same)[:SHOWN]]
    assert rows["users.reservations[]"]["text"] == ""


def test_an_invariant_that_cannot_be_told_of_rows_is_counted_too() -> None:
    bundle = few([next(iter(AIRLINE.db["reservations"]))])
    (kept,) = bundle.records.tables["reservations"]
    bare = holding(bundle, [{"reservation_id": kept["reservation_id"]}])
    rows = {row["symbol"]: row for row in resting("airline", bare)}
    row = rows["leads-somewhere"]
    assert row["text"] == "A journey leads from one airport to another."
    assert (row["rows"], row["of"]) == (1, 1)
    assert row["first"] == [f"reservations/{kept['reservation_id']}"]
