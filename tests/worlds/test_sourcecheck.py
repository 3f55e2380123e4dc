"""The static gate: what it refuses, and that it leaves ordinary code alone."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from worlds.sourcecheck import IMPORTS, SourceProblem, check, parse


def problems(source: str) -> list[SourceProblem]:
    tree = parse(dedent(source))
    assert isinstance(tree, ast.Module)
    return check(tree)


def inside(code: str) -> str:
    body = indent(dedent(code), "    ")
    return f"STATE = {{'n': 0}}\nITEMS = [1, 2]\nclass C:\n    n = 0\ndef act() -> int:\n{body}\n    return 1\n"


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import socket, json",
        "from subprocess import run",
        "from . import secrets",
        "from json import *",
        "import os.path as p",
        "import db",
    ],
)
@pytest.mark.parametrize("where", ["module", "function"])
def test_an_import_outside_the_list_is_found_wherever_it_stands(line: str, where: str) -> None:
    source = line if where == "module" else inside(line)
    if "*" in line and where == "function":
        source = line
    found = problems(source)
    assert found
    assert "import" in found[0].message


@pytest.mark.parametrize("module", IMPORTS)
def test_an_import_of_the_list_is_allowed(module: str) -> None:
    assert problems(f"import {module}") == []


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd')",
        "eval('1')",
        "exec('x = 1')",
        "__import__('os')",
        "f = open",
        "globals()['STATE'] = 1",
        "(1).__class__.__bases__",
        "getattr(ITEMS, '__class__')",
        "getattr(ITEMS, 'a' + 'b')",
        "setattr(C, 'n', 1)",
    ],
)
def test_ways_out_of_the_language_are_found_with_function_and_line(code: str) -> None:
    found = problems(inside(code))
    assert [(problem.symbol, problem.line) for problem in found[:1]] == [("act", 6)]


@pytest.mark.parametrize(
    "code",
    [
        "STATE['n'] = 1",
        "STATE['n'] += 1",
        "ITEMS.append(3)",
        "ITEMS[0] = 3",
        "global ITEMS\nITEMS = []",
        "C.n = 1",
        "alias = STATE\nalias['n'] = 1",
        "STATE.get('n').update(a=1)",
        "for item in STATE.values():\n    item.clear()",
        "STATE.setdefault('k', 1)",
    ],
)
def test_whatever_outlives_a_call_behind_the_records_back_is_found(code: str) -> None:
    found = problems(inside(code))
    assert found, code
    assert {problem.symbol for problem in found} == {"act"}


def test_a_default_that_is_filled_from_call_to_call_is_found() -> None:
    assert problems("def act(seen: list = []) -> int:\n    seen.append(1)\n    return len(seen)\n")


def test_a_cache_is_found() -> None:
    source = "from functools import lru_cache\n@lru_cache\ndef _f() -> int:\n    return 1\n"
    assert "keeps results" in problems(source)[0].message


@pytest.mark.parametrize(
    "code",
    [
        "yield 1",
        "raise ValueError('no room', 5)",
        "x = 1\ndel x",
        "async def inner() -> None:\n    pass",
    ],
)
def test_what_the_sandbox_cannot_run_is_said_before_it_runs(code: str) -> None:
    assert any("not supported" in problem.message for problem in problems(inside(code)))


def test_a_class_with_a_base_is_found() -> None:
    assert "inheritance" in problems("class A:\n    pass\nclass B(A):\n    pass\n")[0].message


@pytest.mark.parametrize(
    "code",
    [
        "found = []\nfound.append(1)\nfound[0] = 2",
        "copy = dict(STATE)\ncopy['n'] = 1",
        "copy = [*ITEMS]\ncopy.sort()",
        "STATE_ = {}\nSTATE_['n'] = 1",
        "total = 0\nfor item in ITEMS:\n    total += item",
        "row = db.get('t', 'k')\nrow['n'] = 1\ndb.put('t', row)",
        "ITEMS = [1]\nITEMS.append(2)",
        "import re\nre.sub('a', 'b', 'c')",
        "getattr(C, 'n')",
        "x = len(ITEMS) + STATE['n']",
    ],
)
def test_ordinary_code_is_left_alone(code: str) -> None:
    assert problems(inside(code)) == []


def test_a_source_too_long_or_too_deep_is_one_problem() -> None:
    assert isinstance(parse("x = 1\n" * 100_000), SourceProblem)
    assert isinstance(parse("x = " + "(" * 5000 + ")" * 5000), SourceProblem)
    assert isinstance(parse("x = '\0'"), SourceProblem)
