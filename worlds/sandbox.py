"""Where tool code runs: worker processes without files or network, under limits, with a frozen clock.

A process has one pool, made when it is first needed. A session borrows one worker from its first call to
its close, and starts from the clean state of the tool server that it calls.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pydantic_monty import (
    ExternalModule,
    Monty,
    MontyCrashedError,
    MontyError,
    MontySession,
    OSPolicy,
    ResourceLimits,
)

from worlds.canonical import digest
from worlds.exchange import NotJson, TooLarge, read
from worlds.hosts import Host
from worlds.outcome import Outcome, failure
from worlds.prelude import prelude
from worlds.surroundings import Exhausted, Limits, Surroundings, run
from worlds.toolserver import ToolServer

__all__ = ["Limits", "Outcome", "Sandbox", "SandboxUnavailable", "Session"]

POLICY: OSPolicy = {"datetime": "call_host", "random_start": {"seed": 0}, "sleep": "zero"}
NO_BOUND = 10**9
"""Host calls a session: the sandbox counts them over a whole session, we count them by the call."""
CLEAN_KEPT = 256


class SandboxUnavailable(RuntimeError):
    """No worker can be had: trouble of ours, never the tool server's."""


@dataclass(frozen=True)
class _Clean:
    """A tool server's session after its source ran and before any call; or how that failed."""

    state: bytes
    failed: Outcome | None
    forbidden: tuple[str, ...]


class Sandbox:
    """A pool of workers, and the clean state of each tool server that ran in it."""

    _shared: ClassVar[Sandbox | None] = None
    _started_by: ClassVar[int | None] = None

    def __init__(
        self,
        limits: Limits | None = None,
        processes: int | None = None,
        patience: float = 30.0,
    ) -> None:
        """`processes`: workers at most, by default one a core. `patience`: seconds to wait for a free one."""
        self.limits = limits or Limits()
        self.processes = processes or os.cpu_count() or 1
        self.patience = patience
        self._lock = threading.Lock()
        self._pool: Monty | None = None
        self.host = f"host_{secrets.token_hex(16)}"
        """The name of the module through which tool code's `db` speaks with us; see `worlds.prelude`."""
        self._clean: OrderedDict[str, _Clean] = OrderedDict()
        self._stopped: set[str] = set()
        """Tool servers whose source ran into a limit once: a busy machine may be to blame, but not twice."""

    @classmethod
    def shared(cls) -> Sandbox:
        """This process's sandbox; closed when the process ends."""
        if cls._shared is None:
            cls._shared = cls()
            atexit.register(cls._shared.close)
        return cls._shared

    def session(self) -> Session:
        """A session; use it as a context manager. Nothing is borrowed until its first call."""
        return Session(self)

    def close(self) -> None:
        """End the workers. The sandbox can be used again afterwards."""
        with self._lock:
            pool, self._pool = self._pool, None
            if pool is not None and Sandbox._started_by == os.getpid():
                pool.__exit__(None, None, None)

    def checkout(self, modules: Mapping[str, ExternalModule], **options: Any) -> MontySession:
        """A worker, borrowed until its `__exit__`; raises SandboxUnavailable."""
        limits: ResourceLimits = {
            "max_feed_duration_secs": self.limits.seconds,
            "max_memory": self.limits.memory_bytes,
            "max_recursion_depth": self.limits.recursion,
            "max_suspensions": NO_BOUND,
        }
        try:
            return (
                self._running()
                .checkout(limits=limits, os_policy=POLICY, external_modules=modules, **options)
                .__enter__()
            )
        except TimeoutError as error:
            raise SandboxUnavailable(
                f"no sandbox process came free within {self.patience:g} s: all {self.processes} are "
                "borrowed by open sessions; close one first"
            ) from error

    def _running(self) -> Monty:
        with self._lock:
            if Sandbox._started_by not in (None, os.getpid()):
                # The pool's threads did not survive the fork, and touching it would stall the parent's.
                raise SandboxUnavailable(
                    f"process {os.getpid()} was forked from process {Sandbox._started_by} after that one "
                    "had used the sandbox: fork first, or start the process with spawn"
                )
            if self._pool is None:
                Sandbox._started_by = os.getpid()
                self._pool = Monty(
                    max_processes=self.processes,
                    checkout_timeout=self.patience,
                    request_timeout=self.limits.seconds + 5,
                ).__enter__()
            return self._pool

    def clean(self, server: ToolServer) -> _Clean:
        """The state that every session of this tool server starts from; made once."""
        known = self._clean.get(server.digest)
        if known is None:
            known = self._prepare(server)
            stopped = known.failed is not None and known.failed.status == "limit"
            if not stopped or server.digest in self._stopped:
                self._clean[server.digest] = known
                if len(self._clean) > CLEAN_KEPT:
                    self._clean.popitem(last=False)
            else:
                self._stopped.add(server.digest)
        return known

    @contextmanager
    def borrowed(
        self, modules: Mapping[str, ExternalModule], **options: Any
    ) -> Iterator[MontySession]:
        """A worker for the length of a with block; `options` as Monty's checkout takes them."""
        worker = self.checkout(modules, **options)
        try:
            yield worker
        finally:
            release(worker)

    def _prepare(self, server: ToolServer) -> _Clean:
        surroundings = Surroundings(self.host)
        state, failed = b"", None
        with self.borrowed(surroundings) as worker:
            try:
                for text in (prelude(self.host), server.body.source, server.makers):
                    run(worker, text, surroundings, self.limits)
                state = worker.dump()
            except Exhausted as error:
                failed = Outcome("limit", message=str(error))
            except MontyCrashedError as error:
                failed = Outcome("limit", message=f"the module's code ended its process: {error}")
            except MontyError as error:
                failed = failure(error, server, "")
        return _Clean(state, failed, tuple(surroundings.forbidden))


