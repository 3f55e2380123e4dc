"""benchmarks.resting"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.resting import SHOWN, resting
from tests.library.tau2 import AIRLINE
from worlds.bundle import Bundle


def few(keys: list[str]) -> Bundle:
    """A published task with a few of the reservations, and the users and flights that they name."""
    bundle = AIRLINE.folder.bundle(AIRLINE.folder.environments["task-18"])
    tables = bundle.records.tables
    kept = [row for row in tables["reservations"] if row["reservation_id"] in keys]
    records = bundle.records.model_copy(update={"tables": {**tables, "reservations": kept}})
    return replace(bundle, records=records)


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
