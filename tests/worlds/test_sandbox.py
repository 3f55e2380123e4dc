"""Tool code in the real sandbox: what it returns, how it fails, and that it cannot reach out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from textwrap import dedent
from typing import Any

import pytest

from worlds.domain import Domain
from worlds.hosts import Host
from worlds.records import Base, Records
from worlds.recordset import Recordset
from worlds.sandbox import Limits, Outcome, Sandbox, SandboxUnavailable
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

NOW = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Limits(seconds=0.5, suspensions=2000), processes=2, patience=1)
    yield made
    made.close()


def host() -> Host:
    domain = Domain.parse({"tables": {"users": {"key": "id"}, "orders": {"key": "order_id"}}})
    tables = {"users": [{"id": "u1", "name": "Ann", "tags": ["a"]}], "orders": []}
    return Host(Records(Base(domain, Recordset.parse({"tables": tables}))), NOW)


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def run(
    sandbox: Sandbox, source: str, tool: str, /, _on: Host | None = None, **args: Any
) -> Outcome:
    with sandbox.session() as session:
        return session.call(server(source), tool, args, _on or host())


def test_a_result_comes_back_as_plain_json(sandbox: Sandbox) -> None:
    source = """
        from dataclasses import dataclass
        from datetime import datetime, date
        from decimal import Decimal

        @dataclass
        class Point:
            x: int

        def everything():
            return {"point": Point(1), "pair": (1, 2), "at": datetime(2025, 1, 2), "on": date(2025, 1, 2),
                    "price": Decimal("1.20"), "none": None}
    """
    assert run(sandbox, source, "everything").value == {
        "point": {"x": 1},
        "pair": [1, 2],
        "at": "2025-01-02T00:00:00",
        "on": "2025-01-02",
        "price": 1.2,
        "none": None,
    }


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("float('nan')", "nan is not a number"),
        ("{1, 2}", "type set is not JSON"),
        ("{1: 2}", "key must be text"),
        ("b'x'", "type bytes is not JSON"),
        ("10 ** 40", "beyond 64 bits"),
        ("chr(0)", "NUL"),
        ("Plain()", "make it a dataclass"),
        ("len", "not JSON"),
    ],
)
def test_a_result_that_is_not_json_is_a_crash(sandbox: Sandbox, result: str, words: str) -> None:
    outcome = run(sandbox, f"class Plain:\n    pass\ndef give():\n    return {result}\n", "give")
    assert (outcome.status, outcome.function) == ("crashed", "give")
    assert words in outcome.message


# How a call fails


def test_a_value_error_is_a_refusal_with_its_words_function_and_line(sandbox: Sandbox) -> None:
    source = """
        def act(n: int) -> int:
            return _checked(n)

        def _checked(n: int) -> int:
            if n < 0:
                raise ValueError("n must not be negative")
            return n
    """
    outcome = run(sandbox, source, "act", n=-1)
    assert (outcome.status, outcome.message) == ("refused", "n must not be negative")
    assert (outcome.function, outcome.line) == ("_checked", 7)
    assert run(sandbox, source, "act", n=1).value == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("{}['x']", "KeyError"),
        ("1 // 0", "ZeroDivisionError"),
        ("None.x", "AttributeError"),
        ("int('x')", "ValueError"),
        ("db.get('nowhere', 'x')", "LookupError"),
        ("db.update('users', 'nobody', {})", "LookupError"),
    ],
)
def test_what_no_raise_statement_of_the_tool_said_is_a_crash(
    sandbox: Sandbox, code: str, words: str
) -> None:
    outcome = run(sandbox, f"\n\ndef act() -> object:\n    return {code}\n", "act")
    assert (outcome.status, outcome.function, outcome.line) == ("crashed", "act", 4)
    assert words in outcome.message


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        pass",
        "x = [0] * 10**9",
        "x = 'a' * 10**10",
        "x = 9 ** 10**9",
        "act()",
        "for i in range(10**6):\n        db.get('users', 'u1')",
        "x = []\n    while True:\n        x.append('a' * 1000)",
        "return ['x' * 1000] * 100000",
        "while True:\n        try:\n            act()\n        except BaseException:\n            pass",
    ],
)
def test_what_never_ends_or_has_no_end_of_memory_is_stopped_and_the_next_call_works(
    sandbox: Sandbox, body: str
) -> None:
    source = f"def act() -> object:\n    {body}\n\n\ndef fine() -> int:\n    return 1\n"
    with sandbox.session() as session:
        stopped = session.call(server(source), "act", {}, host())
        assert stopped.status in ("limit", "crashed"), stopped
        assert session.call(server(source), "fine", {}, host()).value == 1


def test_a_loop_is_told_apart_from_a_crash(sandbox: Sandbox) -> None:
    assert (
        run(sandbox, "def act() -> int:\n    while True:\n        pass\n", "act").status == "limit"
    )


def test_a_module_that_never_ends_is_stopped_at_its_first_call(sandbox: Sandbox) -> None:
    source = "def act() -> int:\n    return 1\n\n\nwhile True:\n    pass\n"
    assert run(sandbox, source, "act").status == "limit"


# What it cannot reach


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("return open('/etc/passwd').read()", "open /etc/passwd"),
        ("import os; return os.environ['HOME']", "os.environ"),
        ("import socket; return str(socket.socket())", "import socket"),
        ("from pathlib import Path; return Path('/etc/passwd').read_text()", "Path.read_text"),
    ],
)
def test_a_forbidden_attempt_is_told_even_when_the_code_swallows_the_error(
    sandbox: Sandbox, code: str, what: str
) -> None:
    source = f"""
        def act() -> str:
            try:
                {code}
            except Exception:
                return "fine"
    """
    outcome = run(sandbox, source, "act")
    assert outcome.value == "fine"
    assert any(what in attempt for attempt in outcome.forbidden), outcome


# The same every time


def test_nothing_lasts_from_one_session_to_the_next(sandbox: Sandbox) -> None:
    source = "SEEN = []\n\n\ndef act() -> int:\n    SEEN.append(1)\n    return len(SEEN)\n"
    assert [run(sandbox, source, "act").value for _ in range(3)] == [1, 1, 1]


def test_the_clock_is_the_hosts_and_stands_still(sandbox: Sandbox) -> None:
    source = """
        import time
        from datetime import datetime

        def act() -> list:
            return [clock.now().isoformat(), datetime.now().isoformat(), time.time()]
    """
    first = run(sandbox, source, "act").value
    assert first[0] == NOW.isoformat()
    assert first[1] == NOW.replace(tzinfo=None).isoformat()
    assert first[2] == NOW.timestamp()
    assert run(sandbox, source, "act").value == first


def test_chance_is_the_same_each_time_and_differs_with_the_arguments(sandbox: Sandbox) -> None:
    source = "import random\n\n\ndef act(n: int) -> float:\n    return random.random()\n"
    one, again, other = (run(sandbox, source, "act", n=n).value for n in (1, 1, 2))
    assert one == again != other


def test_a_result_does_not_depend_on_the_calls_before_it(sandbox: Sandbox) -> None:
    source = "import random\n\n\ndef act() -> float:\n    return random.random()\n"
    with sandbox.session() as session:
        values = [session.call(server(source), "act", {}, host()).value for _ in range(3)]
    assert len(set(values)) == 1


def test_two_tool_servers_take_turns_in_one_session(sandbox: Sandbox) -> None:
    one, two = (server(f"NAME = {n}\n\n\ndef act() -> int:\n    return NAME\n") for n in (1, 2))
    with sandbox.session() as session:
        given = [session.call(made, "act", {}, host()).value for made in (one, two, one)]
    assert given == [1, 2, 1]


def test_dataclass_arguments_arrive_as_the_dataclass(sandbox: Sandbox) -> None:
    source = """
        from dataclasses import dataclass

        @dataclass
        class Line:
            sku: str
            count: int = 1

        def act(lines: list[Line]) -> int:
            return sum(line.count for line in lines)
    """
    assert run(sandbox, source, "act", lines=[{"sku": "a"}, {"sku": "b", "count": 4}]).value == 5


def test_changing_a_row_that_was_read_changes_no_record(sandbox: Sandbox) -> None:
    source = """
        def act() -> int:
            row = db.get("users", "u1")
            row["tags"].append("b")
            row["name"] = "Eve"
            return 1
    """
    acted_on = host()
    assert run(sandbox, source, "act", acted_on).value == 1
    assert acted_on.records.diff() == []


# Processes


def test_no_free_process_is_trouble_of_ours_and_says_so() -> None:
    small = Sandbox(Limits(), processes=1, patience=0.2)
    try:
        made = server("def act() -> int:\n    return 1\n")
        with small.session() as first, small.session() as second:
            assert first.call(made, "act", {}, host()).value == 1
            with pytest.raises(SandboxUnavailable, match="no sandbox process came free"):
                second.call(made, "act", {}, host())
    finally:
        small.close()


def test_an_interpreter_that_used_the_sandbox_ends_without_a_warning() -> None:
    code = (
        "from tests.worlds.test_sandbox import host, server\nfrom worlds.sandbox import Sandbox\n"
        "with Sandbox.shared().session() as s:\n"
        "    print(s.call(server('def act() -> int:\\n    return 7\\n'), 'act', {}, host()).value)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout.strip(), done.stderr) == ("7", "")
