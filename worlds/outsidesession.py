"""Calls of one outside tool server on behalf of one attempt, its state kept in step with the records."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from worlds.canonical import digest
from worlds.connection import CallFailed, Reply
from worlds.exchange import NotJson, TooLarge, check, check_size
from worlds.hosts import Host
from worlds.jsonstate import JsonFile
from worlds.outcome import LONGEST_MESSAGE, Outcome
from worlds.outside import OutsideServer
from worlds.outsideprocess import OutsideProcess
from worlds.outsidestate import OutsideState, between
from worlds.pointer import PointsNowhere, at
from worlds.records import Base, Records, Snapshot
from worlds.scratch import Scratch
from worlds.servers import JsonState, ResetTool, ServerUnavailable, SqliteState, ToolState
from worlds.sqlitestate import SqliteFile
from worlds.surroundings import Limits
from worlds.toolstate import ToolExport, content

RESULT_BYTES = Limits().result_bytes
EXECUTING = re.compile(r"Error executing tool \S+?(?:: |$)")
"""How the SDK's servers begin a failure; nothing after it means that the tool crashed."""

FAILED = "the tool failed unexpectedly"
UNKEPT = "it left in its state what cannot be kept"


class OutsideSession:
    """Calls of one outside server on behalf of one attempt. Its state is kept in step with the records: what
    they say is put into the server before a call, and what the server changed into them after it."""

    def __init__(self, server: OutsideServer, base: Base) -> None:
        self.server, self.base = server, base
        self._running: OutsideProcess | None = None
        self._state: OutsideState | None = None
        self._has: Snapshot = {}

    def close(self) -> None:
        """Kill the server with all that it kept."""
        self._let_go()
        running, self._running = self._running, None
        if running is not None:
            running.__exit__()

    def rests(self) -> bool:
        """End an attempt; whether the process stays for the next one. Else it is killed."""
        running = self._running
        if self.server.settings.process == "attempt" or running is None or not running.is_up:
            self.close()
            return False
        self._let_go()
        self._has = {}
        return True

    def _let_go(self) -> None:
        if isinstance(self._state, SqliteFile):
            self._state.close()
        self._state = None

    def ready(self, host: Host) -> None:
        """Have the server running and in step with the records. Raises ServerUnavailable."""
        with self._named():
            self._ready(host)

    def call(self, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        """Call a tool with arguments that fit its schema. Raises only ServerUnavailable."""
        with self._named():
            return self._called(tool, args, host)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Let whatever is said of the server name it."""
        try:
            yield
        except (ServerUnavailable, NotJson) as error:
            name = f"the tool server {self.server.name!r}"
            if str(error).startswith(name):
                raise
            raise ServerUnavailable(f"{name}: {error}") from error

    def _called(self, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        running = self._ready(host)
        try:
            hidden = running.hidden(host.clock.isoformat())
            outcome = self._told(tool, running.connection.call(tool, {**args, **hidden}), running)
        except CallFailed as error:
            if not error.is_alive:
                running.stop()
            status: Literal["limit", "crashed"] = "limit" if error.limit else "crashed"
            outcome = Outcome(status, message=str(error)[:LONGEST_MESSAGE], function=tool)
        noise = running.noise()
        outcome = self._follow(host.records, running, outcome)
        return replace(outcome, noise=noise) if noise else outcome

    def _told(self, tool: str, reply: Reply, running: OutsideProcess) -> Outcome:
        if reply.is_error:
            found = EXECUTING.match(reply.text)
            text = reply.text[found.end() :] if found else reply.text
            if found and not text:
                said = running.connection.traffic.last_words
                message = f"{FAILED}; the server last said: {said}" if said else FAILED
                return Outcome("crashed", message=message[:LONGEST_MESSAGE], function=tool)
            return Outcome("refused", message=str(self._pointed(text, reply))[:LONGEST_MESSAGE])
        value = self._pointed(content(reply), reply)
        try:
            check_size(value, RESULT_BYTES)
        except TooLarge as error:
            return Outcome("limit", message=f"result: {error}", function=tool)
        except NotJson as error:
            return Outcome("crashed", message=f"result: {error}", function=tool)
        if wrong := self.server.listed.contradiction(tool, reply.structured):
            return Outcome("crashed", message=f"result: {wrong}", function=tool)
        return Outcome("ok", value)

    def _pointed(self, value: Any, reply: Reply) -> Any:
        """What stands at the result pointer; all of it where the pointer leads nowhere."""
        pointer = self.server.body.result or self.server.settings.result
        if not pointer:
            return value
        try:
            return at(content(reply), pointer)
        except PointsNowhere:
            return value

    # Keeping in step

    def _ready(self, host: Host) -> OutsideProcess:
        if self._running is None:
            self._running = OutsideProcess(self.server.body, self.server.settings)
            try:
                self._begin(self._running, host)
            except BaseException:
                self.close()
                raise
        elif self._state is None and self.server.settings.process == "check":
            self._running.next_episode()
            self._state = self._state_of(self._running, host, is_copy=False)
            if self._state is not None:
                self._state.settle()
        elif self._state is not None and not self._running.is_up and not self._is_restarted:
            # It ended before its time, and may have begun again with rows of its own.
            self._running.connection  # noqa: B018  # starts it
            self._has = self._state.read()
        wanted = host.records.snapshot()
        changes = between(self.base, self._has, wanted) if self._state is not None else {}
        if changes and self._state is not None:
            self._running.connection  # noqa: B018  # a server that tells its state has to be up
            self._state.write(changes)
            self._has = wanted
            if self._is_restarted:
                self._running.stop()
        return self._running

    @property
    def _is_restarted(self) -> bool:
        return self.server.settings.reset == "restart"

    def _begin(self, running: OutsideProcess, host: Host) -> None:
        """Start the server with the base's rows."""
        settings = self.server.settings
        is_copy = self._prepared(running)
        running.__enter__()
        if isinstance(settings.reset, ResetTool):
            self._reset(running, settings.reset, host)
        self._state = self._state_of(running, host, is_copy)
        self._has = {}
        if self._state is None:
            return
        if not settings.capabilities["snapshot"]:
            self._refuse_other_rows(self._state.read())
        elif self._state.settle() and self._is_restarted:
            running.stop()

    def _reset(self, running: OutsideProcess, reset: ResetTool, host: Host) -> None:
        args = {**reset.args, **running.hidden(host.clock.isoformat())}
        try:
            reply = running.connection.call(reset.tool, args)
        except CallFailed as error:
            raise ServerUnavailable(f"{reset.tool} failed: {error}") from error
        if reply.is_error:
            raise ServerUnavailable(f"{reset.tool} failed: {reply.text[:300]}")

    def _prepared(self, running: OutsideProcess) -> bool:
        """Whether the server will find its database full already: one of its own, made of the copy."""
        settings, pristine = self.server.settings, self._pristine()
        if not isinstance(settings.state, SqliteState) or settings.is_shared:
            return False
        if pristine.exists():
            place = running.place(settings.state.sqlite)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(pristine, place)
        return pristine.exists()

    def _state_of(self, running: OutsideProcess, host: Host, is_copy: bool) -> OutsideState | None:
        state = self.server.settings.state
        if isinstance(state, SqliteState):
            path = running.place(state.sqlite)
            return SqliteFile(path, self._pristine(), self.base, is_copy=is_copy)
        if isinstance(state, JsonState):
            return JsonFile(running.place(state.path), state.pointer, self.base)
        if isinstance(state, ToolState):
            hidden = running.hidden(host.clock.isoformat())

            def call(tool: str, args: dict[str, Any]) -> Reply:
                return running.connection.call(tool, {**args, **hidden})

            return ToolExport(call, state, self.server.settings.result, self.base)
        return None

    def _pristine(self) -> Path:
        name = digest([self.server.settings.identity, self.base.digest])[:32]
        return Scratch.mine().root / f"{name}.db"

    def _refuse_other_rows(self, strays: Snapshot) -> None:
        if strays:
            table, key = next(iter(strays))
            raise ServerUnavailable(
                f"it begins with other rows than the records ({len(strays)} differ, "
                f"such as {table}/{key}), and its state cannot be written"
            )

    def _follow(self, records: Records, running: OutsideProcess, outcome: Outcome) -> Outcome:
        """The outcome, what the server changed put into the records; another, where that is not possible.

        Then only a new start takes back what it did: the next call begins with what the records say.
        """
        if self._state is None:
            return outcome
        if isinstance(self._state, ToolExport) and not running.is_up:
            self.close()  # its state went with it
            return outcome
        try:
            self._has = self._state.read()
        except (NotJson, ServerUnavailable) as error:
            self.close()
            return Outcome("crashed", message=f"its state cannot be read any more: {error}")
        try:
            check([item for (_, key), row in self._has.items() for item in (key, row)])
        except (NotJson, TooLarge) as error:  # taken back before the next call
            return Outcome("crashed", message=f"{UNKEPT}: {error}")
        records.become(self._has)
        return outcome
