"""An MCP server as a process of ours: started under limits, read with bounds, killed whole.

The SDK's own transport reads lines of any length and any number; a server that floods would take this process
with it. So the process and its pipes are ours, and what is spoken over them is the SDK's.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import mcp_types as types
from anyio.abc import ByteReceiveStream, ByteSendStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client import Transport
from mcp.shared.message import SessionMessage

from worlds.servers import ServerLimits

Read = SessionMessage | Exception
LAUNCHER = Path(__file__).with_name("launcher.py")
PATIENCE = 1.0
"""Seconds for the launcher to take the server down."""
LAST_WORDS = 2_000
"""Bytes of its stderr that are kept."""
SHOWN = 120


@dataclass
class Traffic:
    """What came from a server besides answers."""

    most_bytes: int
    received: int = 0
    """Bytes since the call under way began."""
    garbage: str = ""
    """The first line on its stdout that was no message."""
    said: bytes = b""
    """The end of its stderr."""
    flooded: bool = False
    """Whether it sent more than `most_bytes` during one call; nothing more is read then."""

    def takes(self, size: int) -> bool:
        """Count `size` more bytes; False when they are too many."""
        self.received += size
        self.flooded = self.flooded or self.received > self.most_bytes
        return not self.flooded

    @property
    def last_words(self) -> str:
        """The last line that it wrote to stderr."""
        lines = self.said.decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else ""


@dataclass(frozen=True)
class Command:
    """What to start, where, and with which environment."""

    words: Sequence[str]
    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def launched(self, limits: ServerLimits) -> list[str]:
        """The words that start it under limits."""
        bounds = [os.getpid(), limits.memory_mb << 20, limits.cpu_seconds, limits.file_mb << 20]
        return [sys.executable, "-I", "-S", str(LAUNCHER), *map(str, bounds), *self.words]


def over_stdio(command: Command, limits: ServerLimits, traffic: Traffic) -> Transport:
    """The transport to a server that is started for it, and killed with all of its group when it is left."""
    return _opened(command, limits, traffic)


@asynccontextmanager
async def _opened(
    command: Command, limits: ServerLimits, traffic: Traffic
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Read], MemoryObjectSendStream[SessionMessage]]]:
    to_us, read = anyio.create_memory_object_stream[Read](0)
    write, from_us = anyio.create_memory_object_stream[SessionMessage](0)
    process = await anyio.open_process(
        command.launched(limits), env=command.env, cwd=command.folder, start_new_session=True
    )
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, _pipe(process.stdout), to_us, traffic)
            tasks.start_soon(_write, process.stdin, from_us)
            tasks.start_soon(_overhear, _pipe(process.stderr), traffic)
            yield read, write
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _kill(process)
            await process.aclose()
            for stream in (to_us, read, write, from_us):
                stream.close()


def _pipe(stream: ByteReceiveStream | None) -> ByteReceiveStream:
    assert stream is not None  # noqa: S101  # open_process makes pipes unless told otherwise
    return stream


async def _kill(process: Process) -> None:
    """Let the launcher kill all that descends from it; its group, should it not be there to do so."""
    with suppress(ProcessLookupError):
        process.terminate()
    with anyio.move_on_after(PATIENCE):
        await process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _read(
    stdout: ByteReceiveStream, to_us: MemoryObjectSendStream[Read], traffic: Traffic
) -> None:
    """Hand on messages, one a line, until the server closes, floods, or we have gone."""
    pieces: list[bytes] = []
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with to_us:
            async for chunk in stdout:
                if not traffic.takes(len(chunk)):
                    return
                *lines, rest = chunk.split(b"\n")
                for line in lines:
                    whole = b"".join([*pieces, line])
                    pieces.clear()
                    await _hand_on(whole, to_us, traffic)
                pieces.append(rest)


async def _hand_on(line: bytes, to_us: MemoryObjectSendStream[Read], traffic: Traffic) -> None:
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        if line.strip() and not traffic.garbage:
            traffic.garbage = line.decode(errors="replace").strip()[:SHOWN]
        return
    await to_us.send(SessionMessage(message))


async def _write(
    stdin: ByteSendStream | None, from_us: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    assert stdin is not None  # noqa: S101  # open_process makes pipes unless told otherwise
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async with from_us:  # so that whoever writes more learns that nobody takes it
            async for message in from_us:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await stdin.send(text.encode() + b"\n")


async def _overhear(stderr: ByteReceiveStream, traffic: Traffic) -> None:
    """Keep the end of what it says to people; it may say as much as it likes."""
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async for chunk in stderr:
            traffic.said = (traffic.said + chunk)[-LAST_WORDS:]
