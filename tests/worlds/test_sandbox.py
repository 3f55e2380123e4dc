"""Tool code in the real sandbox: what it returns, how it fails, and that it cannot reach out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.values import json_values
from worlds.domain import Domain
from worlds.hosts import Host
from worlds.records import Base, Records
from worlds.recordset import Recordset
from worlds.sandbox import Limits, Outcome, Sandbox, SandboxUnavailable
from worlds.sourcecheck import IMPORTS
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

NOW = datetime(2025, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox(Limits(seconds=0.5, suspensions=2000), processes=2, patience=0.5)
    yield made
    made.close()


def host(now: datetime = NOW) -> Host:
    domain = Domain.parse({"tables": {"users": {"key": "id"}, "orders": {"key": "order_id"}}})
    tables = {"users": [{"id": "u1", "name": "Ann", "tags": ["a"]}], "orders": []}
    return Host(Records(Base(domain, Recordset.parse({"tables": tables}))), now)


def server(source: str) -> ToolServer:
    return ToolServer.of(ToolServerBody(source=dedent(source)))


def run(sandbox: Sandbox, source: str, tool: str, _on: Host | None = None, **args: Any) -> Outcome:
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
            at: datetime

        def everything():
            return {"point": Point(1, datetime(2025, 1, 2)), "pair": (1, 2), "on": date(2025, 1, 2),
                    "price": Decimal("1.20"), "none": None, "text": "é"}
    """
    assert run(sandbox, source, "everything").value == {
        "point": {"x": 1, "at": "2025-01-02T00:00:00"},
        "pair": [1, 2],
        "on": "2025-01-02",
        "price": 1.2,
        "none": None,
        "text": "é",
    }


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("float('nan')", "nan"),
        ("{1, 2}", "type set is not JSON"),
        ("{(1, 2): 2}", "keys must be str"),
        ("b'x'", "type bytes is not JSON"),
        ("10 ** 40", "beyond 64 bits"),
        ("chr(0)", "NUL"),
        ("Plain()", "type Plain is not JSON"),
        ("len", "not JSON"),
    ],
)
def test_a_result_that_is_not_json_is_a_crash(sandbox: Sandbox, result: str, words: str) -> None:
    outcome = run(sandbox, f"class Plain:\n    pass\ndef give():\n    return {result}\n", "give")
    assert (outcome.status, outcome.function, outcome.line) == ("crashed", "give", None)
    assert words in outcome.message


LIMITED = {
    "a loop without end": "while True:\n        pass",
    "a loop that swallows everything": """while True:
        try:
            while True:
                pass
        except BaseException:
            pass
        finally:
            while True:
                pass""",
    "a list that grows": "x = [1]\n    while True:\n        x = x + x",
    "a huge text": "return 'x' * 10 ** 9",
    "a huge list": "return [0] * 10 ** 9",
    "a power without end": "return 9 ** 10 ** 9",
    "recursion that swallows its end": """while True:
        try:
            attack()
        except BaseException:
            pass""",
    "a huge number": "return str(7 ** 10 ** 8)",
    "endless recursion": "return attack()",
    "printing without end": "while True:\n        print('x' * 1000)",
    "a large result": "return 'x' * 2_000_000",
    "a deep result": "x = []\n    for _ in range(100_000):\n        x = [x]\n    return x",
    "a moderately deep result": "x = []\n    for _ in range(150):\n        x = [x]\n    return x",
    "a result that shares its parts": """x = ['x'] * 10
    for _ in range(12):
        x = [x] * 10
    return x""",
    "a row that shares its parts": """x = ['x'] * 10
    for _ in range(12):
        x = [x] * 10
    db.put('users', {'id': 'u2', 'x': x})""",
    "calls of the host without end": """while True:
        try:
            db.get('nothing', 'u1')
        except BaseException:
            pass""",
}


@pytest.mark.parametrize("name", LIMITED)
def test_a_call_ends_at_its_limits_and_the_next_one_is_well(sandbox: Sandbox, name: str) -> None:
    source = f"def attack():\n    {LIMITED[name]}\n\ndef well():\n    return db.get('users', 'u1')['name']"
    with sandbox.session() as session:
        started = time.monotonic()
        outcome = session.call(server(source), "attack", {}, host())
        assert time.monotonic() - started < 4
        assert outcome.status == "limit", outcome
        assert outcome.message
        assert session.call(server(source), "well", {}, host()).value == "Ann"


