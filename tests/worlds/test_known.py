"""What follows from what is known, and what does not."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from worlds.known import Known, is_worded

NOW = datetime.fromisoformat("2026-03-18T09:00:00+00:00")


def strange(value: Any, heard: str = "", read: Any = None) -> list[Any]:
    known = Known(NOW)
    known.hear(heard)
    known.learn(read)
    return list(known.strange(value))


@pytest.mark.parametrize(
    ("value", "heard"),
    [
        ("#W123", "My order is W123."),
        ("ADA@example.com", "I am Ada (ada@example.com)."),
        ("basic_economy", "Make it basic economy."),
        ("12 Elm Street", "I live in Elm  Street, number 12."),
        ("NY", "I live in New York."),
        (2, "two of them"),
        (1234.5, "It was $1,234.50."),
        ("60", "for sixty minutes"),
        ("15:00", "at 3 pm"),
        ("2026-04-01", "on April 1"),
        ("3 * (20 + 5)", "3 of 20 and 5"),
        (["W1", {"of": "W2"}], "W1 and W2"),
    ],
)
def test_what_the_user_says_is_known_in_another_spelling_too(value: Any, heard: str) -> None:
    assert strange(value, heard) == []


@pytest.mark.parametrize("value", [None, True, "", 0, 1, {}, [], "as the customer wanted it"])
def test_what_needs_no_knowledge_is_never_strange(value: Any) -> None:
    assert strange(value) == []


@pytest.mark.parametrize(
    ("value", "heard"),
    [
        ("W12", "My order is W123."),
        ("W1234", "My order is W123."),
        ("ada@example.com", "I am Ada."),
        ("100", "I said 10 and 10."),
        (77.5, "It was 12."),
        ("2026-04-01", "soon"),
        (["W1", "W2"], "W1"),
    ],
)
def test_what_is_only_like_something_known_is_strange(value: Any, heard: str) -> None:
    assert strange(value, heard) != []


ITEMS = [
    {"name": "lamp", "price": 40.25},
    {"name": "bulb", "price": 4.5},
    {"name": "desk", "price": 120},
]


@pytest.mark.parametrize(
    "number",
    [44.75, 164.75, 115.5, 80.5, 13.5, 3, 36.23],
    ids=["sum", "sum of three", "difference", "twice", "thrice", "count", "less ten percent"],
)
def test_what_is_computed_from_what_was_read_is_known(number: float) -> None:
    assert strange(number, "I have a voucher of 10%.", {"items": ITEMS}) == []


def test_no_arithmetic_leads_to_a_name_of_digits() -> None:
    read = {"ids": ["1000000001", "2000000002"]}
    assert strange("3000000003", "", read) == ["3000000003"]
    assert strange("1000000001", "", read) == []


def test_where_sums_reach_nearly_any_number_none_is_strange() -> None:
    few, many = "1000 and 2000", " ".join(f"{n}01" for n in range(10, 30))
    assert strange(7777.5, few) == [7777.5]
    assert strange(7777.5, many) == []


def test_more_than_can_be_looked_through_makes_nothing_strange() -> None:
    assert strange("W1", "", [f"{n} {'x' * 9_000}" for n in range(300)]) == []


@pytest.mark.parametrize("name", ["reason", "cancel_reason", "message", "notes", "summary"])
def test_some_arguments_are_worded_by_who_calls(name: str) -> None:
    assert is_worded(name)


@pytest.mark.parametrize("name", ["order_id", "title", "seasons", "context"])
def test_others_are_looked_up(name: str) -> None:
    assert not is_worded(name)


def test_digits_beyond_every_number_are_looked_at_without_an_error() -> None:
    assert strange(5.5, f"Take {'9' * 400}") == [5.5]
    assert strange("9" * 400 + ".5") == ["9" * 400 + ".5"]
