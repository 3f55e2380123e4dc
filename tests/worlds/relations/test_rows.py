"""worlds.relations.rows"""

from __future__ import annotations

import pytest

from tests.worlds.relations.cases import DONE, FIND, call, case
from tests.worlds.relations.subjects import subject_of
from worlds.relations.rows import edited, final, is_volatile, siblings
from worlds.relations.subject import Subject

PLAN = [FIND, call("set_status", order_id="{order.order_id}", status="cancelled"), DONE]


@pytest.fixture(scope="module")
def subject() -> Subject:
    goal = {"require": ["get('orders', order.order_id).status == 'cancelled'"]}
    volatile = {"volatile": ["log/*", "*/*#reason", "orders/*#by"]}
    return subject_of(case(goal, PLAN, domain=volatile))


def test_the_row_most_alike_comes_first_and_changed_ones_not_at_all(subject: Subject) -> None:
    assert siblings(subject, "orders", "W3") == ["W2"]  # W1 was changed
    assert siblings(subject, "orders", "W2") == ["W3"]
    assert siblings(subject, "orders", "W1") == ["W2", "W3"]  # as pending as W1 was
    assert siblings(subject, "orders", "W1", but=["W2"]) == ["W3"]


def test_an_edit_goes_out_from_the_row_as_it_was_left(subject: Subject) -> None:
    assert (final(subject, "orders", "W1") or {})["status"] == "cancelled"
    (change,) = edited(subject, "orders", "W1", but=["total", "user_id"]) or []
    assert change["fields"] == {"status": {"before": "cancelled", "after": "pending"}}


def test_there_is_no_edit_of_keys_and_volatile_fields(subject: Subject) -> None:
    assert edited(subject, "orders", "W1", but=["total", "user_id", "status"]) is None
    assert edited(subject, "orders", "W9") is None


@pytest.mark.parametrize(
    ("table", "field", "volatile"),
    [
        ("log", "order_id", True),
        ("users", "reason", True),
        ("orders", "by", True),
        ("users", "by", False),
        ("orders", "status", False),
    ],
)
def test_what_the_domain_calls_volatile_is_told_apart(
    subject: Subject, table: str, field: str, volatile: bool
) -> None:
    assert is_volatile(subject, table, field) is volatile
