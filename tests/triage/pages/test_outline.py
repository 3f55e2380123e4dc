from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from triage.pages.outline import outline

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
KEYS = st.text("abc", min_size=1, max_size=3)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def places(value: Any, place: str = "") -> list[str]:
    """Every place in `value`, as findings name them."""
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inside = [(f"{place}.{key}" if place else key, item) for key, item in value.items()]
    elif isinstance(value, list):
        inside = [(f"{place}[{number}]", item) for number, item in enumerate(value)]
    return [found for below, item in inside for found in [below, *places(item, below)]]


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_has_every_place_once_in_the_order_of_the_body(content: dict[str, Any]) -> None:
    shown = [place for line in outline(content) for place in line.places]
    assert shown == places(content)


def test_an_item_of_a_list_begins_with_its_first_field() -> None:
    lines = outline({"plan": [{"call": "a", "args": {"x": 1}}, "b"]})
    assert [(line.depth, line.key, line.text, line.is_item) for line in lines] == [
        (0, "plan", "", False),
        (1, "call", "a", True),
        (1, "args", "", False),
        (2, "x", "1", False),
        (1, "", "b", True),
    ]


def test_what_is_empty_is_shown_as_such() -> None:
    assert [line.text for line in outline({"a": [], "b": {}, "c": None, "d": ""})] == [
        "[]",
        "{}",
        "null",
        "",
    ]


def test_long_text_gets_lines_of_its_own() -> None:
    short, long = outline({"a": "x", "b": "x" * 200})
    assert (short.is_prose, long.is_prose) == (False, True)


def test_a_condition_is_told_from_prose_at_any_length() -> None:
    for text in ("true", "row.total > 1.0 && " * 20):
        body = {
            "define": {"cancels": text},
            "clauses": [{"quote": text, "when": text, "require": text}],
            "goal": {"require": [text], "answer": {"fee": {"type": "number", "equals": text}}},
            "slots": {"order": {"where": text}},
        }
        found = [line.places[-1] for line in outline(body) if line.is_condition]
        assert found == [
            "define.cancels",
            "clauses[0].when",
            "clauses[0].require",
            "goal.require[0]",
            "goal.answer.fee.equals",
            "slots.order.where",
        ]


def test_what_a_row_calls_like_a_condition_is_none() -> None:
    assert not any(line.is_condition for line in outline({"when": "today", "require": ["x"]}))


def test_an_item_with_an_id_is_found_by_it_too() -> None:
    content = {"clauses": [{"id": "pending-only", "require": "true"}, {"id": 7}]}
    first, second = (line.places for line in outline(content) if line.is_item)
    assert first == ("clauses[0]", "clauses.pending-only", "clauses[0].id")
    assert second == ("clauses[1]", "clauses[1].id")
