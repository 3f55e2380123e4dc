"""The package's MCP server as a process of its own, spoken with over stdio by the official SDK."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.library.tau2 import Answer, Call, Tau2
from worlds.canonical import canonical
from worlds.records import Records

KEY = "differential"
"""One state, reset again and again: the server keeps every state it ever had in memory."""


@dataclass(frozen=True)
class Process:
    """A running server."""

    session: ClientSession
    tau2: Tau2
    states: Path

    async def reset(self) -> None:
        """Back to the published data."""
        result = await self._result("reset_state", {})
        assert result["ok"], result

    async def call(self, call: Call, *, text: bool) -> Answer:
        """What a tool answers; `text`: its result is text, also where it could be read as JSON."""
        tool, args = call
        message = (await self._result(tool, args))["tau2_tool_message"]
        content: str = message["content"]
        if message["error"]:
            return "refused", content.removeprefix("Error: ")
        return "ok", canonical(content if text else self.tau2.published._parse_content(content))

    async def _result(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        answer = await self.session.call_tool(tool, {**args, "state_key": KEY})
        content: dict[str, Any] = getattr(answer, "structured_content", None) or {}
        return content

    def state_differences(self, records: Records) -> list[str]:
        """`table/key` of every row that the server's state file and `records` do not have alike."""
        name = hashlib.sha256(KEY.encode()).hexdigest()
        tables = json.loads((self.states / f"{name}.json").read_text())["db"]
        changed = {(change["table"], change["key"]) for change in records.diff()}
        for table, published in self.tau2.db.items():
            keys = tables[table].keys() | published.keys()
            changed |= {
                (table, key) for key in keys if tables[table].get(key) != published.get(key)
            }
        return [
            f"{table}/{key}"
            for table, key in sorted(changed)
            if canonical(tables[table].get(key)) != canonical(records.get(table, key))
        ]


@asynccontextmanager
async def running(tau2: Tau2, folder: Path) -> AsyncIterator[Process]:
    """A server that keeps its states in `folder`; it ends with the block."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", tau2.published.__name__],
        env={f"TAU2_{tau2.name.upper()}_MCP_STATE_DIR": str(folder), "PYTHONUTF8": "1"},
    )
    folder.mkdir()
    with (folder / "stderr").open("w") as errors:
        async with (
            stdio_client(parameters, errlog=errors) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            yield Process(session, tau2, folder)
