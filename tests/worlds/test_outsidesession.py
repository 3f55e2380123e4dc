"""Outside tool servers: their state is kept in step with the records, and whatever they do, we go on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import psutil
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.worlds.outside import (
    BLIND,
    JSON,
    KINDS,
    QUICK,
    SCRIPT,
    SQLITE,
    TOOLS,
    bundle,
    install,
    settings,
)
from worlds.hosts import Host
from worlds.outcome import Outcome
from worlds.outside import OutsideServer
from worlds.outsidesession import OutsideSession
from worlds.records import Base, Records, base_of
from worlds.scratch import Scratch
from worlds.servers import Servers, ServerSettings, ServerUnavailable
from worlds.toolserver_body import OutsideBody
from worlds.toolsession import ToolSession

BODY = OutsideBody(server="shop")


@pytest.fixture(autouse=True)
def installed() -> Iterator[None]:
    yield
    Servers.install(None)


class Attempt:
    """One attempt in the shop with nothing but its records and its server."""

    def __init__(self, meant: ServerSettings) -> None:
        install(shop=meant)
        self.base = base_of(bundle())
        self.records = Records(self.base)
        self.session = OutsideSession(OutsideServer.of(BODY), self.base)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def call(self, tool: str, **args: Any) -> Outcome:
        return self.session.call(tool, args, Host(self.records, self.base.clock.now))

    def misbehave(self, how: str) -> Outcome:
        return self.call("misbehave", how=how)

    def status(self, order: str) -> Any:
        row = self.records.get("orders", order)
        return row["status"] if row else None


ATTEMPTS = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@ATTEMPTS
def test_the_server_begins_with_the_records_and_what_it_writes_becomes_theirs(
    kind: dict[str, Any],
) -> None:
    with Attempt(settings(kind)) as attempt:
        assert attempt.call("find_order", order_id="W2").value["total"] == 25.5
        attempt.call("cancel_order", order_id="W1", reason="changed")
        assert [(c["table"], c["key"], c["op"]) for c in attempt.records.diff()] == [
            ("orders", "W1", "update"),
            ("refunds", "R1", "insert"),
        ]


@ATTEMPTS
def test_what_is_written_here_is_found_there_and_what_is_taken_back_is_gone(
    kind: dict[str, Any],
) -> None:
    with Attempt(settings(kind)) as attempt:
        before = attempt.records.snapshot()
        attempt.call("cancel_order", order_id="W1", reason="changed")
        attempt.records.restore(before)
        assert attempt.call("find_order", order_id="W1").value["status"] == "pending"
        new = {"order_id": "W9", "user_id": "ann", "status": "pending", "total": 1}
        attempt.records.put("orders", "W9", new)
        attempt.records.delete("orders", "W3")
        assert attempt.call("find_order", order_id="W9").value == new
        assert attempt.call("find_order", order_id="W3").status == "refused"


@ATTEMPTS
def test_a_refusal_keeps_its_words_and_writes_nothing(kind: dict[str, Any]) -> None:
    with Attempt(settings(kind)) as attempt:
        outcome = attempt.call("cancel_order", order_id="W3", reason="changed")
        assert (outcome.status, outcome.message) == (
            "refused",
            "Only pending orders can be cancelled.",
        )
        assert attempt.records.diff() == []


@hypothesis_settings(max_examples=12, suppress_health_check=[*HealthCheck])
@ATTEMPTS
@given(
    moves=st.lists(
        st.tuples(
            st.sampled_from(["here", "there", "back"]),
            st.sampled_from(["W1", "W2", "W3"]),
            st.sampled_from(["pending", "delivered", "cancelled"]),
        ),
        max_size=8,
    )
)
def test_records_and_server_agree_whoever_wrote_last(
    kind: dict[str, Any], moves: list[tuple[str, str, str]]
) -> None:
    with Attempt(settings(kind)) as attempt:
        saved = attempt.records.snapshot()
        for where, order, status in moves:
            row = attempt.records.get("orders", order) or {}
            if where == "here":
                attempt.records.put("orders", order, {**row, "status": status})
            elif where == "there":
                attempt.call("set_status", order_id=order, status=status)
            else:
                attempt.records.restore(saved)
            told = attempt.call("find_order", order_id=order).value
            assert told == attempt.records.get("orders", order)


def test_a_server_that_reads_its_state_only_at_the_start_is_started_again() -> None:
    with Attempt(settings(JSON, reset="restart")) as attempt:
        row = attempt.records.get("orders", "W1") or {}
        attempt.records.put("orders", "W1", {**row, "status": "delivered"})
        assert attempt.call("find_order", order_id="W1").value["status"] == "delivered"


def test_a_server_whose_state_cannot_be_written_must_begin_with_the_records() -> None:
    state = {"export": "export_state"}
    with (
        Attempt(settings({**TOOLS, "state": state}, reset={"tool": "reset_state"})) as attempt,
        pytest.raises(ServerUnavailable, match="begins with other rows than the records") as error,
    ):
        attempt.call("find_order", order_id="W1")
    assert "orders/W1" in str(error.value) or "such as" in str(error.value)


# What is shown to agents


def test_hidden_arguments_and_inner_tools_are_no_agent_s_business() -> None:
    install(shop=settings(TOOLS, reset={"tool": "reset_state"}))
    tools = OutsideServer.of(BODY).tools
    assert set(tools) == {
        "find_order",
        "cancel_order",
        "set_status",
        "misbehave",
        "peek",
        "promise",
    }
    assert set(tools["find_order"].schema["properties"]) == {"order_id"}
    assert tools["find_order"].refuse({"order_id": "W1", "token": "x"}) is not None
    assert tools["find_order"].description == "Find order.\n\nAt length."


def test_only_tools_that_say_so_are_read_only() -> None:
    install(shop=settings())
    tools = OutsideServer.of(BODY).tools
    assert [name for name, tool in tools.items() if not tool.writes] == [
        "find_order",
        "peek",
        "export_state",
    ]


def test_a_result_pointer_leads_to_what_agents_are_told() -> None:
    install(shop=settings(result="/total"))
    base = base_of(bundle())
    session = OutsideSession(OutsideServer.of(BODY), base)
    host = Host(Records(base), base.clock.now)
    assert session.call("find_order", {"order_id": "W2"}, host).value == 25.5
    session.close()


# Servers that misbehave


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        ("hang", "limit", "no answer within 1 s"),
        ("die", "crashed", "the server ended; it last said: about to die"),
        ("flood", "limit", "sent more than 1000000 bytes during one call"),
        ("flood with messages", "limit", "sent more than 1000000 bytes during one call"),
        ("one endless line", "limit", "sent more than 1000000 bytes during one call"),
        ("large", "limit", "sent more than 1000000 bytes during one call"),
        ("eat", "crashed", "the tool failed unexpectedly; the server last said: MemoryError"),
        ("spoil", "crashed", "it left in its state what cannot be kept"),
        ("spoil a key", "crashed", "it left in its state what cannot be kept"),
    ],
)
def test_a_server_that_misbehaves_fails_the_call_and_the_next_call_is_served(
    how: str, status: str, words: str
) -> None:
    with Attempt(settings()) as attempt:
        attempt.call("cancel_order", order_id="W1", reason="changed")
        outcome = attempt.misbehave(how)
        assert outcome.status == status
        assert words in outcome.message
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"


@pytest.mark.parametrize("kind", [JSON, SQLITE], ids=["json", "sqlite"])
def test_what_a_server_wrote_before_it_died_is_known(kind: dict[str, Any]) -> None:
    with Attempt(settings(kind)) as attempt:
        assert attempt.misbehave("die after writing").status == "crashed"
        assert attempt.status("W1") == "delivered"
        assert attempt.call("find_order", order_id="W1").value["status"] == "delivered"


def test_a_server_that_held_its_state_in_memory_and_died_begins_again_with_the_records() -> None:
    with Attempt(settings(TOOLS)) as attempt:
        attempt.call("cancel_order", order_id="W1", reason="changed")
        assert attempt.misbehave("die").status == "crashed"
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"
        assert attempt.misbehave("hang").status == "limit"
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"


def test_a_tool_that_makes_the_state_unreadable_has_crashed_and_the_next_call_is_served() -> None:
    with Attempt(settings()) as attempt:
        attempt.call("cancel_order", order_id="W1", reason="changed")
        outcome = attempt.misbehave("garble")
        assert outcome.status == "crashed"
        assert "its state cannot be read any more" in outcome.message
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"


def test_words_among_the_messages_are_told_and_do_no_harm() -> None:
    with Attempt(settings()) as attempt:
        outcome = attempt.misbehave("babble")
        assert (outcome.status, outcome.noise) == ("ok", "Traceback, or a greeting")
        assert attempt.call("find_order", order_id="W1").noise == ""


def descendants() -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if _is_shop(process)]


def _is_shop(process: psutil.Process) -> bool:
    try:
        return any("outside_shop" in word or "state.json" in word for word in process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.parametrize("how", ["breed", "hang", "babble"])
def test_nothing_of_a_server_outlives_the_attempt(how: str) -> None:
    with Attempt(settings()) as attempt:
        attempt.misbehave(how)
        folders = set(Scratch.mine().root.iterdir())
    gone_by = time.monotonic() + 5
    while descendants() and time.monotonic() < gone_by:
        time.sleep(0.05)
    assert descendants() == []
    assert len(folders) > len(set(Scratch.mine().root.iterdir()))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["{python}", "-c", "import time; time.sleep(60)"], "no answer in time"),
        (
            ["{python}", "-c", "print('Welcome!')"],
            "it ended; it wrote to stdout what is no message: 'Welcome!'",
        ),
        (["{python}", "-c", "import sys; sys.exit('no licence')"], "it last said: no licence"),
        (["/no/such/program"], "it last said: /no/such/program: No such file or directory"),
        (["{python}", "-c", "while True: print('x' * 9000)"], "it sent more than 1000000 bytes"),
    ],
)
def test_a_server_that_does_not_start_is_trouble_of_ours_in_one_sentence(
    command: list[str], words: str
) -> None:
    limits = {**QUICK, "start_seconds": 1}
    install(shop=settings({"command": command}, limits=limits))
    with pytest.raises(ServerUnavailable, match="the tool server 'shop' did not start") as error:
        OutsideServer.of(BODY)
    assert words in str(error.value)
    began = time.monotonic()
    with pytest.raises(ServerUnavailable):
        OutsideServer.of(BODY)
    assert time.monotonic() - began < 0.5  # not waited for again and again


def test_a_name_that_the_settings_lack_is_trouble_of_ours() -> None:
    install(other=settings())
    with pytest.raises(
        ServerUnavailable, match=r"no tool server 'shop' in the settings .*; there is other"
    ):
        OutsideServer.of(BODY)


def test_a_shared_state_serves_one_attempt_at_a_time(tmp_path: Path) -> None:
    kept = {
        "command": ["{python}", "-S", str(SCRIPT), "json", str(tmp_path / "state.json")],
        "state": {"json": f"{tmp_path}/state.json#/shop/tables"},
    }
    with Attempt(settings(kept)) as first:
        first.call("set_status", order_id="W1", status="delivered")
        second = OutsideSession(first.session.server, first.base)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("worlds.outsideprocess.PATIENCE", 0.2)
            with pytest.raises(ServerUnavailable, match="others use it"):
                second.call(
                    "find_order",
                    {"order_id": "W1"},
                    Host(Records(first.base), first.base.clock.now),
                )
    with Attempt(settings(kept)) as third:
        assert third.call("find_order", order_id="W1").value["status"] == "pending"


def test_a_server_without_a_state_is_called_and_nothing_is_claimed_of_its_rows() -> None:
    with Attempt(settings(BLIND)) as attempt:
        assert attempt.misbehave("nothing").value == "nothing"
        assert attempt.records.diff() == []


def test_a_result_that_is_not_what_its_tool_promised_is_a_crash_even_if_its_pattern_never_ends() -> (
    None
):
    with Attempt(settings()) as attempt:
        assert attempt.call("promise", said="aaa").status == "ok"
        broken = attempt.call("promise", said="a" * 40 + "!")
        assert (broken.status, "output schema" in broken.message) == ("crashed", True)


def test_an_error_of_a_server_s_own_is_told_in_its_words_whatever_number_it_has() -> None:
    with Attempt(settings(TOOLS)) as attempt:
        outcome = attempt.misbehave("refuse by number")
        assert (outcome.status, outcome.message) == ("crashed", "protocol error -32000: not today")
        assert attempt.call("find_order", order_id="W2").status == "ok"


def test_a_server_that_asks_and_does_not_listen_is_waited_for_no_longer_than_others() -> None:
    with Attempt(settings()) as attempt:
        attempt.call("find_order", order_id="W2")
        began = time.monotonic()
        assert attempt.misbehave("ask back").status == "limit"
        assert time.monotonic() - began < 15


def altered(change: str) -> ServerSettings:
    """The shop's server after `change` of its module `outside_shop`."""
    code = f"import outside_shop; {change}; outside_shop.main('json', '{{dir}}/state.json')"
    start = f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); "
    return settings({**JSON, "command": ["{python}", "-S", "-c", start + code]})


