"""worlds.template"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.template import TemplateInvalid, TemplateUnfilled, placeholders, render

NAMES: dict[str, Any] = {
    "user": {"name": "Ann", "age": 41, "tags": ["a", "b"], "none": None},
    "order": {"items": [{"price": 25.0, "ok": True}]},
}

texts = st.text(max_size=30)
json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("{", "{{").replace("}", "}}")
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return value


@given(json)
def test_doubled_braces_come_back_as_braces_and_nothing_else_changes(value: Any) -> None:
    assert render(_escaped(value), {}) == value
    assert placeholders(_escaped(value)) == []


@given(json)
def test_a_text_that_is_one_placeholder_keeps_value_and_type(value: Any) -> None:
    rendered = render(["{it}", {"key": "{in.it}"}], {"it": value, "in": {"it": value}})
    assert rendered == [value, {"key": value}]
    assert type(rendered[0]) is type(value)


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("I am {user.name}, {user.age}.", "I am Ann, 41."),
        ("{order.items[0].price}", 25.0),
        ("for {order.items[0].price} dollars", "for 25 dollars"),
        ("{user.tags[1]}{user.tags[0]}", "ba"),
        ("ok: {order.items[0].ok}, none: {user.none}", "ok: true, none: null"),
        ("{user.tags} it is", '["a","b"] it is'),
        ("{{{user.name}}}", "{Ann}"),
        ("{{user.name}}", "{user.name}"),
        ({"{user.name}": ["{user.age}", 3]}, {"Ann": [41, 3]}),
    ],
)
def test_placeholders_are_filled(template: Any, filled: Any) -> None:
    assert render(template, NAMES) == filled


@pytest.mark.parametrize(
    "text", ["{", "a } b", "{}", "{user name}", "{a..b}", "{a[x]}", "{{a}", "{a.}", "{-}"]
)
def test_what_is_no_template_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(TemplateInvalid, match=r"column \d+"):
        render(text, NAMES)
    with pytest.raises(TemplateInvalid):
        placeholders([text])


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("{nobody}", "'nobody'.*order, user"),
        ("{user.nme}", "'nme'.*age, name"),
        ("{user.tags[2]}", "'2' in a list of 2"),
        ("{user.none.x}", "'x' in null"),
        ("so {user.age.x}", "'x' in int"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_is_there(text: str, missing: str) -> None:
    with pytest.raises(TemplateUnfilled, match=missing):
        render(text, NAMES)


def test_placeholders_are_listed_once_in_order() -> None:
    value = {"a": "{x.y} and {z}", "b": ["{x.y}", 3, None, "{w[0]}"], "{key}": ""}
    assert placeholders(value) == ["x.y", "z", "w[0]", "key"]
