"""State that a server tells and takes by tools of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from worlds.connection import CallFailed, Reply
from worlds.jsonstate import at
from worlds.outsidestate import differing, overlaid
from worlds.records import Base, Snapshot
from worlds.servers import ServerUnavailable, ToolState


class ToolExport:
    """The rows that the tool `export` tells, at `pointer` in its result. `call` may raise CallFailed."""

    def __init__(
        self,
        call: Callable[[str, dict[str, Any]], Reply],
        tools: ToolState,
        pointer: str,
        base: Base,
    ) -> None:
        self.tools, self.base = tools, base
        self._call, self._pointer = call, pointer
        self._now: Snapshot = {}

    def settle(self) -> bool:
        """See OutsideState."""
        strays = self.read()
        if strays:
            self.write({(table, key): self.base.tables[table].get(key) for table, key in strays})
        return bool(strays)

    def read(self) -> Snapshot:
        """See OutsideState."""
        tables = at(content(self._called(self.tools.export, {})), self._pointer)
        self._now = differing(tables, self.base)
        return dict(self._now)

    def write(self, changes: Snapshot) -> None:
        """See OutsideState. The whole state is handed over: there is no smaller way."""
        if self.tools.import_ is None:
            raise ServerUnavailable("its state cannot be written: it has no tool to import one")
        self._now |= changes
        tables = {name: overlaid(self.base, self._now, name) for name in self.base.tables}
        self._called(self.tools.import_, {self.tools.argument: tables})

    def _called(self, tool: str, args: dict[str, Any]) -> Reply:
        try:
            reply = self._call(tool, args)
        except CallFailed as error:
            raise ServerUnavailable(f"{tool} failed: {error}") from error
        if reply.is_error:
            raise ServerUnavailable(f"{tool} failed: {reply.text[:300]}")
        return reply


def content(reply: Reply) -> Any:
    """What a reply says: its structured content, else its text as JSON, else its text.

    SDKs put a result that is no object into one of the single key `result`: it is taken out again.
    """
    value = reply.structured
    if value is None:
        try:
            return json.loads(reply.text)
        except (ValueError, RecursionError):
            return reply.text
    return value["result"] if isinstance(value, dict) and set(value) == {"result"} else value
