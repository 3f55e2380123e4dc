"""What surrounds tool code while it runs: the host's functions, the time, limits, and closed doors."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from pydantic_monty import (
    ExternalModule,
    ExternalResult,
    FunctionSnapshot,
    FutureSnapshot,
    MontyComplete,
    MontySession,
    NameLookupSnapshot,
    SyncSnapshot,
)

from worlds.hosts import Functions, Host


@dataclass(frozen=True)
class Limits:
    """What one call may use."""

    seconds: float = 2.0
    """Of running; with the time that the host's functions take, four times as long."""
    memory_bytes: int = 64 * 2**20
    recursion: int = 400
    suspensions: int = 10_000
    """Calls of db, clock and money."""
    result_bytes: int = 1_000_000
    handed_bytes: int = 8_000_000
    """Of what goes to db, all together."""


class Exhausted(Exception):
    """A call went beyond what we count ourselves."""


class Surroundings(Mapping[str, ExternalModule]):
    """All that tool code finds outside itself; as a mapping, the modules that it may import from the host."""

    def __init__(self, host: str) -> None:
        self.functions = Functions()
        self.forbidden: list[str] = []
        self._modules = {host: ExternalModule({"ask": self.functions.ask})}

    def begin(self, host: Host, forbidden: tuple[str, ...]) -> None:
        """Act on `host` from now on; `forbidden` is what the module's own code had tried."""
        self.functions.host = host
        self.functions.handed = 0
        self.forbidden = list(forbidden)

    def __getitem__(self, name: str) -> ExternalModule:
        if name not in self._modules:
            self._note(f"import {name[:100]}")
        return self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def resume(self, turn: FunctionSnapshot | NameLookupSnapshot | FutureSnapshot) -> SyncSnapshot:
        """Answer what the code waits for, and let it go on.

        Arguments of calls to the operating system are looked at only where the sandbox has seen to it that
        they are text or times: taking over others may never end.
        """
        if isinstance(turn, FutureSnapshot):
            raise Exhausted("the code waits for something that never comes: await is not supported")
        system = isinstance(turn, FunctionSnapshot) and turn.is_os_function
        if isinstance(turn, FunctionSnapshot) and system and turn.function_name != "import":
            if turn.function_name in ("datetime.now", "date.today", "time.time"):
                return turn.resume(self._time(turn))
            self._note(_attempt(turn))
            return turn.resume_not_handled()
        return turn.resume_auto()

    def _time(self, turn: FunctionSnapshot) -> ExternalResult:
        zone = turn.args[0] if turn.args and isinstance(turn.args[0], tzinfo) else None
        try:
            now = self.functions.acting().clock
        except RuntimeError as error:
            return {"exception": error}
        return {"return_value": _told(turn.function_name, now, zone)}

    def _note(self, attempt: str) -> None:
        if attempt not in self.forbidden and len(self.forbidden) < 20:
            self.forbidden.append(attempt)


def run(
    worker: MontySession, code: str, surroundings: Surroundings, limits: Limits, **inputs: Any
) -> Any:
    """Run `code` to its end and return what its last expression gave. The caller makes sure that it is text."""
    ends = time.monotonic() + 4 * limits.seconds
    turn = worker.feed_start(code, inputs=inputs, print_callback=_silent)
    for _ in range(limits.suspensions + 1):
        if isinstance(turn, MontyComplete):
            return turn.output if inputs else None
        if surroundings.functions.handed > limits.handed_bytes:
            raise Exhausted(f"the call handed more than {limits.handed_bytes} bytes to db")
        if time.monotonic() > ends:
            raise Exhausted(f"the call took longer than {4 * limits.seconds:g} s")
        turn = surroundings.resume(turn)
    raise Exhausted(f"the call used db, clock and money more than {limits.suspensions} times")


def _attempt(turn: FunctionSnapshot) -> str:
    """What was tried, with the path where there is one."""
    name = turn.function_name
    return f"{name} {turn.args[0]}"[:200] if name.startswith(("open", "Path.")) else name


def _told(name: str, now: datetime, zone: tzinfo | None) -> Any:
    aware = now if now.tzinfo else now.replace(tzinfo=UTC)
    if name == "time.time":
        return aware.timestamp()
    if name == "date.today":
        return now.date()
    return aware.astimezone(zone) if zone else now.replace(tzinfo=None)


def _silent(_stream: str, _text: str) -> None:
    """What tool code prints is nobody's business."""
