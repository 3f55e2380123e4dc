"""Tool servers read from their source: the tools, their schemas, what they refuse, and which of them write."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from worlds.toolserver import Tool, ToolServer
from worlds.toolserver_body import ToolServerBody


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def tool(signature: str, before: str = "") -> Tool:
    made = server(f"{before}\ndef act({signature}) -> str:\n    '''Act.'''\n    return ''\n")
    assert made.problems == []
    return made.tools["act"]


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        ("str", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("list", {"type": "array"}),
        ("list[str]", {"type": "array", "items": {"type": "string"}}),
        ("dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
        ("Optional[str]", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("str | None", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("Annotated[str, 'Which one.']", {"type": "string", "description": "Which one."}),
        ("'str'", {"type": "string"}),
    ],
)
def test_a_hint_is_a_schema(hint: str, schema: dict[str, Any]) -> None:
    found = tool(f"x: {hint}", "from typing import Annotated, Literal, Optional")
    assert found.schema["properties"]["x"] == schema
    assert found.schema["required"] == ["x"]
    assert found.schema["additionalProperties"] is False


def test_a_default_makes_an_argument_optional_and_is_told() -> None:
    found = tool("x: str, y: int = 5, *, z: bool = False")
    assert found.schema["required"] == ["x"]
    assert found.schema["properties"]["y"] == {"type": "integer", "default": 5}
    assert found.schema["properties"]["z"]["default"] is False


def test_a_dataclass_is_an_object_with_its_fields() -> None:
    before = """
from dataclasses import dataclass

@dataclass
class Place:
    city: str
    floor: int = 0
"""
    assert tool("at: Place", before).schema["properties"]["at"] == {
        "type": "object",
        "properties": {"city": {"type": "string"}, "floor": {"type": "integer", "default": 0}},
        "required": ["city"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("x", "hint"),
        ("*args: str", "args"),
        ("**more: str", "more"),
        ("x: set", "has no schema"),
        ("x: datetime", "has no schema"),
        ("x: dict[int, str]", "has no schema"),
    ],
)
def test_a_parameter_without_a_schema_is_a_problem_at_its_place(signature: str, words: str) -> None:
    made = server(f"def act({signature}) -> str:\n    return ''\n")
    assert [(p.line, p.symbol) for p in made.problems] == [(1, "act")]
    assert words in made.problems[0].message


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, '"x" is a required property'),
        ({"x": "a", "y": "b"}, "'y' was unexpected"),
        ({"x": 5}, '5 is not of type "string"'),
        ({"x": "a", "n": True}, "n: true"),
        ({"x": "a", "n": 1.5}, "1.5"),
        ("x", "as an object"),
        ({"x": "\0"}, "NUL"),
        ({"x": "a" * 1_100_000}, "larger than"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_a_sentence_that_names_them(
    args: Any, words: str
) -> None:
    refused = tool("x: str, n: int = 0").refuse(args)
    assert refused is not None
    assert refused.startswith("act")
    assert words in refused


def test_arguments_that_fit_are_accepted() -> None:
    assert tool("x: str, n: int = 0").refuse({"x": "a", "n": 3}) is None


def test_private_functions_and_imports_are_no_tools_and_the_order_is_the_sources() -> None:
    made = server(
        """
        import json

        def second() -> str:
            '''Second, in the alphabet.'''
            return _helper()

        def _helper() -> str:
            return json.dumps(1)

        def first() -> str:
            return ''
        """
    )
    assert list(made.tools) == ["second", "first"]
    assert made.tools["second"].description == "Second, in the alphabet."


@pytest.mark.parametrize("write", ["insert", "update", "put", "delete"])
def test_a_tool_that_reaches_a_write_through_helpers_writes(write: str) -> None:
    made = server(
        f"""
        def outer() -> str:
            return _middle()

        def _middle() -> str:
            return [_inner() for _ in range(1)][0]

        def _inner() -> str:
            db.{write}("t", "k")
            return ''

        def reader() -> list:
            return db.find("t")
        """
    )
    assert {name: found.writes for name, found in made.tools.items()} == {
        "outer": True,
        "reader": False,
    }


def test_a_syntax_error_is_one_problem_with_its_line() -> None:
    made = server("def act() -> str:\n    return (\n")
    assert made.tools == {}
    assert [problem.line for problem in made.problems] == [2]
    assert "syntax error" in made.problems[0].message
