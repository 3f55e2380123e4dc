"""The MCP server, and what its tools have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import cleandoc
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.types import ToolAnnotations
from pydantic import Field

from examples.meetings_server import times
from examples.meetings_server.database import opened
from examples.meetings_server.series import Calendars

server = MCPServer("meetings", log_level="ERROR")

Function = TypeVar("Function", bound=Callable[..., Any])

Actor = Annotated[str, Field(description="the person in whose name you act.")]
Viewer = Annotated[str, Field(description="the person in whose name you look.")]
MeetingId = Annotated[str, Field(description="the meeting.")]
SeriesId = Annotated[str, Field(description="the series, from get_meeting.")]
Day = Annotated[str, Field(description="YYYY-MM-DD.")]
Zone = Annotated[
    str,
    Field(description="IANA time zone of the start; that of on_behalf_of when left out."),
]
Now = Annotated[str, Field(description="the time of the call, ISO 8601; now when left out.")]


def tool(*, reads: bool) -> Callable[[Function], Function]:
    """Register a function whose docstring is the tool's description."""

    def register(function: Function) -> Function:
        description = cleandoc(function.__doc__ or "")
        annotations = ToolAnnotations(read_only_hint=reads, open_world_hint=False)
        return server.tool(description=description, annotations=annotations)(function)

    return register


@contextmanager
def calendars(now: str, *, writing: bool = False) -> Iterator[Calendars]:
    """The calendars as they are at the time of a call."""
    moment = times.clock(now)
    with opened(writing=writing) as store:
        yield Calendars(store, moment)
