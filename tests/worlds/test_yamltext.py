"""YAML text: what is written is read back as it was, and looks as a person would write it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given

from tests.worlds.folders import objects, texts
from worlds.source import read_yaml
from worlds.yamltext import yaml_text


@given(objects)
def test_what_is_written_is_read_back_as_it_was(value: dict[str, Any]) -> None:
    assert read_yaml(yaml_text(value), "a.yaml").value == value


@given(texts)
def test_any_text_is_read_back_exactly(text: str) -> None:
    document = {"top": text, "list": [text], "deep": {"er": {"text": text}, text[:50]: 1}}
    assert read_yaml(yaml_text(document), "a.yaml").value == document


@given(texts)
def test_readers_of_yaml_1_1_see_the_same_text(text: str) -> None:
    assert yaml.safe_load(yaml_text({"text": text})) == {"text": text}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": {"b": [1, 2], "c": {"d": "x y"}}}, "a:\n  b: [1, 2]\n  c: {d: x y}\n"),
        ({"list": [{"call": "f", "args": {}}]}, "list:\n  - {call: f, args: {}}\n"),
        ({"word": "on", "on": "write"}, 'word: "on"\non: write\n'),
        ({"text": "one\ntwo\n"}, "text: |\n  one\n  two\n"),
        ({"text": "one\n\ntwo"}, "text: |-\n  one\n\n  two\n"),
        (
            {"text": "word " * 30 + "end"},
            f"text: >-\n  {' '.join(['word'] * 19)}\n  {' '.join(['word'] * 11)} end\n",
        ),
        ({"rows": ["x" * 60, "y" * 60]}, f"rows:\n  - {'x' * 60}\n  - {'y' * 60}\n"),
        (
            {"steps": [{"say": "a\nb", "on": 1}]},
            "steps:\n  - say: |-\n      a\n      b\n    on: 1\n",
        ),
        ({}, "{}\n"),
    ],
)
def test_it_looks_as_a_person_would_write_it(value: dict[str, Any], text: str) -> None:
    assert yaml_text(value) == text
