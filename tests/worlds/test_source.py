"""Files are read strictly, every value with its line, every problem with its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from worlds.source import LibraryInvalid, read_json, read_text, read_yaml


def problems(text: str) -> list[str]:
    with pytest.raises(LibraryInvalid) as raised:
        read_yaml(text, "a.yaml")
    return str(raised.value).splitlines()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(
            (word, word)
            for word in ("on", "yes", "No", "y", "1:30", "2024-01-01", "1_000", "0b1", "<<")
        ),
        *((word, None) for word in ("", "~", "null", "Null")),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "FALSE")),
        ("12", 12),
        ("-3", -3),
        ("+3", 3),
        ("0o17", 15),
        ("0xFF", 255),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("'12'", "12"),
        ('"null"', "null"),
    ],
)
def test_plain_words_mean_what_the_core_schema_of_yaml_1_2_says(text: str, value: Any) -> None:
    found = read_yaml(f"key: {text}\n", "a.yaml").value["key"]
    assert found == value
    assert type(found) is type(value)


def test_every_value_has_its_line() -> None:
    source = read_yaml(
        "goal:\n  require:\n    - one\n    - two\n  text: |\n    long\n    text\n  flow: {a: [1,\n    2]}\n",
        "a.yaml",
    )
    assert source.lines["goal"] == 1
    assert source.lines["goal.require"] == 2
    assert source.lines["goal.require[1]"] == 4
    assert source.lines["goal.text"] == 5
    assert source.lines["goal.flow.a[1]"] == 9
    assert source.line(("goal", "require", 7, "nothing")) == 2


def test_a_key_that_stands_twice_is_refused_with_the_line_of_the_second() -> None:
    assert problems("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n") == [
        "a.yaml:4: the key 'c' stands here twice: keep one",
        "a.yaml:5: the key 'a' stands here twice: keep one",
    ]


def test_anchors_aliases_and_tags_are_refused() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: !!python/name:os.system x\n"
    assert [line.partition(": ")[2][:20] for line in problems(bomb)] == [
        "the anchor &a is ref",
        "the anchor &b is ref",
        "the alias *a is refu",
        "the alias *a is refu",
        "the tag tag:yaml.org",
    ]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a: [1\nb: 2\n", "a.yaml:2: not YAML"),
        ("a: 1\n---\nb: 2\n", "a.yaml:2: a second document"),
        ("1: x\n", "a.yaml:1: a key must be text, not 1"),
        ("? [a]\n: x\n", "a.yaml:1: a key must be text"),
        ("a: .inf\n", "a.yaml:1: .inf is not a number"),
        ("a: 1e999\n", "a.yaml:1: 1e999 is not a number"),
        ('a: "\\0"\n', "a.yaml:1: text with a NUL"),
        ("a:\n\tb: 1\n", "a.yaml:2: not YAML"),
        ("a: \x01\n", "a.yaml: not YAML"),
        ("[" * 100 + "]" * 100, "a.yaml:1: nested deeper than 60"),
        ("a: " + "9" * 5000, "a.yaml:1: "),
    ],
)
def test_what_is_no_plain_yaml_is_refused_with_its_line(text: str, where: str) -> None:
    assert problems(text)[0].startswith(where)


def test_json_has_lines_for_its_outer_levels() -> None:
    text = '{"tables": {\n "orders": [\n  {"id": "a",\n   "n": 1},\n  {"id": "b"}],\n "users": []}}'
    source = read_json(text, "r.json", levels=3)
    assert source.value == {"tables": {"orders": [{"id": "a", "n": 1}, {"id": "b"}], "users": []}}
    assert source.lines["tables.orders[0]"] == 3
    assert source.lines["tables.orders[1]"] == 5
    assert source.lines["tables.users"] == 6
    assert source.line(("tables", "orders", 0, "n")) == 3


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": [\n{"b": 1\n{"c": 2}]}', "r.json:3: not JSON"),
        ('{"a": {}\n"b": 1}', "r.json:2: not JSON: a comma is missing"),
        ('{"a": [1,\n]}', "r.json:2: not JSON"),
        ('{"a": {},\n"a": 1}', "r.json:2: the key 'a' stands here twice"),
        ('{"a": {\n"t": [{"x": 1, "x": 2}]}}', "r.json:2: the key 'x' stands twice"),
        ('{"a": {"b": [\nNaN]}}', "r.json:2: NaN is not a number"),
        ('{"a": {"b": [\n1e999]}}', "r.json:2: 1e999 is not a number"),
        ('{"a": "\\u0000"}', "r.json:1: text with a NUL"),
        ('{"a": "\\ud800"}', "r.json:1: text with a NUL"),
        ('{"a": 1}\n}', "r.json:2: not JSON"),
        ("", "r.json:1: not JSON"),
        ('{"a": {"b": ' + "[" * 100_000, "r.json:1: nested too deep"),
    ],
)
def test_what_is_no_strict_json_is_refused_with_its_line(text: str, where: str) -> None:
    with pytest.raises(LibraryInvalid) as raised:
        read_json(text, "r.json", levels=3)
    assert str(raised.value).startswith(where)


def test_an_escaped_backslash_before_u0000_is_only_text() -> None:
    assert read_json('{"a": "\\\\u0000"}', "r.json", levels=1).value == {"a": "\\u0000"}


def test_newlines_of_any_system_are_newlines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r")
    assert read_text(path, 100, "a.yaml") == "a: 1\nb: 2\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a: 1\nb: \xff\n", "a.yaml:2: this is not UTF-8"),
        (b"a" * 101, "a.yaml: 101 bytes are too"),
    ],
)
def test_files_that_are_no_text_or_too_large_are_refused(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(content)
    with pytest.raises(LibraryInvalid) as raised:
        read_text(path, 100, "a.yaml")
    assert str(raised.value).startswith(said)