def test_a_name_that_is_listed_twice_is_a_problem_of_the_server() -> None:
    install(shop=altered("outside_shop.TOOLS.append(outside_shop.TOOLS[0])"))
    assert [item.message for item in OutsideServer.of(BODY).problems] == [
        "the tool find_order is listed twice"
    ]


def test_no_more_tools_are_taken_than_can_be_worked_with_also_from_one_page() -> None:
    install(shop=altered("outside_shop.TOOLS *= 260"))
    with pytest.raises(ServerUnavailable, match="lists more than 2000 tools"):
        OutsideServer.of(BODY)


def test_arguments_that_a_schema_names_elsewhere_than_in_properties_are_accepted() -> None:
    schema = "outside_shop.TOOLS[0]['inputSchema']"
    install(shop=altered(f"{schema} = {{'type': 'object', 'allOf': [{schema}]}}"))
    tools = OutsideServer.of(BODY).tools
    assert tools["find_order"].refuse({"order_id": "W1"}) is None
    assert tools["set_status"].refuse({"order_id": "W1", "status": "x", "more": 1})


def test_a_server_that_ended_and_begins_with_rows_of_its_own_again_is_brought_into_step() -> None:
    seed = "outside_shop.Store('json', '{dir}/state.json').write({name: {} for name in outside_shop.TABLES})"
    with Attempt(altered(seed)) as attempt:
        attempt.call("cancel_order", order_id="W1", reason="changed")
        assert attempt.misbehave("die").status == "crashed"
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"
        assert attempt.status("W2") == "pending"


