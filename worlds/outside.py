"""Tool servers from outside: MCP processes or addresses that the installation's settings name."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from worlds.servers import ResetTool, Servers, ServerSettings, ServerUnavailable, ToolState
from worlds.sourcecheck import SourceProblem
from worlds.toolserver import Tool
from worlds.toolserver_body import OutsideBody

if TYPE_CHECKING:
    import mcp_types as types

ELSEWHERE = {
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "patternProperties",
    "dependentSchemas",
}
"""Keywords beside which `properties` does not name all arguments."""
MISSED_SECONDS = 60.0
"""How long a server that did not start is not tried again in this process."""


@dataclass(frozen=True)
class OutsideServer:
    """An outside server as the project understands it: its settings, and the tools that it lists."""

    body: OutsideBody
    settings: ServerSettings
    tools: dict[str, Tool]
    problems: list[SourceProblem]
    answers: dict[str, jsonschema_rs.Validator]
    """What the structured results of tools must be, for those that say it."""

    @property
    def name(self) -> str:
        """Its name in the settings."""
        return self.body.server

    def contradiction(self, tool: str, structured: Any) -> str:
        """How a structured result (None = none) differs from what the tool said it would be; empty when it does not."""
        if tool not in self.answers:
            return ""
        error = next(iter(self.answers[tool].iter_errors(structured)), None)
        return (
            f"it is not what the tool's output schema says: {error.message[:300]}" if error else ""
        )

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
    from worlds.outsideprocess import OutsideProcess  # the SDK takes a third of a second to import

    with OutsideProcess(body, settings) as running:
        listed = running.connection.tools()
    hidden = {*settings.hidden, *body.hidden}
    inner = _inner(settings.state) | (
        {settings.reset.tool} if isinstance(settings.reset, ResetTool) else set()
    )
    tools: dict[str, Tool] = {}
    problems: list[SourceProblem] = []
    answers: dict[str, jsonschema_rs.Validator] = {}
    for tool in listed:
        if tool.name in inner:
            continue
        if tool.name in tools:
            problems.append(_problem(tool, "is listed twice"))
        schema, problem = _input_schema(tool, hidden)
        problems += [problem] if problem else []
        reads = tool.annotations is not None and tool.annotations.read_only_hint is True
        about = (tool.description or "").strip()
        tools[tool.name] = Tool(tool.name, about, schema, not reads, line=0)
        if tool.output_schema is not None:
            try:
                answers[tool.name] = _validator(tool.output_schema)
            except _SchemaInvalid as error:
                problems.append(_problem(tool, f"has an output schema that is none: {error}"))
    return OutsideServer(body, settings, tools, problems, answers)


def _inner(state: Any) -> set[str]:
    """The tools that are there for us, not for agents."""
    return {state.export, state.import_ or ""} if isinstance(state, ToolState) else set()


def _problem(tool: types.Tool, what: str) -> SourceProblem:
    return SourceProblem(0, 0, tool.name, f"the tool {tool.name} {what}")


class _SchemaInvalid(ValueError):
    """What a server gives as a schema is none."""


def _validator(schema: Any) -> jsonschema_rs.Validator:
    """It fetches nothing, and its patterns end. Raises _SchemaInvalid."""
    try:
        return jsonschema_rs.validator_for(schema, offline=True)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise _SchemaInvalid(str(error)[:200]) from error


def _input_schema(
    tool: types.Tool, hidden: set[str]
) -> tuple[dict[str, Any], SourceProblem | None]:
    """The schema of the arguments that agents give, closed where it does not say that it is open."""
    schema = dict(tool.input_schema)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {k: v for k, v in properties.items() if k not in hidden}
    if isinstance(schema.get("required"), list):
        schema["required"] = [name for name in schema["required"] if name not in hidden]
    if not schema.keys() & ELSEWHERE:
        schema.setdefault("additionalProperties", False)
    try:
        _validator(schema)
    except _SchemaInvalid as error:
        message = f"the input schema of {tool.name} is no JSON Schema: {error}"
        return {"type": "object"}, SourceProblem(0, 0, tool.name, message)
    return schema, None