class Session:
    """Calls of tools, one after another. Not for two threads at once."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._surroundings = Surroundings(sandbox.host)
        self._worker: MontySession | None = None
        self._server = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the worker back; a later call borrows one again, in the clean state."""
        worker, self._worker = self._worker, None
        if worker is not None:
            release(worker)

    def call(self, server: ToolServer, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        """Call a tool with arguments that fit its schema. Only SandboxUnavailable is ever raised.

        What a failed call wrote before it failed stays written. When the worker dies, the records are put
        back and the call is made once more; a second death is the tool's doing, a `limit`.
        """
        before = host.records.snapshot()
        for _ in range(2):
            try:
                return self._attempt(server, tool, args, host)
            except MontyCrashedError as error:
                self.close()
                message = f"the tool ended its process: {error}"
                if error.timed_out:
                    break
                host.records.restore(before)
        return Outcome("limit", message=message, function=tool)

    def _attempt(self, server: ToolServer, tool: str, args: dict[str, Any], host: Host) -> Outcome:
        clean = self._sandbox.clean(server)
        self._surroundings.begin(host, clean.forbidden)
        if clean.failed is not None:
            return self._ended(clean.failed)
        worker = self._begun(server, clean)
        try:
            code = _code(server, tool, args, host)
            text = run(worker, code, self._surroundings, self._sandbox.limits, __arguments=args)
            return self._ended(Outcome("ok", read(str(text), self._sandbox.limits.result_bytes)))
        except (Exhausted, TooLarge) as error:
            return self._ended(Outcome("limit", message=str(error), function=tool))
        except NotJson as error:
            return self._ended(Outcome("crashed", message=f"result: {error}", function=tool))
        except MontyCrashedError:
            raise
        except MontyError as error:
            return self._ended(failure(error, server, tool))

    def _begun(self, server: ToolServer, clean: _Clean) -> MontySession:
        if self._worker is not None and self._server != server.digest:
            self.close()
        if self._worker is None:
            worker = self._sandbox.checkout(self._surroundings)
            self._worker, self._server = worker, server.digest
            worker.load_session(clean.state)
        return self._worker

    def _ended(self, outcome: Outcome) -> Outcome:
        forbidden = tuple(self._surroundings.forbidden)
        self._surroundings.functions.host = None
        if outcome.status in ("crashed", "limit"):
            self.close()
        return Outcome(**{**vars(outcome), "forbidden": forbidden})


def _code(server: ToolServer, tool: str, args: dict[str, Any], host: Host) -> str:
    """The call as code. Randomness starts from the call and the records: earlier calls have no part in it."""
    given = [
        f"{name}={server.tools[tool].builds.get(name, f'__arguments[{name!r}]')}" for name in args
    ]
    call = f'f"{{__text({tool}({", ".join(given)}))}}"'  # whatever __text has become, this is text
    if not server.draws:
        return call
    seed = int(digest([server.digest, tool, args, host.records.digest()])[:15], 16)
    return f"import random as __random\n__random.seed({seed})\n{call}"


def release(worker: MontySession) -> None:
    try:
        worker.__exit__(None, None, None)
    except MontyError:
        pass  # the worker is dead already, and the pool has another
