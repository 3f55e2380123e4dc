"""worlds.relations.likeness"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds.domain import Domain
from worlds.relations.likeness import alike, declared, together

TEXT = {"type": "string"}
SCHEMA: dict[str, Any] = {
    "properties": {
        "tags": {"type": "array", "items": {**TEXT, "x-caseless": True}, "x-unordered": True},
        "old": {"type": "array", "x-pairs": "new"},
        "new": {"type": "array"},
        "note": {**TEXT, "x-text": True},
        "steps": {"type": "array"},
        "by_day": {"additionalProperties": {"properties": {"city": {**TEXT, "x-caseless": True}}}},
    }
}
DOMAIN = Domain.parse({"tables": {"t": {"key": "id", "schema": SCHEMA}}})


def update(**fields: Any) -> list[dict[str, Any]]:
    sides = {name: {"before": None, "after": value} for name, value in fields.items()}
    return [{"table": "t", "key": "k", "op": "update", "fields": sides}]


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return alike(update(**one), DOMAIN) == alike(update(**other), DOMAIN)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tags": ["a", "b"]}, {"tags": ["B", "A"]}),
        ({"old": [1, 2], "new": ["x", "y"]}, {"old": [2, 1], "new": ["y", "x"]}),
        ({"note": "so"}, {"note": "or so"}),
        ({"by_day": {"mon": {"city": "Rome"}}}, {"by_day": {"mon": {"city": "ROME"}}}),
    ],
)
def test_what_is_declared_to_be_no_difference_is_none(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tags": ["a", "a"]}, {"tags": ["a"]}),
        ({"old": [1, 2], "new": ["x", "y"]}, {"old": [2, 1], "new": ["x", "y"]}),
        ({"old": [1, 2], "new": ["x"]}, {"old": [2, 1], "new": ["x"]}),
        ({"steps": [1, 2]}, {"steps": [2, 1]}),
        ({"note": "so"}, {"tags": []}),
    ],
)
def test_everything_else_is_one(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not same(one, other)


@given(st.lists(st.text(max_size=3), max_size=5), st.randoms())
def test_an_unordered_list_is_like_itself_in_any_order(tags: list[str], chance: Any) -> None:
    turned = list(tags)
    chance.shuffle(turned)
    assert same({"tags": tags}, {"tags": turned})


def test_declared_values_are_found_at_any_depth() -> None:
    value = {"tags": ["a", "b"], "by_day": {"mon": {"city": "Rome"}}, "note": "so"}
    assert list(declared(value, SCHEMA, "x-caseless")) == ["a", "b", "Rome"]
    assert list(declared(value, SCHEMA, "x-unordered")) == [["a", "b"]]


def test_declared_values_of_one_object_come_together_and_those_of_a_list_alone() -> None:
    schema = {**SCHEMA["properties"], "to": {**TEXT, "x-caseless": True}, "by": TEXT}
    schema["at"] = {**TEXT, "x-caseless": True}
    value = {"tags": ["a", "b"], "to": "Rome", "at": "Via Appia", "by": "air"}
    found = [each for each in together(value, {"properties": schema}, "x-caseless") if each]
    assert found == [["Rome", "Via Appia"], ["a"], ["b"]]
    assert [
        each
        for each in together({"by_day": {"mon": {"city": "Rome"}}}, SCHEMA, "x-caseless")
        if each
    ] == [["Rome"]]
