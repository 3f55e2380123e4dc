"""Typed answers and mentioned facts: the same value said in another way is the same value."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from worlds.answers import finish_schema, mentioned, same_answer
from worlds.intent import AnswerType, Goal


@pytest.mark.parametrize(
    ("kind", "given", "wanted"),
    [
        ("number", 12, 12.0),
        ("number", 12.001, 12.0),
        ("integer", 3, 3.0),
        ("boolean", True, True),
        ("string", " Alex  KIM ", "alex kim"),
        ("date", "2025-03-01", "2025-03-01T10:00:00+01:00"),
        ("datetime", "2025-03-01T10:00:00+01:00", "2025-03-01T09:00:00Z"),
        ("list", ["b", "A"], ["a", "b"]),
        ("list", [2, 1], [1, 2.0]),
        ("list", ["2025-03-01T09:00:00+00:00"], [datetime(2025, 3, 1, 9, tzinfo=UTC)]),
        ("date", "2025-03-01", datetime(2025, 3, 1, 9, tzinfo=UTC)),
        ("string", "12345", 12345.0),
    ],
)
def test_an_equal_answer_is_right(kind: AnswerType, given: Any, wanted: Any) -> None:
    assert same_answer(kind, given, wanted)


@pytest.mark.parametrize(
    ("kind", "given", "wanted"),
    [
        ("number", 12.01, 12.0),
        ("number", True, 1),
        ("number", "12", 12),
        ("integer", 3.5, 3),
        ("boolean", 1, True),
        ("boolean", False, True),
        ("string", None, "None"),
        ("string", "alex", "alex kim"),
        ("date", "tomorrow", "2025-03-01"),
        ("date", None, None),
        ("datetime", "2025-03-01T10:00:00+01:00", "2025-03-01T10:00:00Z"),
        ("datetime", "soon", "soon"),
        ("list", ["a"], ["a", "a"]),
        ("list", "ab", ["a", "b"]),
        ("list", ["1", "true"], [1, True]),
        ("list", ["a"], [b"a"]),
        ("list", [1], [float("inf")]),
        ("string", "none", None),
        ("string", "true", True),
        ("date", "2025-03-01 or so", "2025-03-01"),
        ("datetime", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_another_answer_is_wrong(kind: AnswerType, given: Any, wanted: Any) -> None:
    assert not same_answer(kind, given, wanted)


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (54.04, "You save $54.04 in total."),
        ("1,288.65", "that makes 1288.65"),
        ("1126.04", "1,126.04 USD"),
        ("10", "there are 10 options"),
        ("Maple Drive", "it goes to 943 maple  drive"),
        (-3, "the difference is -3"),
        (3, "rooms: 3, 4"),
        ("T-shirt", "two T-shirts"),
        ("2025-03-01", "on 2025-03-01."),
    ],
)
def test_a_fact_that_was_stated_is_found(fact: Any, said: str) -> None:
    assert mentioned(fact, ["Hello.", said])


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        ("10", "there are 100 options"),
        (10, "10.5 metres"),
        (5, "version 1.5"),
        ("cotton", "wool"),
        (3, "on 2025-03-01 at 10:03"),
        (12, "in the room A-12"),
        ("room 1", "in room 12"),
        ("Ann", "Joann"),
        ("", "anything"),
    ],
)
def test_a_fact_inside_another_is_not_stated(fact: Any, said: str) -> None:
    assert not mentioned(fact, [said])


def test_the_schema_of_finish_names_the_answers_and_their_units_and_nothing_else() -> None:
    goal = Goal.model_validate(
        {
            "outcome": "refused",
            "answer": {"total": {"type": "number", "unit": "USD", "equals": "41.5"}},
            "require": ["false"],
        }
    )
    schema = finish_schema(goal)
    assert schema["properties"]["answer"]["properties"] == {
        "total": {"type": "number", "description": "in USD"}
    }
    assert "41.5" not in str(schema)
    assert schema["properties"]["outcome"]["enum"] == [
        "done",
        "refused",
        "handed_off",
        "impossible",
    ]
