"""Tool servers from outside: MCP processes or addresses that the installation's settings name."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import mcp_types as types

from worlds.outsideprocess import OutsideProcess
from worlds.servers import ResetTool, Servers, ServerSettings, ServerUnavailable, ToolState
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import Tool
from worlds.toolserver_body import OutsideBody

MISSED_SECONDS = 60.0
"""How long a server that did not start is not tried again in this process."""


@dataclass(frozen=True)
class OutsideServer:
    """An outside server as the project understands it: its settings, and the tools that it lists."""

    body: OutsideBody
    settings: ServerSettings
    tools: dict[str, Tool]
    problems: list[SourceProblem]

    @property
    def name(self) -> str:
        """Its name in the settings."""
        return self.body.server

    @classmethod
    def of(cls, body: OutsideBody) -> OutsideServer:
        """The server of a body; it is started once a process to be asked. Raises ServerUnavailable."""
        settings = Servers.installed().named(body.server)
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
    with OutsideProcess(body, settings) as running:
        listed = running.connection.tools()
    hidden = {*settings.hidden, *body.hidden}
    inner = _inner(settings.state) | (
        {settings.reset.tool} if isinstance(settings.reset, ResetTool) else set()
    )
    tools, problems = {}, []
    for tool in listed:
        if tool.name not in inner:
            made, problem = _tool(tool, hidden)
            tools[tool.name] = made
            problems += [problem] if problem else []
    return OutsideServer(body, settings, tools, problems)


def _inner(state: Any) -> set[str]:
    """The tools that are there for us, not for agents."""
    return {state.export, state.import_ or ""} if isinstance(state, ToolState) else set()


def _tool(tool: types.Tool, hidden: set[str]) -> tuple[Tool, SourceProblem | None]:
    schema = dict(tool.input_schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {k: v for k, v in properties.items() if k not in hidden}
    if isinstance(schema.get("required"), list):
        schema["required"] = [name for name in schema["required"] if name not in hidden]
    schema.setdefault("additionalProperties", False)
    reads = tool.annotations is not None and tool.annotations.read_only_hint is True
    problem = None
    try:
        jsonschema_rs.validator_for(schema, offline=True)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        message = f"the input schema of {tool.name} is no JSON Schema: {str(error)[:200]}"
        problem, schema = SourceProblem(0, 0, tool.name, message), {"type": "object"}
    return Tool(tool.name, (tool.description or "").strip(), schema, not reads, line=0), problem
