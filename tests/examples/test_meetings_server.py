"""The meetings domain as an ordinary MCP server over SQLite: call for call what the Python tool server does."""

from __future__ import annotations

import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Tool

from agents.reference import Reference
from worlds.environments import EnvironmentSpec
from worlds.episode import play
from worlds.hosts import Host
from worlds.library import read
from worlds.records import Base, Records
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody
from worlds.toolsession import ToolSession
from worlds.world import World

ROOT = Path(__file__).parents[2]
FOLDER = read(ROOT / "library" / "meetings")[0]
DOMAIN = FOLDER.domain.body
SPECS = [spec for spec in FOLDER.all_environments() if spec.toolservers == ("calendar",)]
BODY = FOLDER.toolservers["calendar"].body
assert isinstance(BODY, ToolServerBody)
PYTHON_SERVER = ToolServer.of(BODY)
BASES = {slug: Base(DOMAIN, file.body) for slug, file in FOLDER.records.items()}
FIELDS = {name: table.schema_["properties"] for name, table in DOMAIN.tables.items()}

COMMAND = [sys.executable, "-m", "examples.meetings_server"]
Tables = dict[str, dict[str, dict[str, Any]]]
Answer = tuple[str, Any]
"""`ok` and the result, or `refused` and the words."""


@dataclass
class Server:
    """The server under test as a client sees it, and its database as another program does."""

    path: Path
    portal: BlockingPortal
    session: ClientSession

    def call(self, tool: str, args: dict[str, Any]) -> Answer:
        result = self.portal.call(self.session.call_tool, tool, args)
        if result.is_error:
            text = "".join(part.text for part in result.content if part.type == "text")
            return "refused", text.removeprefix(f"Error executing tool {tool}: ")
        value = result.structured_content
        assert value is not None
        return "ok", value["result"] if set(value) == {"result"} else value

    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.portal.call(self.session.list_tools).tools}

    def reset(self, base: Base) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            for table, rows in base.tables.items():
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - a table of the domain
                insert(connection, table, list(rows.values()))

    def rows(self) -> Tables:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.row_factory = sqlite3.Row
            return {table: self._table(connection, table) for table in FIELDS}

    def _table(self, connection: sqlite3.Connection, table: str) -> dict[str, dict[str, Any]]:
        found = connection.execute(f"SELECT * FROM {table}")  # noqa: S608 - as above
        rows = [{name: value(table, name, row[name]) for name in row.keys()} for row in found]  # noqa: SIM118 - a sqlite3.Row gives values
        return {row[DOMAIN.tables[table].key]: row for row in rows}


def insert(connection: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    names = list(FIELDS[table])
    quoted, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" for _ in names)
    records = [[stored(row[name]) for name in names] for row in rows]
    query = f"INSERT INTO {table} ({quoted}) VALUES ({marks})"  # noqa: S608 - names of the domain
    connection.executemany(query, records)


def stored(found: Any) -> Any:
    return json.dumps(found) if isinstance(found, list) else found


def value(table: str, name: str, found: Any) -> Any:
    kind = FIELDS[table][name].get("type")
    if kind == "array":
        return json.loads(found)
    return bool(found) if kind == "boolean" else found


def python_rows(records: Records) -> Tables:
    return {
        table: {key: row for key in records.keys(table) if (row := records.get(table, key))}
        for table in FIELDS
    }


def plain(found: Any) -> str:
    """As JSON text, in which true is not 1."""
    return json.dumps(found, sort_keys=True, indent=1, ensure_ascii=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("meetings") / "meetings.db"
    parameters = StdioServerParameters(
        command=COMMAND[0], args=COMMAND[1:], env={"MEETINGS_DB": str(path)}, cwd=ROOT
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio_client(parameters)) as streams,
        portal.wrap_async_context_manager(ClientSession(*streams)) as session,
    ):
        portal.call(session.initialize)
        yield Server(path, portal, session)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[ToolSession]:
    with ToolSession() as opened:
        yield opened


# The same answers and the same rows


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.slug)
def test_a_reference_plan_is_answered_alike_and_leaves_the_same_rows(
    spec: EnvironmentSpec, server: Server, sandbox: ToolSession
) -> None:
    world = World(FOLDER.bundle(spec))
    episode = play(world, Reference.of(world), sandbox)
    server.reset(world.base)
    now = world.base.clock.now.isoformat()
    for step in episode.steps:
        if step.kind == "call" and step.tool in world.tools:  # the user answers ask_user
            answer = server.call(step.tool, {**step.args, "now": now})
            assert plain(answer) == plain((step.status, step.result))
    records = Records(world.base)
    records.apply(episode.diff)
    assert plain(server.rows()) == plain(python_rows(records))


