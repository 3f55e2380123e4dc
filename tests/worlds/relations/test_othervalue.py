"""worlds.relations.othervalue"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.contract import row_validator
from worlds.relations.othervalue import other_values


@pytest.mark.parametrize(
    ("schema", "value", "first"),
    [
        ({"enum": ["a", "b"]}, "a", "b"),
        ({"type": "boolean"}, True, False),
        ({"type": "integer", "maximum": 3}, 3, 2),
        ({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"}, "2025-03", "2025-04"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}, ["a"], ["b"]),
        ({"properties": {"n": {"type": "integer"}}}, {"n": 1}, {"n": 2}),
        ({"type": ["string", "null"]}, None, "something else"),
        ({"oneOf": [{"const": "x"}, {"enum": ["y", "z"]}]}, "y", "z"),
    ],
)
def test_the_likeliest_other_value_fits_the_schema(schema: Any, value: Any, first: Any) -> None:
    assert next(other_values(schema, value)) == first


@pytest.mark.parametrize("schema", [{"const": 1}, {"enum": ["a"]}, {"type": "no such type"}])
def test_where_there_is_no_other_value_none_is_made_up(schema: Any) -> None:
    assert list(other_values(schema, schema.get("const", "a"))) == []


SCHEMAS: list[dict[str, Any]] = [
    {},
    {"type": "string", "maxLength": 5},
    {"type": "number", "minimum": 0},
    {"type": "array", "uniqueItems": True},
    {"type": "object"},
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(st.sampled_from(SCHEMAS), VALUES)
def test_every_one_fits_and_is_another(schema: dict[str, Any], value: Any) -> None:
    for other in other_values(schema, value):
        assert row_validator(schema).is_valid(other)
        assert other != value or type(other) is not type(value)
