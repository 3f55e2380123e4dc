"""Calls of tools on behalf of one attempt after another, wherever the tools run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from worlds.hosts import Host
from worlds.outcome import Outcome
from worlds.outside import OutsideServer
from worlds.sandbox import Sandbox
from worlds.toolserver import ToolServer

if TYPE_CHECKING:
    from worlds.outsidesession import OutsideSession

AnyServer = ToolServer | OutsideServer


class ToolSession:
    """Use it as a context manager. Nothing is borrowed or started before the first call that needs it."""

    def __init__(self) -> None:
        self._sandbox = Sandbox.shared().session()
        self._outside: dict[str, OutsideSession] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.renew()

    def ready(self, server: AnyServer, host: Host) -> None:
        """Have what a call needs running, however long that takes: it is no part of the call. Raises
        ServerUnavailable only."""
        if isinstance(server, OutsideServer):
            self._session(server, host).ready(host)

    def call(self, server: AnyServer, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        """Call a tool with arguments that fit its schema. Raises SandboxUnavailable or ServerUnavailable only."""
        if isinstance(server, ToolServer):
            return self._sandbox.call(server, tool, args, host)
        return self._session(server, host).call(tool, args, host)

    def _session(self, server: OutsideServer, host: Host) -> OutsideSession:
        from worlds.outsidesession import OutsideSession  # slow to import, as `worlds.outside` says

        digest, base = server.body.digest, host.records.base
        if digest in self._outside and self._outside[digest].base is not base:
            self._outside.pop(digest).close()
        if digest not in self._outside:
            self._outside[digest] = OutsideSession(server, base)
        return self._outside[digest]

    def renew(self) -> None:
        """Forget all that calls may have left behind: the next one finds what the first call of all found."""
        while self._outside:
            _, session = self._outside.popitem()
            session.close()
        self._sandbox.close()

    def end_attempt(self) -> None:
        """Kill the outside servers: no attempt finds what another left in one. Those whose settings let one
        process serve a whole check stay, and begin the next attempt with its records."""
        resting = {digest: each for digest, each in self._outside.items() if each.rests()}
        self._outside = resting
