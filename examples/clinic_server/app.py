"""The MCP server, argument types and the clock."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

server = MCPServer("clinic-frontdesk", log_level="ERROR")

Function = TypeVar("Function", bound=Callable[..., Any])
PatientId = Annotated[int, Field(description="The patient's id.")]
PractitionerId = Annotated[int, Field(description="The practitioner's id.")]
ServiceId = Annotated[int, Field(description="The service's id.")]
AppointmentId = Annotated[int, Field(description="The appointment's id.")]
Day = Annotated[str, Field(description="YYYY-MM-DD.")]
Start = Annotated[str, Field(description="YYYY-MM-DD HH:MM, on a quarter of an hour.")]
Now = Annotated[str, Field(description="The time of the call, ISO 8601; the real time if empty.")]

MINUTE = "%Y-%m-%d %H:%M"


def tool(*, reads: bool = False) -> Callable[[Function], Function]:
    """Register a tool, saying whether it only reads."""
    return server.tool(annotations=ToolAnnotations(read_only_hint=reads, open_world_hint=False))


def clock(now: str) -> datetime:
    """The time at the clinic."""
    zone = ZoneInfo(os.environ.get("CLINIC_TZ", "Europe/London"))
    moment = datetime.fromisoformat(now) if now else datetime.now(zone)
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def parse_day(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        raise ToolError(f"{text!r} is not a day in the form YYYY-MM-DD.") from None


def parse_start(text: str) -> datetime:
    try:
        moment = datetime.strptime(text.replace("T", " ")[:16], MINUTE)  # noqa: DTZ007 - local time
    except ValueError:
        raise ToolError(f"{text!r} is not a time in the form YYYY-MM-DD HH:MM.") from None
    if moment.minute % 15:
        raise ToolError("Appointments start on a quarter of an hour.")
    return moment