class Caller:
    """Draws calls that mostly make sense: ids that exist, days and times around now."""

    def __init__(self, base: Base, seed: int) -> None:
        self.random = random.Random(seed)
        self.base = base

    def call(self) -> tuple[str, dict[str, Any]]:
        tool = self.random.choice(sorted(PYTHON_SERVER.tools))
        schema = PYTHON_SERVER.tools[tool].schema
        chosen = {
            name: self.argument(name, part)
            for name, part in schema["properties"].items()
            if name in schema.get("required", []) or self.random.random() < 0.4
        }
        if tool != "respond" and self.random.random() < 0.8:
            chosen.update(self._rightful(chosen))
        return tool, chosen

    def _rightful(self, chosen: dict[str, Any]) -> dict[str, str]:
        """On behalf of somebody who may do this."""
        for table in ("meetings", "series"):
            row = self.base.tables[table].get(chosen.get(DOMAIN.tables[table].key, ""))
            if row:
                return {"on_behalf_of": row["organizer_id"]}
        request = self.base.tables["requests"].get(chosen.get("request_id", ""))
        if request:
            room = self.base.tables["rooms"][request["room_id"]]
            return {"on_behalf_of": room["custodian_id"]}
        return {}

    def argument(self, name: str, part: dict[str, Any]) -> Any:
        if "enum" in part:
            return self.random.choice(part["enum"])
        if part.get("type") == "boolean":
            return self.random.random() < 0.5
        draw = getattr(self, f"_{name}", None)
        return draw() if draw else self.key("people")

    def key(self, table: str) -> str:
        known = sorted(self.base.tables[table])
        return self.random.choice(known) if self.random.random() < 0.95 else "X0"

    def day(self) -> str:
        if self.random.random() < 0.08:
            odd = [
                "",
                "tomorrow",
                "1999-01-01",
                "2026-02-30",
                "2026-03-24T10",
                "20260324",
                "2026-W13-2",
            ]
            return self.random.choice(odd)
        return f"2026-{self.random.randint(3, 4):02}-{self.random.randint(1, 30):02}"

    def _start(self) -> str:
        if self.random.random() < 0.1:
            odd = [
                "2026-03-29T02:30",
                "2026-03-24",
                "noon",
                "2026-03-24T10:00+01:00",
                "2026-13-01T10:00",
            ]
            return self.random.choice(odd)  # fmt: skip
        return f"{self.day()}T{self.random.randint(8, 17):02}:{self.random.choice(['00', '30'])}"

    def _at(self) -> str:
        zone = self.random.choice(["+00:00", "+01:00", "Z", ""])
        return f"{self.day()}T{self.random.randint(8, 17):02}:15:00{zone}"

    def _minutes(self) -> int:
        return self.random.choice([-30, 0, 15, 30, 60, 90, 480, 481, 10**13])

    def _people(self) -> int:
        return self.random.choice([1, 4, 9, 40])

    def _attendee_ids(self) -> list[str]:
        return [self.key("people") for _ in range(self.random.randint(0, 3))]

    def _equipment(self) -> list[str]:
        return self.random.sample(["screen", "video", "whiteboard"], self.random.randint(0, 2))

    def _tz(self) -> str:
        return self.of("people", "tz", "Europe/Nowhere")

    def of(self, table: str, field: str, *others: str) -> str:
        known: set[str] = {row[field] for row in self.base.tables[table].values()}
        return self.random.choice([*sorted(known), *others])

    def _name(self) -> str:
        return self.of("rooms", "name", "a", " ")

    def _title(self) -> str:
        return self.of("meetings", "title", "Incident: mail is down", "e", " ")

    def _query(self) -> str:
        return self.of("people", "name", "an", "É", "@", "a")

    def _city(self) -> str:
        return self.random.choice(["London", "ber", "são", "SÃO", ""])

    def _team(self) -> str:
        return self.random.choice(["Finance", "Facilities", "Sales"])

    def _reason(self) -> str:
        return self.random.choice([" No longer needed ", "Überholt", " "])

    _note = _reason
    _first_day = _last_day = _from_day = _day = day
    _person_ids = _attendee_ids

    def _time(self) -> str:
        return self.random.choice(["10:30", "12:30", "16:00", "23:30", "9:00", "noon"])

    def _request_id(self) -> str:
        return self.key("requests")

    def _series_id(self) -> str:
        return self.key("series")

    def _office_id(self) -> str:
        return self.key("offices")

    def _room_id(self) -> str:
        return self.key("rooms")

    def _meeting_id(self) -> str:
        return self.key("meetings")


