"""A process (or an address) of an outside tool server, with a folder of its own."""

from __future__ import annotations

import secrets
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from worlds.canonical import digest
from worlds.connection import Connection
from worlds.http import over_http
from worlds.scratch import Scratch, alone
from worlds.servers import PYTHON, Servers, ServerSettings, ServerUnavailable, filled
from worlds.stdio import Command, Traffic, over_stdio
from worlds.toolserver_body import OutsideBody

PATIENCE = 30.0
"""Seconds to wait for a server that others use."""


class OutsideProcess:
    """A server's process (or address) with a folder of its own; as a context manager."""

    def __init__(self, body: OutsideBody, settings: ServerSettings) -> None:
        self.body, self.settings = body, settings
        self.folder = Scratch.mine().fresh()
        self.episode = secrets.token_hex(8)
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self._traffic = Traffic(settings.limits.received_bytes)

    def __enter__(self) -> Self:
        if self.settings.is_shared:
            name = digest(self.body.server)[:16]
            try:
                self._stack.enter_context(alone(name, PATIENCE))
            except TimeoutError as error:
                raise ServerUnavailable(f"the tool server {self.body.server!r}: {error}") from error
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._stack.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def connection(self) -> Connection:
        """The conversation; a server that was stopped is started again, in the same folder."""
        if self._connection is None:
            self.start()
        assert self._connection is not None  # noqa: S101  # start made it
        return self._connection

    @property
    def is_up(self) -> bool:
        return self._connection is not None

    def start(self) -> None:
        """Start it, or turn to its address."""
        traffic = self._traffic = Traffic(self.settings.limits.received_bytes)
        if self.settings.url:
            transport = over_http(self.settings, Servers.installed().hosts, traffic)
        else:
            transport = over_stdio(self._command(), self.settings.limits, traffic)
        connection = Connection(self.body.server, transport, self.settings.limits, traffic)
        self._connection = connection.__enter__()

    def next_episode(self) -> None:
        """Serve another attempt, under a name that no other has."""
        self.episode = secrets.token_hex(8)

    def noise(self) -> str:
        """The first line since last asked that was no message."""
        traffic = self._traffic
        line, traffic.garbage = traffic.garbage, ""
        return line

    def stop(self) -> None:
        """Kill it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _command(self) -> Command:
        words = {**PYTHON, "dir": str(self.folder), "episode": self.episode}
        plain = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder),
        }
        env = {**plain, "TMPDIR": str(self.folder), **filled(self.settings.env, words)}
        return Command(filled(self.settings.command, words), self.settings.working_folder, env)

    def place(self, path: str) -> Path:
        """A path of the settings."""
        words = {"dir": str(self.folder), "episode": self.episode}
        return self.settings.working_folder / str(filled(path, words))

    def hidden(self, now: str) -> dict[str, Any]:
        """The arguments that no agent sees. Where a component and the settings differ, the settings hold."""
        words = {"now": now, "episode": self.episode, "dir": str(self.folder)}
        found: dict[str, Any] = filled({**self.body.hidden, **self.settings.hidden}, words)
        return found
