"""Calls of tools on behalf of one attempt after another, wherever the tools run."""

from __future__ import annotations

from typing import Any, Self

from worlds.hosts import Host
from worlds.outcome import Outcome
from worlds.outside import OutsideServer
from worlds.outsidesession import OutsideSession
from worlds.sandbox import Sandbox
from worlds.toolserver import ToolServer

AnyServer = ToolServer | OutsideServer


class ToolSession:
    """Use it as a context manager. Nothing is borrowed or started before the first call that needs it."""

    def __init__(self) -> None:
        self._sandbox = Sandbox.shared().session()
        self._outside: dict[str, OutsideSession] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end_attempt()
        self._sandbox.close()

    def call(self, server: AnyServer, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        """Call a tool with arguments that fit its schema. Raises SandboxUnavailable or ServerUnavailable only."""
        if isinstance(server, ToolServer):
            return self._sandbox.call(server, tool, args, host)
        digest = server.body.digest
        if digest not in self._outside:
            self._outside[digest] = OutsideSession(server, host.records.base)
        return self._outside[digest].call(tool, args, host)

    def end_attempt(self) -> None:
        """Kill the outside servers: no attempt finds what another left in one."""
        while self._outside:
            _, session = self._outside.popitem()
            session.close()
