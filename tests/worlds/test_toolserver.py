"""A tool server read from its source: its tools, which of them write, and what is wrong with it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.values import json_values
from worlds.hosts import WRITES
from worlds.toolserver import SERVERS_KEPT, Tool, ToolServer
from worlds.toolserver_body import ToolServerBody


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def tool(source: str, name: str = "act") -> Tool:
    return server(source).tools[name]


def messages(source: str) -> list[str]:
    return [problem.message for problem in server(source).problems]


def test_the_public_functions_are_the_tools_in_the_order_of_the_source() -> None:
    read = server("""
        from math import floor
        LIMIT = 3
        def second(): ...
        def _hidden(x): ...
        class Helper:
            def method(self): ...
        async def later(): ...
        def first(): ...
    """)
    assert list(read.tools) == ["second", "first"]
    assert (read.tools["second"].line, read.tools["first"].line) == (4, 9)


def test_parameters_become_an_object_with_defaults_and_descriptions() -> None:
    made = tool('''
        def act(a: str, b: int = 3, *, c: "float", d: list[str] | None = None):
            """Act
            at once.

            Confirm it first: it cannot
            be undone.

            Args:
                a: the first
                b (int): the second: a number
                nobody: has this name

            Note:
                More words that are for people.
            """
    ''')
    assert made.description == "Act at once.\n\nConfirm it first: it cannot be undone."
    assert made.schema == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "the first"},
            "b": {"type": "integer", "description": "the second: a number", "default": 3},
            "c": {"type": "number"},
            "d": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
        },
        "required": ["a", "c"],
        "additionalProperties": False,
    }


def test_a_description_in_the_hint_goes_before_the_docstring() -> None:
    made = tool('''
        from typing import Annotated
        def act(a: Annotated[str, "from the hint"]):
            """Act.

            a: from the docstring
            """
    ''')
    assert made.schema["properties"]["a"]["description"] == "from the hint"


def test_a_tool_without_docstring_and_parameters_takes_an_empty_object() -> None:
    made = tool("def act(): ...")
    assert made.description == ""
    assert made.schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert made.refuse({}) is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("a", "the parameter a of the tool act has no type hint"),
        ("a: set", "the parameter a of the tool act: the hint set has no schema"),
        ("*args: int", "the tool act is called by name: args must be an ordinary parameter"),
        ("**kwargs: int", "the tool act is called by name: kwargs must be an ordinary parameter"),
        ("a: int, /", "the tool act is called by name: a must be an ordinary parameter"),
    ],
)
def test_a_parameter_that_an_agent_cannot_give_is_a_problem(parameters: str, words: str) -> None:
    (problem,) = server(f"\ndef act({parameters}): ...").problems
    assert problem.message.startswith(words)
    assert (problem.line, problem.symbol) == (2, "act")
    assert problem.column == 9 + parameters.count("*")
    assert messages(f"def _act({parameters}): ...") == []


def test_all_problems_stand_in_the_order_of_the_source() -> None:
    read = server("import os\ndef act(a):\n    return eval('1')\ndef other(b: set): ...\n")
    assert [problem.line for problem in read.problems] == [1, 2, 3, 4]


def test_a_source_that_cannot_be_read_has_no_tools_and_one_problem() -> None:
    for source in ("def act(:", "x = " + "+".join(["1"] * 2000), "x = " + "-" * 50_000 + "1"):
        read = server(source)
        assert read.tools == {}
        assert len(read.problems) == 1


@pytest.mark.parametrize("write", sorted(WRITES))
def test_a_tool_that_calls_a_writing_function_writes(write: str) -> None:
    assert tool(f"def act():\n    db.{write}('t', {{}})").writes
    assert tool(f"def act():\n    f = db.{write}").writes
    assert not tool(f"def act(x: dict):\n    x.{write}('t', {{}})").writes


@pytest.mark.parametrize(
    "source",
    [
        "def _save(): db.put('t', {})\ndef act(): _save()",
        "def act(): _one()\ndef _one(): _two()\ndef _two(): db.delete('t', 'k')",
        "class Store:\n    def save(self): db.put('t', {})\ndef act(): Store().save()",
        "save = db.put\ndef act(): save('t', {})",
        "save = lambda row: db.put('t', row)\ndef act(): save({})",
        "def _save(): db.put('t', {})\nWAYS = {'save': _save}\ndef act(): WAYS['save']()",
        "def act(): store = db\n",
        "def act(): _with(db)\ndef _with(store): store.put('t', {})",
        "def act(): getattr(db, 'put')('t', {})",
        "def act(): [f() for f in [_save]]\ndef _save(): db.update('t', 'k', {})",
        "def act():\n    def inner(): db.insert('t', {})\n    inner()",
    ],
)
def test_a_write_is_found_through_helpers_and_aliases(source: str) -> None:
    assert tool(source).writes


@pytest.mark.parametrize(
    "source",
    [
        "def act(): return db.get('t', 'k')",
        "def act(): return _look()\ndef _look(): return db.find('t', {})\ndef other(): db.put('t', {})",
        "def act(): return db.next_id('t')",
        "def act(): return {}.update(a=1)",
        "def act(): return act()",
        "find = db.find\ndef act(): return find('t')",
    ],
)
def test_a_tool_that_only_reads_does_not_write(source: str) -> None:
    assert not tool(source).writes


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, 'act: "a" is a required property'),
        ({"a": 1}, 'act: a: 1 is not of type "string"'),
        ({"a": "x", "b": [1, "2"]}, 'act: b[1]: "2" is not of type "integer"'),
        ({"a": "x", "c": {"n": None}}, "act: c.n: null is not of type"),
        ({"a": "x", "z": 1}, "act: Additional properties are not allowed ('z' was unexpected)"),
        ({"a": "x", "d": "up"}, 'act: d: "up" is not one of'),
        ({"a": True}, "act: a: true is not of type"),
        ([], "act takes its arguments as an object, not list"),
        (None, "act takes its arguments as an object, not NoneType"),
        pytest.param(10**5000, "act takes its arguments as an object, not int", id="a huge number"),
        ({"a": float("nan")}, "act cannot take these arguments: nan is not a number"),
        ({"a": {1, 2}}, "act cannot take these arguments: JSON has no values of type set"),
        ({"a": "\ud800"}, "act cannot take these arguments: text that holds half a character"),
        ({"a": "\0"}, "act cannot take these arguments: text that holds a NUL"),
        ({"a": "x" * 2_000_000}, "act cannot take these arguments: the value is larger than"),
        ({"a": 2**70}, "act cannot take these arguments: an integer beyond 64 bits"),
        ({1: "x"}, "act cannot take these arguments: an object's keys are text"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_one_sentence(args: Any, words: str) -> None:
    made = tool("""
        from typing import Literal
        def act(a: str, b: list[int] = [], c: dict[str, int] = {}, d: Literal["in", "out"] = "in"): ...
    """)
    refusal = made.refuse(args)
    assert refusal is not None
    assert refusal.startswith(words)
    assert len(refusal) < 400
    assert made.refuse({"a": "x", "b": [1], "c": {"n": 2}, "d": "out"}) is None


def test_a_refusal_of_a_long_value_stays_short() -> None:
    refusal = tool("def act(a: int): ...").refuse({"a": "x" * 10_000})
    assert refusal is not None
    assert len(refusal) < 350


@given(json_values | st.binary() | st.builds(object) | st.floats())
def test_whatever_is_given_is_taken_or_refused_and_never_raises(value: Any) -> None:
    made = tool("def act(a: str, b: int = 0): ...")
    for args in (value, {"a": value}, {"a": "x", "b": value}):
        refusal = made.refuse(args)
        assert refusal is None or refusal.startswith("act")


def test_dataclass_arguments_are_built_and_others_are_not() -> None:
    made = tool("""
        from dataclasses import dataclass
        @dataclass
        class Item:
            name: str
        def act(a: int, item: Item, items: list[Item], maybe: Item | None = None): ...
    """)
    assert set(made.builds) == {"item", "items", "maybe"}
    assert made.refuse({"a": 1, "item": {"name": "x"}, "items": [{}]}) == (
        'act: items[0]: "name" is a required property'
    )


@pytest.mark.parametrize(
    ("statement", "draws"),
    [("import random", True), ("from random import choice", True), ("import math", False)],
)
def test_drawing_is_known_from_the_imports_also_inside_functions(
    statement: str, draws: bool
) -> None:
    assert server(statement).draws is draws
    assert server(f"def act():\n    {statement}").draws is draws


def test_a_body_is_read_once_and_old_ones_are_forgotten() -> None:
    first = server("def act(): ...")
    assert server("def act(): ...") is first
    for number in range(SERVERS_KEPT):
        server(f"def act_{number}(): ...")
    assert server("def act(): ...") is not first