def test_a_row_without_its_key_is_a_crash_and_the_next_call_is_served() -> None:
    insert = "INSERT INTO users (name) VALUES ('Nobody')"
    code = (
        "import sqlite3, outside_shop; outside_shop.MISDEEDS['spoil'] = lambda store: "
        f"sqlite3.connect(store.path, isolation_level=None).execute({insert!r}); "
        "outside_shop.main('sqlite', '{dir}/shop.db')"
    )
    start = f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); "
    with Attempt(settings({**SQLITE, "command": ["{python}", "-c", start + code]})) as attempt:
        attempt.call("cancel_order", order_id="W1", reason="changed")
        spoilt = attempt.misbehave("spoil")
        assert (spoilt.status, "has no 'user_id'" in spoilt.message) == ("crashed", True)
        assert attempt.call("find_order", order_id="W1").value["status"] == "cancelled"


def _order_and_pid(session: ToolSession, server: OutsideServer, cancels: bool) -> tuple[str, str]:
    """What an attempt finds W1 to be, and in which process; it may cancel it."""
    base = base_of(bundle())
    host = Host(Records(base), base.clock.now)
    found = session.call(server, "find_order", {"order_id": "W1"}, host).value["status"]
    if cancels:
        session.call(server, "cancel_order", {"order_id": "W1", "reason": "changed"}, host)
    pid = session.call(server, "misbehave", {"how": "count"}, host).value
    session.end_attempt()
    return found, pid


