"""Diffs: fields that are absent, volatile parts, and fresh keys."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.values import row_fields
from worlds.diff import masked, patched, row_change, same, without_volatile
from worlds.domain import Domain


@given(st.none() | row_fields, st.none() | row_fields)
def test_a_change_leads_from_one_row_to_the_other(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> None:
    change = row_change("t", "k", before, after)
    if change is None:
        assert same(before, after)
    else:
        assert patched(before, change) == after


def test_absent_is_not_null() -> None:
    change = row_change("t", "k", {"a": None}, {})
    assert change is not None
    assert change["fields"] == {"a": {"before": None}}


def test_true_differs_from_one_but_an_integral_float_does_not() -> None:
    assert row_change("t", "k", {"a": 1}, {"a": True}) is not None
    assert row_change("t", "k", {"a": 1}, {"a": 1.0}) is None


@given(st.permutations(["x", "y", "z"]), st.permutations(["p", "q", "r"]))
def test_masking_forgets_how_fresh_keys_are_called(one: list[str], other: list[str]) -> None:
    assert masked(_linked(one)) == masked(_linked(other))


def _linked(keys: list[str]) -> list[dict[str, Any]]:
    rows = [
        {"id": keys[0], "size": 1},
        {"id": keys[1], "size": 2},
        {"id": keys[2], "size": 3, "of": keys[0]},
    ]
    inserts = [{"table": "t", "key": row["id"], "op": "insert", "row": row} for row in rows]
    update = {
        "table": "u",
        "key": "known",
        "op": "update",
        "fields": {"last": {"before": None, "after": keys[1]}},
    }
    return sorted([*inserts, update], key=lambda change: (str(change["table"]), str(change["key"])))


def test_masking_keeps_which_row_a_fresh_key_names() -> None:
    right, wrong = _linked(["x", "y", "z"]), _linked(["x", "y", "z"])
    wrong[-1]["fields"]["last"]["after"] = "x"
    assert masked(right) != masked(wrong)


def test_volatile_tables_fields_and_emptied_updates_are_left_out() -> None:
    diff = [
        {"table": "log", "key": "1", "op": "insert", "row": {"id": "1"}},
        {"table": "t", "key": "1", "op": "update", "fields": {"at": {"before": 1, "after": 2}}},
        {"table": "t", "key": "2", "op": "insert", "row": {"id": "2", "at": 3}},
    ]
    assert without_volatile(diff, ["log/*", "*/*#at"]) == [
        {"table": "t", "key": "2", "op": "insert", "row": {"id": "2"}}
    ]


SHARED = Domain.parse(
    {
        "tables": {
            "a": {"key": "id"},
            "b": {"key": "id", "references": [{"from": "of", "to": "a"}]},
            "old": {"key": "id"},
        }
    }
)


def _two_tables(in_a: str, in_b: str) -> list[dict[str, Any]]:
    return [
        {"table": "a", "key": in_a, "op": "insert", "row": {"id": in_a, "insert": "a"}},
        {"table": "b", "key": in_b, "op": "insert", "row": {"id": in_b, "of": in_a}},
        {
            "table": "old",
            "key": "1",
            "op": "update",
            "fields": {"note": {"before": "x", "after": "y"}},
        },
    ]


@given(st.sampled_from(["1", "2", "insert", "a", "note"]), st.sampled_from(["1", "3", "b", "op"]))
def test_keys_that_two_tables_share_are_told_apart(in_a: str, in_b: str) -> None:
    assert masked(_two_tables(in_a, in_b), SHARED) == [
        {
            "table": "a",
            "key": "+a:1",
            "op": "insert",
            "row": {"id": "+a:1", "insert": "+a:1" if in_a == "a" else "a"},
        },
        {"table": "b", "key": "+b:2", "op": "insert", "row": {"id": "+b:2", "of": "+a:1"}},
        {
            "table": "old",
            "key": "1",
            "op": "update",
            "fields": {"note": {"before": "x", "after": "y"}},
        },
    ]