@pytest.mark.parametrize("slug", BASES)
@pytest.mark.parametrize("seed", range(8))
def test_any_calls_one_after_another_are_answered_alike_and_leave_the_same_rows(
    slug: str, seed: int, server: Server, sandbox: ToolSession
) -> None:
    base = BASES[slug]
    caller, records = Caller(base, seed), Records(base)
    host = Host(records, base.clock.now)
    server.reset(base)
    met = set()
    for _ in range(100):
        tool, args = caller.call()
        outcome = sandbox.call(PYTHON_SERVER, tool, args, host)
        expected = (outcome.status, outcome.value if outcome.status == "ok" else outcome.message)
        now = base.clock.now.isoformat()
        answer = server.call(tool, {**args, "now": now})
        assert plain(answer) == plain(expected), (tool, args)
        met.add(outcome.status)
    assert plain(server.rows()) == plain(python_rows(records))
    assert met == {"ok", "refused"}
    assert records.diff() != []


PEOPLE = sorted(BASES["office"].tables["people"])


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("find_time", {"person_ids": PEOPLE[:2] * 40, "day": "2026-03-24", "minutes": 30}),
        ("find_time", {"person_ids": [f"X{n}" for n in range(51)], "day": "", "minutes": 0}),
        ("find_rooms", {"office_id": "LDN", "start": "2026-03-24T10:00", "minutes": 10**13}),
        ("find_rooms", {"office_id": "LDN", "minutes": -1}),
    ],
    ids=["named-again", "crowd", "ages", "less-than-nothing"],
)
def test_arguments_out_of_all_bounds_are_answered_alike(
    tool: str, args: dict[str, Any], server: Server, sandbox: ToolSession
) -> None:
    base = BASES["office"]
    server.reset(base)
    outcome = sandbox.call(PYTHON_SERVER, tool, args, Host(Records(base), base.clock.now))
    expected = (outcome.status, outcome.value if outcome.status == "ok" else outcome.message)
    assert outcome.status in ("ok", "refused")
    assert plain(server.call(tool, {**args, "now": base.clock.now.isoformat()})) == plain(expected)


# What a client sees