@pytest.mark.parametrize(
    "taken", ["return {x: 1}", "return x == x and {x: 1}", "db.get({x: 1}, x)"]
)
def test_a_key_that_never_ends_does_not_hold_the_host(sandbox: Sandbox, taken: str) -> None:
    source = f"""
        def attack():
            x = ("x",) * 10
            for _ in range(12):
                x = (x,) * 10
            {taken}
    """
    assert run(sandbox, source, "attack").status in ("crashed", "limit")


def test_module_code_without_end_is_a_limit_of_every_call(sandbox: Sandbox) -> None:
    source = "while True:\n    pass\n\ndef tool():\n    return 1\n"
    assert run(sandbox, source, "tool").status == "limit"
    assert run(sandbox, "def tool():\n    return 1\n", "tool").value == 1


def test_the_clean_state_cannot_use_the_records(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "ROWS = db.find('users')\n\ndef tool():\n    return ROWS\n", "tool")
    assert (outcome.status, outcome.line) == ("crashed", 1)
    assert "only while a tool is called" in outcome.message


REACHING = {
    "open": "open('/etc/passwd').read()",
    "Path.write_text": "__import_path().write_text('x')",
    "os.getenv": "__import_os().getenv('HOME')",
    "os.environ": "__import_os().environ['HOME']",
    "os.urandom": "__import_os().urandom(4)",
}


@pytest.mark.parametrize("name", REACHING)
def test_reaching_out_fails_and_is_recorded_even_when_swallowed(
    sandbox: Sandbox, name: str
) -> None:
    source = f"""
        def __import_os():
            import os
            return os

        def __import_path():
            from pathlib import Path
            return Path("stray")

        def tool():
            try:
                return {REACHING[name]}
            except Exception:
                return "nothing seen"
    """
    outcome = run(sandbox, source, "tool")
    assert (outcome.status, outcome.value) == ("ok", "nothing seen")
    assert len(outcome.forbidden) == 1
    assert outcome.forbidden[0].startswith(name)


def test_an_import_of_what_the_sandbox_lacks_is_recorded(sandbox: Sandbox) -> None:
    source = """
        def tool():
            try:
                import socket
            except ImportError:
                return "no"
    """
    assert run(sandbox, source, "tool").forbidden == ("import socket",)


def test_what_module_code_reached_for_is_told_with_every_call(sandbox: Sandbox) -> None:
    source = """
        try:
            open("/etc/passwd")
        except Exception:
            pass

        def tool():
            return 1
    """
    with sandbox.session() as session:
        told = [session.call(server(source), "tool", {}, host()).forbidden for _ in range(2)]
    assert told == [("open /etc/passwd",)] * 2


FAILING = """\
import json

def refuse(name: str):
    if not name: raise ValueError(
        "no name"
    )
    raise ValueError(f"no user {name}")

def helper(): "é"; raise ValueError("from the helper")

def deep():
    return [
        helper(),
    ]

def crash():
    row = {}
    return row["x"]

def parse():
    return json.loads("{")

def number():
    return int("many")

def rephrased():
    try:
        return int("many")
    except ValueError as error:
        raise ValueError("not a number") from error

def misuse():
    return db.get("nothing", "u1")

def too_many():
    row = db.get("users", "u1",
                 "name")
    return row

def by_hand():
    raise TimeoutError("too late")
"""


