"""worlds.cel_values"""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.cel_values import LIST_LIMIT, Normaliser, Shape, TooLarge, weight

names = st.sampled_from(["a", "b", "c"])
json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=15,
)
schemas: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.sampled_from(
        [{}, {"type": "number"}, {"type": "integer"}, {"type": ["number", "null"]}, {"$ref": "#"}]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=3),
            "items": inner,
            "additionalProperties": st.booleans() | inner,
            "anyOf": st.lists(inner, max_size=2),
        },
    ),
    max_leaves=8,
)


@given(json, schemas)
def test_normalising_is_idempotent_and_changes_no_value(value: Any, schema: dict[str, Any]) -> None:
    once, _ = Normaliser(schema)(value)
    assert once == value
    again, _ = Normaliser(schema)(once)
    assert repr(again) == repr(once)


@pytest.mark.parametrize(
    ("schema", "value", "normal"),
    [
        ({"type": "number"}, 25, 25.0),
        ({"type": ["number", "null"]}, 25, 25.0),
        ({"type": "integer"}, 25.0, 25),
        ({"type": "integer"}, 25.5, 25.5),
        ({"type": "number"}, True, True),
        (None, [25, 25.0], [25, 25.0]),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, 3, 3.0),
        (
            {"allOf": [{"properties": {"a": {"type": "number"}}}]},
            {"a": 1, "b": 1},
            {"a": 1.0, "b": 1},
        ),
        ({"additionalProperties": {"items": {"type": "number"}}}, {"x": [1]}, {"x": [1.0]}),
        ({"properties": {"a": {"$ref": "#/x"}}}, {"a": 1}, {"a": 1}),
    ],
)
def test_numbers_become_what_the_schema_says(schema: Shape, value: Any, normal: Any) -> None:
    assert repr(Normaliser(schema)(value)[0]) == repr(normal)


def test_a_row_is_remembered_while_it_is_that_row() -> None:
    normalise = Normaliser({"properties": {"a": {"type": "number"}}})
    row = {"a": 1}
    assert normalise(row)[0] is normalise(row)[0]
    assert normalise({"a": 1})[0] is not normalise(row)[0]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Normaliser, "REMEMBERED", 10)
    normalise = Normaliser({"properties": {"a": {"type": "number"}}})
    rows = [{"a": number} for number in range(100)]
    assert [normalise(row)[0] for row in rows] == [{"a": float(number)} for number in range(100)]
    assert len(normalise._known) <= 10


def test_lists_and_values_are_bounded() -> None:
    assert len(Normaliser(None)([0] * LIST_LIMIT)[0]) == LIST_LIMIT
    with pytest.raises(TooLarge, match="1001 elements"):
        Normaliser(None)([0] * (LIST_LIMIT + 1))
    with pytest.raises(TooLarge, match="more than 20000 values"):
        Normaliser(None)([[0] * 500] * 100)
    with pytest.raises(TooLarge, match="more than 20000 values"):
        Normaliser(None)(["x" * 100_000] * 20)


@given(json)
def test_weight_counts_as_normalising_counts(value: Any) -> None:
    assert weight(value) == Normaliser(None)(value)[1]


def test_a_very_deep_value_is_no_crash() -> None:
    deep: Any = 0
    for _ in range(sys.getrecursionlimit() * 2):
        deep = [deep]
    with pytest.raises((TooLarge, RecursionError)):
        Normaliser(None)(deep)
