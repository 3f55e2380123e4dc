"""A conversation with one outside tool server, from code that does not wait asynchronously."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import anyio
import mcp_types as types
from anyio.from_thread import BlockingPortal, BlockingPortalProvider
from mcp import ClientSession, MCPError
from mcp.client import Transport

from worlds.servers import ServerLimits, ServerUnavailable
from worlds.stdio import Traffic

T = TypeVar("T")
MOST_TOOLS = 2_000
GRACE = 0.5
"""Seconds beyond a call's own for a server to be told that nobody waits for it any more."""
GOODBYE = 2.0
"""Seconds to end a conversation in good order."""
CLOSED = "Connection closed"
TIMED_OUT = "Request 'tools/call' timed out"
"""What the SDK itself says; servers use its numbers for errors of their own."""


class CallFailed(Exception):
    """A call got no result. The connection is of no use afterwards unless `is_alive`."""

    def __init__(self, message: str, *, limit: bool = False, is_alive: bool = False) -> None:
        super().__init__(message)
        self.limit = limit
        """Whether it was stopped (time, size) rather than failed by itself."""
        self.is_alive = is_alive


class Loop:
    """The thread in which this process speaks with its servers; there while a connection is open."""

    _provider: ClassVar[BlockingPortalProvider | None] = None
    _started_by: ClassVar[int | None] = None
    _lock = threading.Lock()

    @classmethod
    def provider(cls) -> BlockingPortalProvider:
        """This process's: a fork inherits no thread."""
        with cls._lock:
            if cls._provider is None or cls._started_by != os.getpid():
                cls._provider, cls._started_by = BlockingPortalProvider(), os.getpid()
            return cls._provider


@dataclass(frozen=True)
class Reply:
    """What a tool answered."""

    is_error: bool
    text: str
    """Its text contents, one after another."""
    structured: Any
    """Its structured content; None without one."""


class Connection:
    """Open as a context manager; a server that is started for it is killed when it is left."""

    def __init__(
        self, name: str, transport: Transport, limits: ServerLimits, traffic: Traffic
    ) -> None:
        self.name = name
        self.traffic = traffic
        self._transport, self._limits = transport, limits
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._session: ClientSession | None = None

    def __enter__(self) -> Self:
        """Raises ServerUnavailable when it does not start, or does not speak MCP in time."""
        with ExitStack() as stack:
            self._portal = stack.enter_context(Loop.provider())
            opened = self._portal.wrap_async_context_manager(self._opened())
            try:
                self._session = stack.enter_context(opened)
            except ServerUnavailable:
                raise
            except Exception as error:
                raise ServerUnavailable(
                    self._did_not(f"did not start: {_reason(error)}")
                ) from error
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the conversation; whatever goes wrong in that concerns nobody any more."""
        self._session = None
        try:
            self._stack.close()
        except Exception:  # noqa: BLE001, S110  # the server is dead; that was the aim
            pass

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[ClientSession]:
        with anyio.CancelScope() as conversation:
            async with self._transport as (read, write), ClientSession(read, write) as session:
                with anyio.fail_after(self._limits.start_seconds):
                    await session.initialize()
                yield session
                # A server at an address is told goodbye, and may take for ever to hear it.
                conversation.deadline = anyio.current_time() + GOODBYE

    def tools(self) -> list[types.Tool]:
        """All tools that it offers; raises ServerUnavailable."""
        try:
            return self._run(self._tools, self._limits.start_seconds)
        except CallFailed as error:
            raise ServerUnavailable(self._did_not(f"does not list its tools: {error}")) from error

    async def _tools(self, session: ClientSession) -> list[types.Tool]:
        found: list[types.Tool] = []
        cursor: str | None = None
        while True:
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await session.list_tools(params=params)
            found += page.tools
            cursor = page.next_cursor
            if len(found) > MOST_TOOLS:
                raise ServerUnavailable(self._did_not(f"lists more than {MOST_TOOLS} tools"))
            if not cursor:
                return found

    def call(self, tool: str, args: dict[str, Any]) -> Reply:
        """Call a tool; raises CallFailed."""
        self.traffic.received = 0
        params = types.CallToolRequestParams(name=tool, arguments=args)
        seconds = self._limits.call_seconds

        async def called(session: ClientSession) -> Reply:
            # Not `call_tool`, which matches results with patterns of the server's that may never end, and
            # holds the interpreter meanwhile.
            result = await session.send_request(
                types.CallToolRequest(params=params),
                types.CallToolResult,
                request_read_timeout_seconds=seconds,
            )
            parts = [part.text for part in result.content if isinstance(part, types.TextContent)]
            return Reply(bool(result.is_error), "\n".join(parts), result.structured_content)

        return self._run(called, seconds, GRACE)

    def _run(
        self,
        work: Callable[[ClientSession], Coroutine[Any, Any, T]],
        seconds: float,
        grace: float = 0.0,
    ) -> T:
        session, portal = self._session, self._portal
        if session is None or portal is None:
            raise CallFailed("the server is not running")

        async def timed() -> T:
            with anyio.fail_after(seconds + grace):
                return await work(session)

        try:
            return portal.call(timed)
        except ServerUnavailable:
            raise
        except TimeoutError as error:
            raise self._failed(f"no answer within {seconds:g} s", limit=True) from error
        except MCPError as error:
            if error.code == types.REQUEST_TIMEOUT and error.message == TIMED_OUT:
                raise self._failed(f"no answer within {seconds:g} s", limit=True) from error
            gone = _is_gone(error)
            message = "the server ended" if gone else f"protocol error {error.code}: {error}"
            raise self._failed(message, is_alive=not gone) from error
        except Exception as error:
            raise self._failed(_reason(error)) from error

    def _failed(self, message: str, **how: bool) -> CallFailed:
        if self.traffic.flooded:
            most = self.traffic.most_bytes
            return CallFailed(f"the server sent more than {most} bytes during one call", limit=True)
        words = self.traffic.last_words
        return CallFailed(f"{message}; it last said: {words}" if words else message, **how)

    def _did_not(self, what: str) -> str:
        if self.traffic.flooded:
            most = self.traffic.most_bytes
            return f"the tool server {self.name!r} {what}: it sent more than {most} bytes at once"
        garbage, words = self.traffic.garbage, self.traffic.last_words
        seen = f"; it wrote to stdout what is no message: {garbage!r}" if garbage else ""
        said = f"; it last said: {words}" if words else ""
        return f"the tool server {self.name!r} {what}{seen}{said}"


def _is_gone(error: MCPError) -> bool:
    return error.code == types.CONNECTION_CLOSED and error.message == CLOSED


def _reason(error: BaseException) -> str:
    """What went wrong, from inside of the groups that tasks wrap it in."""
    while isinstance(error, BaseExceptionGroup) and error.exceptions:
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, MCPError) and _is_gone(error):
        return "it ended"
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