@pytest.mark.parametrize(
    ("tool", "args", "status", "message", "function", "line"),
    [
        ("refuse", {"name": "Bo"}, "refused", "no user Bo", "refuse", 7),
        ("refuse", {"name": ""}, "refused", "no name", "refuse", 4),
        ("deep", {}, "refused", "from the helper", "helper", 9),
        ("crash", {}, "crashed", "KeyError: x", "crash", 18),
        ("number", {}, "crashed", "ValueError: invalid literal", "number", 24),
        ("parse", {}, "crashed", "json.JSONDecodeError: Expecting", "parse", 21),
        ("rephrased", {}, "refused", "not a number", "rephrased", 30),
        ("misuse", {}, "crashed", "LookupError: there is no table 'nothing'", "misuse", 33),
        ("too_many", {}, "crashed", "TypeError: get: too many positional", "too_many", 36),
        ("by_hand", {}, "crashed", "TimeoutError: too late", "by_hand", 41),
    ],
)
def test_a_failure_says_what_and_where(
    sandbox: Sandbox,
    tool: str,
    args: dict[str, Any],
    status: str,
    message: str,
    function: str,
    line: int,
) -> None:
    outcome = run(sandbox, FAILING, tool, **args)
    assert (outcome.status, outcome.function, outcome.line) == (status, function, line)
    assert outcome.message.startswith(message)


def test_what_the_sandbox_does_not_support_is_a_crash_with_its_line(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "X = 1\n\n\ndef tool():\n    yield 1\n", "tool")
    assert (outcome.status, outcome.line) == ("crashed", 5)
    assert "yield" in outcome.message


def test_dataclass_arguments_arrive_as_instances(sandbox: Sandbox) -> None:
    source = """
        from dataclasses import dataclass
        from typing import Optional

        @dataclass
        class City:
            name: str

        @dataclass
        class Person:
            name: str
            home: City
            past: list[City] | None = None
            tags: dict[str, City] | None = None

        def meet(one: Person, others: list[Person], at: Optional[City] = None) -> list:
            return [one.home.name, [each.past[0].name for each in others if each.past], at and at.name,
                    one.tags["x"].name if one.tags else None]
    """
    ann = {"name": "Ann", "home": {"name": "Rome"}, "tags": {"x": {"name": "Bern"}}}
    bob = {"name": "Bob", "home": {"name": "Bonn"}, "past": [{"name": "Linz"}]}
    with sandbox.session() as session:
        tools = server(source)
        first = session.call(tools, "meet", {"one": ann, "others": [bob, ann]}, host())
        last = session.call(
            tools, "meet", {"one": bob, "others": [], "at": {"name": "Ulm"}}, host()
        )
    assert first.value == ["Rome", ["Linz"], None, "Bern"]
    assert last.value == ["Bonn", [], "Ulm", None]


TIME = """
import datetime as dt
import time

def times():
    return [dt.datetime.now(), dt.datetime.now(dt.timezone.utc), dt.date.today(), time.time(),
            clock.now(), clock.today(), clock.now() - dt.timedelta(days=1)]
"""


def test_the_clock_is_the_hosts_and_moves_only_with_it(sandbox: Sandbox) -> None:
    later = datetime(2031, 1, 1)  # noqa: DTZ001  # a naive clock stays naive
    with sandbox.session() as session:
        tools = server(TIME)
        told = [session.call(tools, "times", {}, host(now)).value for now in (NOW, NOW, later)]
    assert told[0] == told[1]
    assert told[0][:6] == [
        "2025-03-04T05:06:07",
        "2025-03-04T05:06:07+00:00",
        "2025-03-04",
        NOW.timestamp(),
        "2025-03-04T05:06:07+00:00",
        "2025-03-04",
    ]
    assert told[0][6] == "2025-03-03T05:06:07+00:00"
    assert told[2][4] == "2031-01-01T00:00:00"


DRAWING = """
import random

def draw(n: int = 3) -> list:
    return [random.randint(0, 10**9) for _ in range(n)]

def add() -> dict:
    return db.insert("orders", {"order_id": str(random.randint(0, 10**9))})
"""


def test_randomness_depends_on_the_call_and_the_records_alone(sandbox: Sandbox) -> None:
    tools, one = server(DRAWING), host()
    with sandbox.session() as session:
        first = session.call(tools, "draw", {}, one).value
        again = session.call(tools, "draw", {}, one).value
        other = session.call(tools, "draw", {"n": 4}, one).value
        added = [session.call(tools, "add", {}, one).value["order_id"] for _ in range(3)]
    assert first == again != other[:3]
    assert len(set(added)) == 3
    script = dedent(f"""
        import sys
        from tests.worlds.test_sandbox import DRAWING, run
        from worlds.sandbox import Sandbox
        print(run(Sandbox.shared(), DRAWING, "draw").value == {first!r})
    """)
    assert python(script) == "True\n"


