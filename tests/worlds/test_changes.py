"""What a goal allows to change."""

from __future__ import annotations

from typing import Any

import pytest

from worlds.changes import Allowance, ChangesInvalid, beyond

NAMES = {"order": {"order_id": "#W1"}}


def update(key: str, *fields: str) -> dict[str, Any]:
    sides = {name: {"before": 1, "after": 2} for name in fields}
    return {"table": "orders", "key": key, "op": "update", "fields": sides}


def insert(key: str) -> dict[str, Any]:
    return {"table": "refunds", "key": key, "op": "insert", "row": {"id": key}}


def over(diff: list[dict[str, Any]], *entries: str) -> list[str]:
    return beyond(diff, [Allowance.of(entry) for entry in entries], NAMES)


def test_the_named_fields_of_the_named_row_may_change() -> None:
    entry = "orders/{order.order_id}#status,reason"
    assert over([update("#W1", "status", "reason")], entry) == []
    assert over([update("#W1", "status", "total")], entry) == ["orders/#W1#total"]
    assert over([update("#W2", "status")], entry) == ["orders/#W2#status"]


def test_two_entries_for_one_row_add_up() -> None:
    diff = [update("#W1", "status", "reason")]
    assert over(diff, "orders/#W1#status", "orders/#W1#reason") == []


def test_a_key_that_begins_with_a_hash_is_a_key() -> None:
    assert Allowance.of("orders/#W1").key == "#W1"
    assert Allowance.of("orders/#W1#status").fields == ("status",)


def test_a_whole_row_may_change_in_any_field_or_go() -> None:
    deleted = {"table": "orders", "key": "#W1", "op": "delete", "row": {}}
    assert over([update("#W1", "total")], "orders/#W1") == []
    assert over([deleted], "orders/#W1") == []
    assert over([deleted], "orders/#W1#status") == ["orders/#W1 (deleted)"]


def test_new_rows_are_counted() -> None:
    assert over([insert("r1")], "refunds/+1") == []
    assert over([insert("r1"), insert("r2")], "refunds/+1") == ["refunds/r2 (new)"]
    assert over([insert("r1"), insert("r2")], "refunds/+1", "refunds/+1") == []
    assert over([insert("r1")], "refunds/*") == ["refunds/r1 (new)"]


def test_a_star_is_any_row_that_was_there() -> None:
    assert over([update("#W9", "status")], "orders/*#status") == []


def test_nothing_allowed_means_nothing() -> None:
    assert over([update("#W1", "status")]) == ["orders/#W1#status"]


@pytest.mark.parametrize("entry", ["orders", "orders/", "/x", "refunds/+", "refunds/+one"])
def test_an_entry_of_another_form_is_refused(entry: str) -> None:
    with pytest.raises(ChangesInvalid, match=r"refunds|orders|/x"):
        Allowance.of(entry)
