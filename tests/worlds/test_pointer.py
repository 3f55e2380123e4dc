"""JSON Pointers lead where RFC 6901 says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from worlds.pointer import Pointer, PointsNowhere, at, nested

# The document and the pointers of RFC 6901, section 5.
DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/m~0n", 8),
        ("/ ", 7),
    ],
)
def test_a_pointer_leads_to_its_value(pointer: str, value: Any) -> None:
    assert at(DOCUMENT, pointer) == value


@pytest.mark.parametrize("pointer", ["/nothing", "/foo/2", "/foo/-", "/foo/bar", "/a~1b/c"])
def test_a_pointer_that_leads_nowhere_says_so(pointer: str) -> None:
    with pytest.raises(PointsNowhere, match=f"nothing at {pointer}"):
        at(DOCUMENT, pointer)


@given(st.lists(st.text(max_size=4)), st.integers())
def test_what_is_nested_at_a_pointer_is_found_there(steps: list[str], value: int) -> None:
    pointer = "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)
    assert at(nested(pointer, value), pointer) == value


def test_text_that_is_no_pointer_is_refused() -> None:
    with pytest.raises(ValidationError, match="begins with a slash: /value"):
        TypeAdapter(Pointer).validate_python("value")
