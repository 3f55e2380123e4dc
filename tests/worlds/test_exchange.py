"""What leaves the sandbox: plain JSON of bounded size, or a refusal that says why."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from tests.worlds.values import json_values
from worlds.exchange import DEEPEST, NotJson, TooLarge, plain

ROOM = 10**6


@given(json_values)
def test_json_comes_out_as_it_is_and_shares_nothing(value: Any) -> None:
    copied = plain(value, ROOM)
    assert copied == value
    if isinstance(value, (dict, list)) and value:
        assert copied is not value


@given(json_values)
def test_what_came_out_once_comes_out_the_same_again(value: Any) -> None:
    assert plain(plain((value, value), ROOM), ROOM) == plain((value, value), ROOM)


def test_tuples_dates_and_decimals_have_a_form_in_json() -> None:
    made = {
        "t": (1, 2),
        "d": date(2025, 1, 2),
        "m": datetime(2025, 1, 2, tzinfo=UTC),
        "p": Decimal("1.2"),
    }
    assert plain(made, ROOM) == {
        "t": [1, 2],
        "d": "2025-01-02",
        "m": "2025-01-02T00:00:00+00:00",
        "p": 1.2,
    }


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, Decimal("NaN"), {1, 2}, {1: 2}, b"x", 2**70, "a\0b", {"\0": 1}]
)
def test_what_json_or_the_database_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(NotJson):
        plain([value], ROOM)


def test_sharing_does_not_get_past_the_size() -> None:
    value: list[Any] = ["x" * 100]
    for _ in range(40):
        value = [value, value]
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        plain(value, 1000)


def test_depth_is_bounded() -> None:
    value: list[Any] = []
    for _ in range(DEEPEST + 1):
        value = [value]
    with pytest.raises(TooLarge, match="deeper than"):
        plain(value, ROOM)
