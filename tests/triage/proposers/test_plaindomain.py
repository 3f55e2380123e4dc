"""Contracts of which nothing but plain names and words is left."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.proposers.plaindomain import plain
from worlds.domain import Domain


def domain(schema: dict[str, Any], table: str = "orders") -> Domain:
    return Domain.parse({"tables": {table: {"key": "id", "schema": schema}}})


def test_what_is_plain_stays() -> None:
    schema = {
        "properties": {"status": {"type": "string", "enum": ["in transit", "done"]}, "n": {}},
        "required": ["status"],
    }
    said = Domain.parse(
        {
            "tables": {
                "orders": {
                    "key": "id",
                    "schema": schema,
                    "references": [{"from": "items[].user_id", "to": "users"}],
                },
                "users": {"key": "id", "schema": {}},
            }
        }
    )
    assert plain(said).tables == said.tables


@pytest.mark.parametrize("odd", ['x"]; exit(); y["', "{exit()}", "a'b", "a\\b", "a\nb", "f(x)"])
def test_what_would_end_a_text_or_begin_code_is_left_out(odd: str) -> None:
    schema = {"properties": {odd: {"type": "string"}, "status": {"enum": ["done", odd]}}}
    found = plain(domain(schema))
    assert found.tables["orders"].schema_ == {"properties": {"status": {"enum": ["done"]}}}
    assert odd not in plain(domain(schema, odd)).tables


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=12,
    )
)
def test_whatever_a_schema_holds_no_quote_brace_or_line_is_left(value: Any) -> None:
    try:
        said = domain({"x": value, "properties": {"a": {"enum": [value]}}})
    except ValueError:
        return
    told = json.dumps(plain(said).content())
    texts: list[str] = []

    def visit(each: Any) -> None:
        if isinstance(each, dict):
            texts.extend(each)
            list(map(visit, each.values()))
        elif isinstance(each, list):
            list(map(visit, each))
        elif isinstance(each, str):
            texts.append(each)

    visit(json.loads(told))
    assert not any(mark in text for text in texts for mark in "'\"\\{}()\n`")
