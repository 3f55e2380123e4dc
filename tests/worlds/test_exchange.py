"""What comes out of the sandbox becomes plain JSON, within a size, or is refused."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_monty import MontyClassProxy

from tests.worlds.values import json_values
from worlds.exchange import DEEPEST, NotJson, TooLarge, plain

LARGE = 10**6


def containers(value: Any) -> list[int]:
    """The identities of every list and dict in a value."""
    if isinstance(value, dict):
        return [id(value), *(one for item in value.values() for one in containers(item))]
    if isinstance(value, list):
        return [id(value), *(one for item in value for one in containers(item))]
    return []


@given(json_values)
def test_json_comes_back_equal_survives_json_and_shares_no_part(value: Any) -> None:
    copy = plain(value, LARGE)
    assert copy == value
    assert json.loads(json.dumps(copy, allow_nan=False)) == value
    assert not set(containers(copy)) & set(containers(value))
    assert plain(copy, LARGE) == copy


@given(
    st.recursive(
        st.text() | st.integers() | st.floats() | st.decimals() | st.binary() | st.datetimes(),
        lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_any_value_is_json_afterwards_or_refused(value: Any) -> None:
    try:
        copy = plain(value, LARGE)
    except (NotJson, TooLarge):
        return
    assert json.loads(json.dumps(copy, allow_nan=False).encode()) == copy


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2, [3])), [1, [2, [3]]]),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (Decimal("1.20"), 1.2),
        (datetime.fromisoformat("2025-01-02T03:04:05"), "2025-01-02T03:04:05"),
        (datetime(2025, 1, 2, tzinfo=UTC), "2025-01-02T00:00:00+00:00"),
        (datetime(2025, 1, 2, tzinfo=timezone(timedelta(hours=-3))), "2025-01-02T00:00:00-03:00"),
        (date(2025, 1, 2), "2025-01-02"),
        (time(3, 4), "03:04:00"),
        (2**63 - 1, 2**63 - 1),
        (-0.0, 0.0),
        (True, True),
    ],
)
def test_what_json_has_a_form_for_takes_it(value: Any, expected: Any) -> None:
    copy = plain(value, LARGE)
    assert copy == expected
    assert type(copy) is type(expected)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "nan is not a number that JSON can carry"),
        (float("-inf"), "-inf is not a number that JSON can carry"),
        (Decimal("NaN"), "NaN is not a number"),
        (Decimal("sNaN"), "sNaN is not a number"),
        (Decimal("Infinity"), "Infinity is not a number"),
        (Decimal("1e999"), "1E+999 is not a number"),
        (2**63, "an integer beyond 64 bits"),
        (-(2**70), "an integer beyond 64 bits"),
        ("a\0b", "NUL"),
        ({"a\0": 1}, "NUL"),
        ("\ud800", "surrogate"),
        ({1: "x"}, "a dict's key must be text, not a value of type int: write str(key)"),
        ({None: "x"}, "a dict's key must be text"),
        ({1, 2}, "a value of type set is not JSON: use null, booleans"),
        (b"x", "a value of type bytes is not JSON"),
        (timedelta(1), "a value of type timedelta is not JSON"),
        (object(), "a value of type object is not JSON"),
        ([1, [2, {"a": {3}}]], "a value of type set is not JSON"),
    ],
)
def test_what_json_has_no_place_for_is_named(value: Any, words: str) -> None:
    with pytest.raises(NotJson) as raised:
        plain(value, LARGE)
    assert words in str(raised.value)


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_deepest_value_is_taken_and_one_level_more_is_not() -> None:
    assert plain(nested(DEEPEST), LARGE) == nested(DEEPEST)
    for levels in (DEEPEST + 1, 5000):
        with pytest.raises(TooLarge, match=f"deeper than {DEEPEST} levels"):
            plain(nested(levels), LARGE)


def test_a_value_that_holds_itself_is_too_deep() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(TooLarge):
        plain(value, LARGE)


@pytest.mark.parametrize(
    "value", ["x" * 1000, ["x" * 500, "x" * 500], {"x" * 1000: 1}, [0] * 300, [[]] * 300]
)
def test_a_value_larger_than_allowed_is_refused(value: Any) -> None:
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        plain(value, 1000)
    assert plain(value, 3000) == value


def test_a_few_shared_parts_that_stand_for_terabytes_are_counted_not_built() -> None:
    value: Any = "x" * 100
    for _ in range(50):
        value = [value, value]
    with pytest.raises(TooLarge, match="larger than"):
        plain(value, LARGE)


@given(json_values, st.integers(0, 200))
def test_the_size_bounds_what_comes_out(value: Any, size: int) -> None:
    try:
        copy = plain(value, size)
    except TooLarge:
        assert len(json.dumps(value)) > size / 8
        return
    assert len(json.dumps(copy, ensure_ascii=False)) <= 8 * size + 32


def test_instances_of_tool_code_are_known_by_a_proxy() -> None:
    # What such proxies become is shown by tests/worlds/test_sandbox.py: only the sandbox makes them.
    assert {"name", "is_dataclass", "attributes"} <= set(dir(MontyClassProxy))