def python(script: str) -> str:
    """What a script prints, run with warnings as errors; it must print nothing to the error stream."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_shared_pool_ends_with_its_process_without_a_word() -> None:
    script = """
from worlds.sandbox import Sandbox
from tests.worlds.test_sandbox import run, server, host
session = Sandbox.shared().session()  # never closed
print(session.call(server("def f():\\n    return 1\\n"), "f", {}, host()).value)
"""
    assert python(script) == "1\n"


FORKING = """
import multiprocessing
from worlds.sandbox import Sandbox, SandboxUnavailable
from tests.worlds.test_sandbox import run

def use(results):
    try:
        results.put(run(Sandbox.shared(), "def f():\\n    return 1\\n", "f").value)
    except SandboxUnavailable as error:
        results.put(str(error))

def main(used_before):
    fork = multiprocessing.get_context("fork")
    results = fork.Queue()
    if used_before:
        use(results)
        print(results.get(timeout=10))
    child = fork.Process(target=use, args=(results,))
    child.start()
    print(results.get(timeout=10))
    child.join(10)
    use(results)
    print(results.get(timeout=10))

main({used})
"""


def test_a_forked_process_makes_its_own_pool() -> None:
    assert python(FORKING.replace("{used}", "False")) == "1\n1\n"


def test_a_process_forked_after_the_pool_is_told_so_and_the_parent_goes_on() -> None:
    lines = python(FORKING.replace("{used}", "True")).splitlines()
    assert lines[0] == lines[2] == "1"
    assert "fork first" in lines[1]


def test_nothing_is_borrowed_before_the_first_call_and_waiting_ends(sandbox: Sandbox) -> None:
    tools = server("def f():\n    return 1\n")
    sandbox.clean(tools)
    sessions = [sandbox.session() for _ in range(3)]
    assert sessions[0].call(tools, "f", {}, host()).value == 1
    assert sessions[1].call(tools, "f", {}, host()).value == 1
    with pytest.raises(SandboxUnavailable, match=r"within 0.5 s: all 2 are"):
        sessions[2].call(tools, "f", {}, host())
    sessions[0].close()
    assert sessions[2].call(tools, "f", {}, host()).value == 1
    for session in sessions:
        session.close()


COUNTING = """
COUNT = []

def count() -> int:
    COUNT.append(1)
    return len(COUNT)
