"""The sandbox's type checker: what is certain becomes a problem, what is only likely does not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.worlds.shop import SOURCE, checked, codes
from worlds.library import read
from worlds.sandbox import Limits, Sandbox
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.typecheck import certain_problems, type_problems

LIBRARY = Path(__file__).parents[2] / "library"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Limits(seconds=0.5), processes=2)
    yield made
    made.close()


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def found(sandbox: Sandbox, source: str) -> list[tuple[int, int, str]]:
    return [(p.line, p.column, p.symbol) for p in certain_problems(server(source), sandbox)]


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def act():\n    return nobody\n", (2, 12, "act")),
        ("def act(x: dict):\n    if x:\n        return ordr['id']\n", (3, 16, "act")),
        ("def act():\n    return db.gett('t', 'k')\n", (2, 12, "act")),
        ("def act():\n    return clock.time()\n", (2, 12, "act")),
        ("def _help():\n    return missing()\ndef act():\n    return _help()\n", (2, 12, "_help")),
        ("class A:\n    def m(self):\n        return nobody\n", (3, 16, "A")),
        ("X = 1\nY = X / 0\ndef act(): ...\n", (2, 1, "")),
        ("def _make():\n    return {}['a']\nX = _make()\n", (2, 1, "_make")),
        ("X = db.get('users', 'u1')\n", (1, 1, "")),
    ],
)
def test_what_is_certainly_wrong_is_found_at_its_place(
    sandbox: Sandbox, source: str, place: tuple[int, int, str]
) -> None:
    assert found(sandbox, source) == [place]


@pytest.mark.parametrize(
    "source",
    [
        "def act(x: dict = None):\n    return x.get('a')\n",
        "from typing import Optional\ndef act(x: Optional[dict] = None):\n    return x.get('a')\n",
        "import re\ndef act(x: str):\n    return re.fullmatch('a', x).group()\n",
        "def act() -> int:\n    return 'a'\n",
        "def act(x: int):\n    return x + 'a'\n",
        "def act():\n    return db.find('t')[0].name\n",
        "def act(flag: bool):\n    if flag:\n        y = 1\n    return y\n",
        "def act():\n    return db.get('t')\n",
        "def act():\n    return money('1')\n",
    ],
)
def test_what_may_work_is_let_pass(sandbox: Sandbox, source: str) -> None:
    assert found(sandbox, source) == []


@pytest.mark.parametrize("domain", ["meetings", "tau2-retail"])
def test_the_library_has_no_type_problem_at_all(sandbox: Sandbox, domain: str) -> None:
    (folder,) = read(LIBRARY / domain)
    for toolserver in folder.toolservers.values():
        assert type_problems(ToolServer.of(toolserver.body), sandbox) == []


def test_the_checker_says_more_than_what_is_certain(sandbox: Sandbox) -> None:
    (problem,) = type_problems(server("def act() -> int:\n    return 'a'\n"), sandbox)
    assert problem.message.endswith("(invalid-return-type)")


def test_module_code_that_runs_into_a_limit_is_left_to_the_calls(sandbox: Sandbox) -> None:
    endless = server("while True:\n    pass\ndef act(): ...\n")
    assert certain_problems(endless, sandbox) == []
    assert "time limit" in type_problems(endless, sandbox)[0].message


def test_a_source_is_checked_once(sandbox: Sandbox) -> None:
    body = server("def act():\n    return nobody_at_all\n")
    first = certain_problems(body, sandbox)
    started = time.perf_counter()
    for _ in range(100):
        assert certain_problems(body, sandbox) is first
    assert time.perf_counter() - started < 0.1


def test_a_check_of_an_environment_reports_it_without_playing() -> None:
    result = checked(source=SOURCE.replace("db.find(", "db.search("))
    assert codes(result) == {"source-invalid": "blocking"}
    (finding,) = result.findings
    assert (finding.component, finding.symbol) == ("shop", "list_users")
    assert "`search`" in finding.message
    assert result.episodes == []
