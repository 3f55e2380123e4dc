"""Tool servers from outside: MCP processes or addresses that the installation's settings name."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

from worlds.listedtools import ListedTools
from worlds.patchedcopy import settings_of
from worlds.servers import ServerSettings, ServerUnavailable
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import Tool
from worlds.toolserver_body import OutsideBody

MISSED_SECONDS = 60.0
"""How long a server that did not start is not tried again in this process."""


@dataclass(frozen=True)
class OutsideServer:
    """An outside server as the project understands it: its settings (where its body carries a patch, those by which it
    runs patched), and the tools that it lists."""

    body: OutsideBody
    settings: ServerSettings
    listed: ListedTools

    @property
    def name(self) -> str:
        """Its name in the settings."""
        return self.body.server

    @property
    def tools(self) -> dict[str, Tool]:
        """The tools that agents may call."""
        return self.listed.tools

    @property
    def problems(self) -> list[SourceProblem]:
        """What is wrong with how it lists them."""
        return self.listed.problems

    @classmethod
    def of(cls, body: OutsideBody) -> OutsideServer:
        """The server of a body; it is started once a process to be asked. Raises ServerUnavailable."""
        settings = settings_of(body)
        key = (body.digest, settings.identity)
        if key in _MISSED and time.monotonic() < _MISSED[key][0]:
            raise ServerUnavailable(_MISSED[key][1])
        if key not in _SERVERS:
            try:
                _SERVERS[key] = _asked(body, settings)
            except ServerUnavailable as error:
                _MISSED[key] = (time.monotonic() + MISSED_SECONDS, str(error))
                raise
            if len(_SERVERS) > SERVERS_KEPT:
                _SERVERS.popitem(last=False)
        return _SERVERS[key]


_SERVERS: OrderedDict[tuple[str, str], OutsideServer] = OrderedDict()
_MISSED: dict[tuple[str, str], tuple[float, str]] = {}
SERVERS_KEPT = 64


def _asked(body: OutsideBody, settings: ServerSettings) -> OutsideServer:
    from worlds.outsideprocess import OutsideProcess  # the SDK takes a third of a second to import

    with OutsideProcess(body, settings) as running:
        told = running.connection.tools()
    shown = [tool for tool in told if tool.name not in settings.inner_tools]
    return OutsideServer(body, settings, ListedTools.of(shown, {*settings.hidden, *body.hidden}))
