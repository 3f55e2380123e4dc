"""Tool code in the real sandbox: what it returns, how it fails, and that it cannot reach out."""

from __future__ import annotations

import os
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


def test_dataclass_arguments_arrive_as_instances_however_deep(sandbox: Sandbox) -> None:
    source = """
        from dataclasses import dataclass, field

        @dataclass
        class Item:
            name: str
            count: int = 2

        @dataclass
        class Basket:
            items: list[Item]
            gift: Item | None = None
            named: dict[str, dict[str, Item]] = field(default_factory=dict)

        def act(basket: Basket, rows: list[list[Item]], other: Item | None = None):
            names = [item.name for item in basket.items] + [item.name for row in rows for item in row]
            return [names, basket.gift, basket.named["a"]["b"].count, other]
    """
    basket = {"items": [{"name": "x"}], "named": {"a": {"b": {"name": "y", "count": 7}}}}
    outcome = run(sandbox, source, "act", basket=basket, rows=[[{"name": "z"}]], other=None)
    assert outcome.value == [["x", "z"], None, 7, None]


# Limits


LIMITLESS = {
    "an endless loop": "while True:\n    pass",
    "memory": "rows = []\nwhile True:\n    rows.append('x' * 100_000 + str(len(rows)))",
    "a huge text": "text = 'x' * 10**9",
    "a huge number": "number = 10 ** 10 ** 9",
    "a huge list": "rows = [0] * 10**9",
    "a huge result": "return 'x' * 2_000_000",
    "a result that is shared a thousand million times": (
        "a = ['x' * 100]\nfor _ in range(30):\n    a = [a, a]\nreturn a"
    ),
    "a result that is nested too deeply": "a = []\nfor _ in range(500):\n    a = [a]\nreturn a",
    "endless printing": "while True:\n    print('x' * 10_000)",
    "host calls": "for _ in range(100_000):\n    db.get('users', 'u1')",
}


@pytest.mark.parametrize("swallowed", [False, True], ids=["plain", "swallowed"])
@pytest.mark.parametrize("body", LIMITLESS.values(), ids=LIMITLESS.keys())
def test_what_has_no_end_is_stopped_even_when_swallowed(
    sandbox: Sandbox, body: str, swallowed: bool
) -> None:
    if swallowed:
        inner = body.replace("\n", "\n        ")
        body = f"while True:\n    try:\n        {inner}\n    except BaseException:\n        pass"
    source = "def act():\n    " + body.replace("\n", "\n    ")
    started = time.monotonic()
    with sandbox.session() as session:
        outcome = session.call(server(source), "act", {}, host())
        assert (outcome.status, outcome.function) == ("limit", "act")
        assert outcome.message
        assert time.monotonic() - started < 5
        after = session.call(server("def act():\n    return 'alive'"), "act", {}, host())
        assert after.value == "alive"
        again = session.call(server(source + "\ndef other():\n    return 1\n"), "other", {}, host())
        assert again.value == 1


def test_endless_recursion_is_a_limit_where_it_happened(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "def deep(n):\n    return deep(n + 1)\ndef act():\n    deep(0)\n", "act")
    assert (outcome.status, outcome.function, outcome.line) == ("limit", "deep", 2)


def test_a_limit_that_the_tool_raises_itself_is_a_crash(sandbox: Sandbox) -> None:
    for name in ("TimeoutError", "MemoryError", "RecursionError"):
        outcome = run(sandbox, f"def act():\n    raise {name}('mine')\n", "act")
        assert (outcome.status, outcome.message) == ("crashed", f"{name}: mine")


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


# Closed doors


DOORS = {
    "a file": ("open('/etc/passwd').read()", "open /etc/passwd"),
    "a file to write": ("open('/tmp/left-behind', 'w').write('x')", "open /tmp/left-behind"),
    "a path": ("__import_path().read_text()", "Path.read_text /etc/passwd"),
    "the environment": ("__import_os().environ['HOME']", "os.environ"),
    "a variable": ("__import_os().getenv('HOME')", "os.getenv HOME"),
    "a socket": ("import_socket()", "import socket"),
    "a process": ("import_subprocess()", "import subprocess"),
}
OPENERS = """
def __import_path():
    from pathlib import Path
    return Path('/etc/passwd')

def __import_os():
    import os
    return os

def import_socket():
    import socket
    return socket.socket()

def import_subprocess():
    import subprocess
    return subprocess.run(['id'])
"""


@pytest.mark.parametrize(("attempt", "noted"), DOORS.values(), ids=DOORS.keys())
def test_an_attempt_to_reach_out_fails_and_is_noted_even_when_swallowed(
    sandbox: Sandbox, attempt: str, noted: str
) -> None:
    outcome = run(sandbox, f"{OPENERS}\ndef act():\n    return {attempt}\n", "act")
    assert outcome.status == "crashed"
    assert outcome.forbidden[0].startswith(noted)
    quiet = f"def act():\n    try:\n        return {attempt}\n    except Exception:\n        return 'fine'\n"
    outcome = run(sandbox, OPENERS + quiet, "act")
    assert (outcome.status, outcome.value) == ("ok", "fine")
    assert outcome.forbidden[0].startswith(noted)
    assert not os.path.exists("/tmp/left-behind")  # noqa: PTH110  # must not exist