"""


def test_a_session_starts_clean_also_after_another_server(sandbox: Sandbox) -> None:
    counting, other = server(COUNTING), server("def f():\n    return 7\n")
    with sandbox.session() as session:
        assert session.call(counting, "count", {}, host()).value == 1
        assert session.call(counting, "count", {}, host()).value == 2
        assert session.call(other, "f", {}, host()).value == 7
        assert session.call(counting, "count", {}, host()).value == 1
        session.close()
        assert session.call(counting, "count", {}, host()).value == 1


def test_a_call_whose_worker_was_killed_is_made_once_more_on_the_same_records(
    sandbox: Sandbox,
) -> None:
    source = """
        def add() -> int:
            db.insert("orders", {"order_id": db.next_id("orders")})
            return len(db.find("orders"))
    """
    with sandbox.session() as session:
        one = host()
        assert session.call(server(source), "add", {}, one).value == 1
        worker = session._worker
        assert worker is not None
        assert worker.worker_pid is not None
        os.kill(worker.worker_pid, signal.SIGKILL)
        assert session.call(server(source), "add", {}, one).value == 2


def test_changing_a_row_in_tool_code_changes_no_record(sandbox: Sandbox) -> None:
    source = """
        def spoil() -> dict:
            row = db.get("users", "u1")
            row["name"] = "Eve"
            row["tags"].append("b")
            for found in db.find("users"):
                found["tags"].append("c")
            given = {"id": "u2", "tags": []}
            db.insert("users", given)
            given["tags"].append("d")
            return db.get("users", "u1")
    """
    one = host()
    assert run(sandbox, source, "spoil", one).value == {"id": "u1", "name": "Ann", "tags": ["a"]}
    assert one.records.get("users", "u2") == {"id": "u2", "tags": []}


def test_tools_may_be_named_as_builtins_are(sandbox: Sandbox) -> None:
    source = """
        from decimal import Decimal

        def type(list: str) -> object:
            return (list, Decimal("1.5"))

        def dict() -> object:
            return [{"at": clock.today()}]

        def float():
            return None

        def ValueError():
            return {1, 2}
    """
    assert run(sandbox, source, "type", list="x").value == ["x", 1.5]
    assert run(sandbox, source, "dict").value == [{"at": "2025-03-04"}]
    assert "type set is not JSON" in run(sandbox, source, "ValueError").message


def test_tool_code_cannot_pass_anything_but_text_as_its_result(sandbox: Sandbox) -> None:
    source = """
        def __text(value):
            return {("x",): value}

        def f():
            return 1
    """
    assert run(sandbox, source, "f").status == "crashed"


def test_a_warm_call_with_two_accesses_is_quick(sandbox: Sandbox) -> None:
    tools = server(
        'def two():\n    return [db.get("users", "u1"), db.find("users", {"name": "Ann"})]\n'
    )
    with sandbox.session() as session:
        one = host()
        seconds = []
        for _ in range(50):
            started = time.perf_counter()
            session.call(tools, "two", {}, one)
            seconds.append(time.perf_counter() - started)
    assert sorted(seconds)[10] < 0.002


@settings(max_examples=50, deadline=None)
@given(value=json_values)
def test_arguments_and_results_pass_unchanged(sandbox: Sandbox, value: Any) -> None:
    source = "def echo(x):\n    db.put('orders', {'order_id': 'o', 'x': x})\n    return x\n"
    on = host()
    assert run(sandbox, source, "echo", on, x=value).value == value
    assert on.records.get("orders", "o") == {"order_id": "o", "x": value}


def test_every_allowed_module_is_there(sandbox: Sandbox) -> None:
    source = "\n".join(f"import {name}" for name in IMPORTS) + "\ndef act():\n    return 1\n"
    assert run(sandbox, source, "act").status == "ok"


def test_a_module_that_never_ends_is_a_limit_and_costs_no_more_than_two_tries(
    sandbox: Sandbox,
) -> None:
    endless = server("while True:\n    pass\ndef act():\n    return 1\n")
    times = []
    with sandbox.session() as session:
        for _ in range(4):
            started = time.monotonic()
            outcome = session.call(endless, "act", {}, host())
            times.append(time.monotonic() - started)
            assert (outcome.status, outcome.function) == ("limit", "")
    assert sum(times[2:]) < 0.1 < times[0]


def test_what_was_written_before_a_limit_stays_written(sandbox: Sandbox) -> None:
    on = host()
    source = (
        "def act():\n    db.insert('orders', {'order_id': 'o'})\n    while True:\n        pass\n"
    )
    assert run(sandbox, source, "act", on).status == "limit"
    assert on.records.get("orders", "o") == {"order_id": "o"}


def test_one_call_does_not_answer_for_the_attempts_of_another(sandbox: Sandbox) -> None:
    both = server("def bad():\n    try:\n        import socket\n    except ImportError:\n"
                  "        pass\ndef good():\n    return 1\n")  # fmt: skip
    with sandbox.session() as session:
        assert session.call(both, "bad", {}, host()).forbidden == ("import socket",)
        assert session.call(both, "good", {}, host()).forbidden == ()


def test_many_attempts_are_noted_as_a_few(sandbox: Sandbox) -> None:
    source = """
        def act():
            for n in range(500):
                try:
                    open('/' + str(n) * 300)
                except Exception:
                    pass
    """
    noted = run(sandbox, source, "act").forbidden
    assert len(noted) == 20
    assert max(map(len, noted)) <= 200


@pytest.mark.parametrize(
    ("handler", "line"),
    [
        ("except KeyError:\n        return 1", 2),
        ("except (KeyError, TypeError):\n        pass", 2),
        ("finally:\n        done = 1", 2),
        ("except ValueError:\n        raise", 2),
        ("except ValueError as error:\n        done = 1\n        raise error", 9),
    ],
)
def test_a_refusal_keeps_its_place_through_a_try_that_does_not_handle_it(
    sandbox: Sandbox, handler: str, line: int
) -> None:
    source = f"""def check(name):
    raise ValueError(f"There is no {{name}}.")

