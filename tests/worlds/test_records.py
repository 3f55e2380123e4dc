"""Records: what an overlay promises whatever is written to it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from tests.worlds.values import KEYS, SMALL, TABLES, recordsets, writes
from worlds.canonical import canonical
from worlds.domain import Domain
from worlds.records import (
    INDEXES_KEPT,
    Base,
    Records,
    RecordsInvalid,
    UnknownTable,
    matches,
    values_at,
)
from worlds.recordset import Recordset

Writes = list[tuple[str, str, dict[str, Any] | None]]


def carry_out(records: Records, todo: Writes) -> None:
    for table, key, fields in todo:
        if fields is None:
            records.delete(table, key)
        else:
            records.put(table, key, {**fields, "id": key})


def rows(records: Records) -> str:
    return canonical({table: records.find(table, {}) for table in TABLES})


@given(recordsets(), writes, writes)
def test_restore_brings_a_snapshot_back_in_both_directions(
    recordset: Recordset, first: Writes, second: Writes
) -> None:
    records = Records(Base(SMALL, recordset))
    carry_out(records, first)
    early, early_rows = records.snapshot(), rows(records)
    carry_out(records, second)
    late, late_rows = records.snapshot(), rows(records)
    records.restore(early)
    assert rows(records) == early_rows
    records.restore(late)
    assert rows(records) == late_rows


@given(recordsets(), writes)
def test_the_diff_applied_to_the_base_gives_the_state(recordset: Recordset, todo: Writes) -> None:
    base = Base(SMALL, recordset)
    records, other = Records(base), Records(base)
    carry_out(records, todo)
    other.apply(records.diff())
    assert rows(other) == rows(records)
    assert other.digest() == records.digest()
    assert other.diff() == records.diff()


@given(recordsets(), writes, writes)
def test_a_diff_since_a_snapshot_leads_from_it_to_the_state(
    recordset: Recordset, first: Writes, second: Writes
) -> None:
    base = Base(SMALL, recordset)
    records, other = Records(base), Records(base)
    carry_out(records, first)
    early = records.snapshot()
    carry_out(records, second)
    other.restore(early)
    other.apply(records.diff_since(early))
    assert rows(other) == rows(records)


@given(recordsets(), writes)
def test_writing_never_reaches_the_base(recordset: Recordset, todo: Writes) -> None:
    base = Base(SMALL, recordset)
    before = rows(Records(base))
    carry_out(Records(base), todo)
    assert rows(Records(base)) == before


@given(recordsets(), writes)
def test_undoing_every_change_leaves_no_trace(recordset: Recordset, todo: Writes) -> None:
    base = Base(SMALL, recordset)
    records = Records(base)
    carry_out(records, todo)
    for table, key, _ in todo:
        start = records.start(table, key)
        carry_out(records, [(table, key, start)])
    assert records.diff() == []
    assert records.snapshot() == {}
    assert records.digest() == Records(base).digest()


@given(recordsets(), writes)
def test_find_by_index_equals_looking_at_every_row(recordset: Recordset, todo: Writes) -> None:
    records = Records(Base(SMALL, recordset))
    carry_out(records, todo)
    for table in TABLES:
        every = records.find(table, {})
        assert [row["id"] for row in every] == records.keys(table)
        for row in every:
            for name in ("n", "text", "id"):
                if name in row:
                    match: dict[str, Any] = {name: row[name]}
                    assert records.find(table, match) == [r for r in every if matches(r, match)]


@given(recordsets(), writes)
def test_the_digest_forgets_what_is_volatile(recordset: Recordset, todo: Writes) -> None:
    records = Records(Base(SMALL, recordset))
    carry_out(records, todo)
    before = records.digest()
    for key in records.keys("right"):
        row = records.get("right", key)
        assert row is not None
        records.put("right", key, {**row, "seen": "now", "stamp": 7})
    if all("seen" in r and "stamp" in r for r in records.find("right", {}, at_start=True)):
        assert records.digest() == before or any(t == "right" for t, _, _ in todo)


def test_row_order_of_the_file_does_not_matter() -> None:
    rows_ = [{"id": key, "n": 1} for key in KEYS]
    one = Recordset.parse({"tables": {"left": rows_}})
    other = Recordset.parse({"tables": {"left": rows_[::-1]}})
    assert one.digest == other.digest
    assert Base(SMALL, one).digest == Base(SMALL, other).digest


def test_equal_records_give_the_same_bytes_however_they_were_spelled() -> None:
    one = Recordset.parse({"tables": {"left": [{"id": "a", "n": 20.0, "part": {"y": 1, "x": 2}}]}})
    other = Recordset.parse({"tables": {"left": [{"part": {"x": 2, "y": 1}, "n": 20, "id": "a"}]}})
    assert one.digest == other.digest
    first, second = (json.dumps(Base(SMALL, each).tables) for each in (one, other))
    assert first == second


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ({"nowhere": []}, "'nowhere' is not in the domain"),
        (
            {"left": [{"n": 1}]},
            "row 0 of left has no text in its key field 'id' but None; keys are",
        ),
        (
            {"left": [{"id": 17}]},
            "in its key field 'id' but 17; keys are texts, also where a database",
        ),
        ({"left": [{"id": 5}]}, "row 0 of left has no text"),
        ({"left": [{"id": "a"}, {"id": "a"}]}, "two rows of left have the key 'a'"),
    ],
)
def test_rows_that_cannot_be_keyed_are_refused(tables: dict[str, Any], says: str) -> None:
    with pytest.raises(RecordsInvalid, match=says):
        Base(SMALL, Recordset.parse({"tables": tables}))


def test_a_table_that_does_not_exist_is_named() -> None:
    records = Records(Base(SMALL, Recordset.parse({"tables": {}})))
    with pytest.raises(UnknownTable, match="nowhere"):
        records.get("nowhere", "a")


def test_a_row_must_say_its_own_key() -> None:
    records = Records(Base(SMALL, Recordset.parse({"tables": {}})))
    with pytest.raises(ValueError, match="key field 'id'"):
        records.put("left", "a", {"id": "b"})


def test_paths_step_into_objects_and_through_lists_and_maps() -> None:
    row = {"a": {"b": 1}, "items": [{"p": 1}, {"p": 2}], "methods": {"x": {"id": "x"}}}
    assert list(values_at(row, "a.b")) == [1]
    assert list(values_at(row, "items[].p")) == [1, 2]
    assert list(values_at(row, "methods[].id")) == ["x"]
    assert list(values_at(row, "a.nothing")) == []
    assert list(values_at(row, "a[].b.c")) == []


def test_what_was_read_written_or_found_counts_as_touched() -> None:
    base = Base(SMALL, Recordset.parse({"tables": {"left": [{"id": k, "n": 1} for k in KEYS]}}))
    records = Records(base)
    records.get("left", "a")
    records.get("left", "missing")
    records.find("left", {"id": "b"})
    records.put("right", "c", {"id": "c"})
    assert records.touched == {("left", "a"), ("left", "b"), ("right", "c")}


def test_paths_that_somebody_makes_up_are_not_all_remembered() -> None:
    domain = Domain.parse({"tables": {"rows": {"key": "id"}}})
    base = Base(domain, Recordset.parse({"tables": {"rows": [{"id": "a", "n": 1}]}}))
    for number in range(INDEXES_KEPT + 10):
        assert Records(base).find("rows", {f"p{number}": 1}) == []
    assert len(base._indexes) == INDEXES_KEPT
    assert Records(base).find("rows", {"n": 1}) == [{"id": "a", "n": 1}]


@pytest.mark.parametrize(
    "clock",
    [
        {"now": "9998-12-01T00:00:00+00:00", "per_call": "P1D"},
        {"now": "2025-01-01T00:00:00+00:00", "per_call": "P9000000D"},
        {"now": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_a_clock_that_would_run_out_of_years_is_refused(clock: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="the clock must stay within the years 2 to 9998"):
        Recordset.parse({"clock": clock, "tables": {}})