def test_an_attempt_of_the_modules_own_code_is_noted_with_each_call(sandbox: Sandbox) -> None:
    source = "try:\n    open('/x')\nexcept Exception:\n    pass\ndef act():\n    return 1\n"
    with sandbox.session() as session:
        for _ in range(2):
            outcome = session.call(server(source), "act", {}, host())
            assert (outcome.value, outcome.forbidden) == (1, ("open /x r",))


def test_one_call_does_not_answer_for_the_attempts_of_another(sandbox: Sandbox) -> None:
    both = server(f"{OPENERS}\ndef bad():\n    try:\n        import socket\n    except ImportError:\n"
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


# How a call fails


def test_only_a_value_error_raised_by_hand_is_a_refusal(sandbox: Sandbox) -> None:
    source = """
        def refuse(name: str):
            if True: raise ValueError("Sorry, " + name)

        def slip():
            return int("x")

        def slip_within():
            raise ValueError(int("x"))

        def again():
            try:
                slip()
            except ValueError:
                raise ValueError("Give a number.")

        def other():
            raise KeyError("x")
    """
    called = {
        tool: run(sandbox, source, tool) for tool in ("slip", "slip_within", "again", "other")
    }
    refused = run(sandbox, source, "refuse", name="Ann")
    assert (refused.status, refused.message) == ("refused", "Sorry, Ann")
    assert (refused.function, refused.line) == ("refuse", 3)
    assert {tool: (outcome.status, outcome.line) for tool, outcome in called.items()} == {
        "slip": ("crashed", 6),
        "slip_within": ("crashed", 9),
        "again": ("refused", 15),
        "other": ("crashed", 18),
    }
    assert called["slip"].message.startswith("ValueError: invalid literal")
    assert called["other"].message == "KeyError: x"


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
    ("body", "message"),
    [
        ("return nobody", "NameError: name 'nobody' is not defined"),
        ("return {}['a']", "KeyError: a"),
        ("return None.x", "AttributeError: 'NoneType' object has no attribute 'x'"),
        ("assert given is None, 'not none'", "AssertionError: not none"),
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        ("return db.get('nope', 'k')", "LookupError: there is no table 'nope'"),
        ("return db.update('users', 'x', {})", "LookupError: users has no row 'x'"),
        ("return db.find('users', where={})", "TypeError:"),
        ("return clock.local('x', 'UTC')", "TypeError: 'x' is not a date and time"),
        ("return money(None)", "TypeError: money takes a number"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise Exception('x')", "Exception: x"),
    ],
)
def test_any_other_exception_is_a_crash_with_its_line(
    sandbox: Sandbox, body: str, message: str
) -> None:
    source = (
        f"# one\n\ndef _help(given):\n    x = 1\n    {body}\n\ndef act():\n    return _help(3)\n"
    )
    outcome = run(sandbox, source, "act")
    assert (outcome.status, outcome.function, outcome.line) == ("crashed", "_help", 5)
    assert outcome.message.startswith(message)


def test_a_helper_called_wrongly_is_a_crash_of_the_tool(sandbox: Sandbox) -> None:
    outcome = run(sandbox, "def _help(x):\n    return x\ndef act():\n    return _help()\n", "act")
    assert (outcome.status, outcome.function, outcome.line) == ("crashed", "act", None)
    assert "missing 1 required" in outcome.message


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


# Records


def test_rows_inside_are_copies(sandbox: Sandbox) -> None:
    source = """
        def act():
            got = db.get('users', 'u1')
            got['tags'].append('mine')
            made = db.insert('orders', {'order_id': 'o', 'tags': got['tags']})
            made['tags'].append('more')
            got['tags'].append('most')
            db.find('users')[0]['tags'].append('x')
            return [db.get('users', 'u1')['tags'], db.get('orders', 'o')['tags']]
    """
    on = host()
    assert run(sandbox, source, "act", on).value == [["a"], ["a", "mine"]]
    assert on.records.get("users", "u1") == {"id": "u1", "name": "Ann", "tags": ["a"]}


def test_misuse_can_be_caught_by_its_type(sandbox: Sandbox) -> None:
    source = """
        def act():
            caught = []
            for use in (lambda: db.get('nope', 'k'), lambda: db.insert('users', {}),
                        lambda: clock.utc(3)):
                try:
                    use()
                except ValueError:
                    caught.append('value')
                except LookupError:
                    caught.append('lookup')
                except TypeError:
                    caught.append('type')
            return caught
    """
    assert run(sandbox, source, "act").value == ["lookup", "type", "type"]


# Sameness


COUNTER = "SEEN = []\ndef tick():\n    SEEN.append(1)\n    return len(SEEN)\n"


def test_a_session_starts_clean_whoever_used_the_worker_before(sandbox: Sandbox) -> None:
    for _ in range(6):
        assert run(sandbox, COUNTER, "tick").value == 1


def test_two_tool_servers_take_turns_in_one_session(sandbox: Sandbox) -> None:
    one, two = (
        server("X = 'one'\ndef act():\n    return X\n"),
        server("X = 'two'\ndef act():\n    db.put('orders', {'order_id': X})\n    return X\n"),
    )
    on = host()
    with sandbox.session() as session:
        values = [session.call(each, "act", {}, on).value for each in (one, two, one, two, two)]
    assert values == ["one", "two", "one", "two", "two"]
    assert on.records.keys("orders") == ["two"]


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


def test_the_clock_stands_still_by_every_way_of_asking(sandbox: Sandbox) -> None:
    source = """
        import time
        from datetime import date, datetime, timezone
        def act():
            time.sleep(30)
            return [datetime.now(), date.today(), datetime.now(timezone.utc), clock.now(), clock.today(),
                    time.time(), time.monotonic() - time.monotonic()]
    """
    day = "2025-03-04"
    started = time.monotonic()
    assert run(sandbox, source, "act").value == [
        f"{day}T05:06:07", day, f"{day}T05:06:07+00:00", f"{day}T05:06:07+00:00", day,
        NOW.timestamp(), 0.0,
    ]  # fmt: skip
    assert time.monotonic() - started < 5


DRAWS = """
import random
from random import choice
def act(n: int):
    return [random.random(), choice("abcdef"), random.sample(range(100), 3), list({"x", "y", "z"}), hash("a")]
"""
SCRIPT = """
import sys; sys.path.insert(0, ".")
from tests.worlds.test_sandbox import DRAWS, Sandbox, host, run
print(run(Sandbox.shared(), DRAWS, "act", n=1).value)
"""


def python(script: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, in which any warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_chance_depends_on_the_call_and_the_records_alone(sandbox: Sandbox) -> None:
    first = run(sandbox, DRAWS, "act", n=1).value
    assert run(sandbox, DRAWS, "act", n=1).value == first
    assert run(sandbox, DRAWS, "act", n=2).value[:3] != first[:3]
    moved = host()
    moved.records.put("orders", "o", {"order_id": "o"})
    assert run(sandbox, DRAWS, "act", moved, n=1).value[:3] != first[:3]
    elsewhere = python(SCRIPT)
    assert (elsewhere.stdout.strip(), elsewhere.stderr) == (str(first), "")


# Processes


def test_who_waits_too_long_for_a_worker_is_told_why() -> None:
    small = Sandbox(Limits(), processes=1, patience=0.2)
    one = server("def act():\n    return 1\n")
    with small.session() as first:
        assert first.call(one, "act", {}, host()).value == 1
        with small.session() as second, pytest.raises(SandboxUnavailable, match="all 1 are"):
            second.call(one, "act", {}, host())
    with small.session() as third:
        assert third.call(one, "act", {}, host()).value == 1
    small.close()


def test_a_closed_session_and_a_closed_sandbox_can_be_used_again(sandbox: Sandbox) -> None:
    own = Sandbox(processes=1)
    one = server("def act():\n    return 1\n")
    with own.session() as session:
        for close in (session.close, own.close, session.close):
            assert session.call(one, "act", {}, host()).value == 1
            session.close()
            close()
    own.close()


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
    done = python(DEADLY.format(deaths=deaths))
    assert (done.stdout.strip().split("\n"), done.stderr) == (told, "")


FORK = """
import sys; sys.path.insert(0, ".")
from tests.worlds.test_sandbox import Sandbox, SandboxUnavailable, host, run
import os
SOURCE = "def act():\\n    return 1\\n"
{before}
child = os.fork()
if not child:
    try:
        print("child", run(Sandbox.shared(), SOURCE, "act").value, flush=True)
    except SandboxUnavailable as error:
        print("child:", error, flush=True)
    Sandbox.shared().close()
    os._exit(0)
os.waitpid(child, 0)
print("parent", run(Sandbox.shared(), SOURCE, "act").value)
"""


def test_a_child_forked_before_the_sandbox_was_used_has_one_of_its_own() -> None:
    done = python(FORK.format(before=""))
    assert (done.stdout.split("\n")[:2], done.stderr) == (["child 1", "parent 1"], "")


def test_a_child_forked_afterwards_is_told_and_harms_nobody() -> None:
    done = python(FORK.format(before="run(Sandbox.shared(), SOURCE, 'act')"))
    child, parent = done.stdout.strip().split("\n")
    assert "had used the sandbox: fork first" in child
    assert (parent, done.stderr, done.returncode) == ("parent 1", "", 0)


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "session.__enter__(); use(session)"])
def test_a_process_ends_cleanly_even_with_a_session_open(end: str) -> None:
    done = python(f"""
import sys; sys.path.insert(0, ".")
from tests.worlds.test_sandbox import Sandbox, host, server
def use(session): return session.call(server("def act():\\n    return 1\\n"), "act", {{}}, host()).value
session = Sandbox.shared().session()
with session:
    print(use(session))
{end}
""")
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)