def act():
    try:
        return check("Ann")
    {handler}
"""
    outcome = run(sandbox, source, "act")
    assert (outcome.status, outcome.message) == ("refused", "There is no Ann.")
    assert (outcome.function, outcome.line) == ("check" if line == 2 else "act", line)


def test_a_crash_through_the_same_try_stays_a_crash(sandbox: Sandbox) -> None:
    source = "def act():\n    try:\n        return int('x')\n    finally:\n        done = 1\n"
    assert run(sandbox, source, "act").status == "crashed"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("X = 1\nY = X / 0\n", 2, "ZeroDivisionError"),
        ("X = 1\ndef act(:\n", 2, "SyntaxError"),
        ("X = db.get('users', 'u1')\n", 1, "RuntimeError: db and clock can be used only while"),
        ("X = " + "+".join("1" * 500), 1, "SyntaxError: Source is too deeply nested"),
    ],
)
def test_a_module_that_fails_makes_each_call_crash_at_its_line(
    sandbox: Sandbox, source: str, line: int, message: str
) -> None:
    for _ in range(2):
        outcome = run(sandbox, source, "act")
        assert (outcome.status, outcome.function, outcome.line) == ("crashed", "", line)
        assert outcome.message.startswith(message)


def test_a_long_message_is_cut(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "def act():\n    raise ValueError('x' * 100_000)\n", "act")
    assert (outcome.status, len(outcome.message)) == ("refused", 2000)


def test_a_value_that_cannot_cross_is_never_an_exception_of_ours(sandbox: Sandbox) -> None:
    outcome = run(
        sandbox, "from decimal import Decimal\ndef act():\n    return Decimal('sNaN')\n", "act"
    )
    assert outcome.status == "crashed"
    odd = run(sandbox, "def act(x):\n    return x\n", "act", x="\ud800")
    assert odd.status == "crashed"


@settings(max_examples=20, deadline=None)
@given(
    calls=st.lists(
        st.sampled_from([("add", {"n": 1}), ("draw", {}), ("fail", {}), ("crash", {})]), max_size=6
    )
)
def test_a_used_session_answers_as_a_clean_one(
    sandbox: Sandbox, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    source = """
        import random
        def add(n: int):
            return db.put('orders', {'order_id': str(len(db.find('orders'))), 'n': n})
        def draw():
            return [random.random(), random.choice(['a', 'b']), hash('text')]
        def fail():
            raise ValueError('no')
        def crash():
            return {}['x']
    """
    used, clean = host(), host()
    with sandbox.session() as session:
        for tool, args in calls:
            assert session.call(server(source), tool, args, used) == run(
                sandbox, source, tool, clean, **args
            )
    assert used.records.digest() == clean.records.digest()


DEADLY = """
import sys; sys.path.insert(0, ".")
import psutil
from tests.worlds.test_sandbox import NOW, Host, Records, Sandbox, host, server

class Deadly(Records):
    deaths = {deaths}
    def put(self, table, key, row):
        super().put(table, key, row)
        if self.deaths:
            self.deaths -= 1
            for worker in psutil.Process().children(recursive=True):
                worker.kill()

made = server("def act():\\n    return db.put('orders', {{'order_id': db.next_id('orders')}})\\n")
on = Host(Deadly(host().records.base), NOW)
own = Sandbox(processes=1)
with own.session() as session:
    for _ in range(2):
        print(session.call(made, "act", {{}}, on).status, on.records.keys("orders"))
own.close()
"""


@pytest.mark.parametrize(
    ("deaths", "told"),
    [
        (0, ["ok ['1']", "ok ['1', '2']"]),
        (1, ["ok ['1']", "ok ['1', '2']"]),
        (2, ["limit []", "ok ['1']"]),
    ],
)
def test_a_worker_that_dies_within_a_call_is_replaced_once_and_the_records_put_back(
    deaths: int, told: list[str]
) -> None:
    assert python(DEADLY.format(deaths=deaths)).splitlines() == told
