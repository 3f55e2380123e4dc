"""The bodies of tool servers: the source of one in Python, or the name of one from outside."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import field_validator

from worlds.body import Body, Kind
from worlds.patch import Patch
from worlds.pointer import Pointer


class ToolServerBody(Body):
    """Source text of a module whose public functions are the tools."""

    kind: ClassVar[Kind] = "toolserver"

    source: str


class OutsideBody(Body):
    """A server that runs outside: its name, and how its tools are shown to agents.

    What the name means stands in the installation's settings (`worlds.servers`): no component chooses what a
    worker runs.
    """

    kind: ClassVar[Kind] = "toolserver"

    server: str
    hidden: dict[str, Any] = {}
    """Arguments that every call gets and no agent sees, beside those of the settings."""
    result: Pointer = ""
    """JSON Pointer to what agents are told inside of a result; empty = as the settings say."""
    patch: str = ""
    """A unified diff of the server's source, from a copy of which it then runs (`worlds.patchedcopy`). Only a
    proposer writes one: no file may say it, and no version of a component does."""

    @field_validator("patch")
    @classmethod
    def _is_patch(cls, value: str) -> str:
        if value:
            Patch.parse(value)  # says what is wrong
        return value


AnyServerBody = ToolServerBody | OutsideBody


def server_body(content: Any) -> AnyServerBody:
    """The body that `content` (plain JSON) says; raises pydantic.ValidationError."""
    outside = isinstance(content, dict) and "source" not in content
    return OutsideBody.parse(content) if outside else ToolServerBody.parse(content)