def inlined(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema without titles, and with what it refers to in its place."""
    if "$ref" in part:
        part = {**schema["$defs"][part["$ref"].rpartition("/")[2]], **part}
    words = {"title", "$ref"}
    return {name: value for name, value in part.items() if name not in words}


def test_tools_are_described_as_those_of_the_python_tool_server_are(server: Server) -> None:
    found = server.tools()
    assert set(found) == set(PYTHON_SERVER.tools)
    for name, ours in PYTHON_SERVER.tools.items():
        schema = found[name].input_schema
        parts = {key: inlined(schema, part) for key, part in schema["properties"].items()}
        assert parts.pop("now")["default"] == ""
        for part in parts.values():
            if part.get("default", "") is None:  # ours leave that out
                del part["default"]
        assert parts == ours.schema["properties"], name
        assert schema.get("required", []) == ours.schema.get("required", []), name
        told = (found[name].description or "").partition("\n\nArgs:")[0].split("\n\n")
        assert [" ".join(each.split()) for each in told] == ours.description.split("\n\n")


def test_tools_that_only_read_say_so(server: Server) -> None:
    hints = {
        name: tool.annotations is not None and tool.annotations.read_only_hint
        for name, tool in server.tools().items()
    }
    assert hints == {name: not tool.writes for name, tool in PYTHON_SERVER.tools.items()}


def test_there_is_a_table_for_each_of_the_domain_and_a_column_for_each_field(
    server: Server,
) -> None:
    with closing(sqlite3.connect(server.path)) as connection:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        tables = {name for (name,) in listed}
        columns = {
            table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            for table in tables
        }
    assert columns == {table: set(fields) for table, fields in FIELDS.items()}


def test_a_row_that_another_program_writes_is_seen_by_the_next_call(server: Server) -> None:
    server.reset(BASES["office"])
    with closing(sqlite3.connect(server.path)) as connection, connection:
        connection.execute("UPDATE offices SET city = 'Atlantis' WHERE office_id = 'BOS'")
    status, offices = server.call("list_offices", {"city": "atlantis"})
    assert status == "ok"
    assert [office["office_id"] for office in offices] == ["BOS"]


def test_without_a_time_it_is_now(server: Server) -> None:
    server.reset(BASES["office"])
    args = {"on_behalf_of": "P05", "person_id": "P05", "kind": "travel"}
    days = {"first_day": "2026-03-20", "last_day": "2026-03-20"}
    status, words = server.call("set_out_of_office", {**args, **days})
    assert (status, words) == ("refused", "2026-03-20 is past; an absence begins today or later.")


# How it is started


def started(*more: str, **environment: str) -> subprocess.Popen[str]:
    variables = {name: text for name, text in os.environ.items() if name != "MEETINGS_DB"}
    return subprocess.Popen(
        [*COMMAND, *more],
        cwd=ROOT,
        env={**variables, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_without_a_database_it_says_what_to_set() -> None:
    out, err = started().communicate(timeout=30)
    assert (out, err) == (
        "",
        "meetings_server: MEETINGS_DB is not set: name the SQLite file to work on\n",
    )


def test_a_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    _, err = started(MEETINGS_DB=str(path)).communicate(timeout=30)
    assert err.startswith(f"meetings_server: {path} cannot be used as a database: ")
    assert err.count("\n") == 1


def test_it_speaks_streamable_http_too(tmp_path: Path, server: Server) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    path = tmp_path / "meetings.db"
    process = started("--http", str(port), MEETINGS_DB=str(path))
    try:
        until_listening(port)
        opened = streamable_http_client(f"http://127.0.0.1:{port}/mcp")
        with (
            server.portal.wrap_async_context_manager(opened) as streams,
            server.portal.wrap_async_context_manager(ClientSession(*streams)) as session,
        ):
            server.portal.call(session.initialize)
            over_http = Server(path, server.portal, session)
            over_http.reset(BASES["office"])
            status, offices = over_http.call("list_offices", {})
            assert (status, len(offices)) == ("ok", len(BASES["office"].tables["offices"]))
    finally:
        process.terminate()
        process.communicate(timeout=30)


def until_listening(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"nobody listens at {port}")
