"""The body of a tool server written in Python: its source."""

from __future__ import annotations

from typing import ClassVar

from worlds.body import Body, Kind


class ToolServerBody(Body):
    """Source text of a module whose public functions are the tools."""

    kind: ClassVar[Kind] = "toolserver"

    source: str