@pytest.mark.parametrize(("process", "processes"), [("attempt", 3), ("check", 1)])
def test_a_process_serves_one_attempt_or_all_of_a_check_and_each_begins_with_the_records(
    process: str, processes: int
) -> None:
    install(shop=settings(SQLITE, process=process))
    server = OutsideServer.of(BODY)
    with ToolSession() as session:
        seen = [_order_and_pid(session, server, cancels) for cancels in (True, True, False)]
        session.renew()
        _, anew = _order_and_pid(session, server, False)
    assert {status for status, _ in seen} == {"pending"}
    assert len({pid for _, pid in seen}) == processes
    assert anew not in {pid for _, pid in seen}
    assert not psutil.pid_exists(int(anew))


def test_a_process_that_died_in_one_attempt_is_started_again_for_the_next() -> None:
    install(shop=settings(SQLITE, process="check"))
    server, base = OutsideServer.of(BODY), base_of(bundle())
    with ToolSession() as session:
        died = session.call(
            server, "misbehave", {"how": "die"}, Host(Records(base), base.clock.now)
        )
        session.end_attempt()
        assert died.status == "crashed"
        assert _order_and_pid(session, server, False)[0] == "pending"


def test_other_records_have_another_process() -> None:
    install(shop=settings(SQLITE, process="check"))
    server = OutsideServer.of(BODY)
    with ToolSession() as session:
        _, pid = _order_and_pid(session, server, False)
        other = Base(bundle().domain, bundle().records)
        host = Host(Records(other), other.clock.now)
        assert session.call(server, "misbehave", {"how": "count"}, host).value != pid
