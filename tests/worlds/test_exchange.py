"""What crosses the sandbox's border: JSON text of bounded size and depth, or a refusal that says why."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given

from tests.worlds.values import json_values
from worlds.exchange import DEEPEST, NotJson, TooLarge, check, read

ROOM = 10**6


@given(json_values)
def test_json_comes_out_as_it_is(value: Any) -> None:
    check(value)
    assert read(json.dumps(value), ROOM) == value


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, 2**70, -(2**70), "a\0b", {"\0": 1}, "\ud800", {"a": ["é\udfff"]}]
)
def test_what_json_or_the_database_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(NotJson):
        check([value])
    with pytest.raises(NotJson):
        read(json.dumps([value]), ROOM)


@pytest.mark.parametrize("value", [{1, 2}, {1: 2}, b"x", (1, 2), object()])
def test_what_is_no_json_value_is_refused(value: Any) -> None:
    with pytest.raises(NotJson):
        check([value])


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(NotJson, match="not JSON"):
        read("{'a': 1}", ROOM)


def test_the_size_is_bounded() -> None:
    assert read(json.dumps("x" * 998), 1000) == "x" * 998
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        read(json.dumps("x" * 999), 1000)


@pytest.mark.parametrize("depth", [DEEPEST + 2, 100_000])
def test_depth_is_bounded(depth: int) -> None:
    with pytest.raises(TooLarge, match="deeper than"):
        read("[" * depth + "]" * depth, ROOM)
