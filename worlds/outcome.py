"""How a call of a tool ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic_monty import Frame, MontyError, MontyRuntimeError, MontySyntaxError

from worlds.toolserver import ToolServer

SOURCE = "<python-input-1>"
"""What the sandbox calls a tool server's source: the second text fed to a session (see `worlds.sandbox`)."""

LIMITS = (TimeoutError, MemoryError, RecursionError)
LONGEST_MESSAGE = 2000


@dataclass(frozen=True)
class Outcome:
    """How a call ended, and where when it failed."""

    status: Literal["ok", "refused", "crashed", "limit"]
    """refused: the tool raised ValueError; crashed: any other exception; limit: time, memory, depth or size."""
    value: Any = None
    """The result as plain JSON, when ok."""
    message: str = ""
    """A refusal's own words; `Type: message` of a crash; which limit."""
    function: str = ""
    """The function of the source where it was raised; empty for module level."""
    line: int | None = None
    """The line of the source where it was raised; None when the tool's code raised nothing."""
    forbidden: tuple[str, ...] = ()
    """Attempts at files, environment or foreign modules, also those that the code made nothing of."""
    noise: str = ""
    """The first line that an outside server wrote among its messages."""


def failure(error: MontyError, server: ToolServer, function: str) -> Outcome:
    """The outcome of code that raised; `function` is what was called."""
    inner = error.exception()
    place, line, by_hand = _place(error, server, function, str(inner))
    if by_hand and type(inner) is ValueError:
        return Outcome("refused", None, _short(str(inner)), place, line)
    if isinstance(inner, LIMITS) and not by_hand:
        return Outcome("limit", None, _short(str(inner)), place, line)
    return Outcome("crashed", None, _short(_typed(error, inner)), place, line)


def _place(
    error: MontyError, server: ToolServer, function: str, message: str
) -> tuple[str, int | None, bool]:
    """Function and line where it was raised, and whether a raise statement did it."""
    frame = _innermost(error)
    if frame is None:
        return function, None, False
    raised = server.raises.behind((frame.line, frame.column), message)
    if raised is not None:
        return raised.function, raised.first[0], True
    return _name(frame, server), frame.line, False


def _innermost(error: MontyError) -> Frame | None:
    frames = error.traceback() if isinstance(error, (MontyRuntimeError, MontySyntaxError)) else []
    return next((frame for frame in reversed(frames) if frame.filename == SOURCE), None)


def _name(frame: Frame, server: ToolServer) -> str:
    """The sandbox lays a call with wrong arguments to module level, at the line of the called function."""
    named = frame.function_name not in (None, "<module>")
    return str(frame.function_name) if named else server.function_at(frame.line)


def _typed(error: MontyError, inner: BaseException) -> str:
    if isinstance(error, (MontyRuntimeError, MontySyntaxError)):
        return error.display(format="type-msg")
    return f"{type(inner).__name__}: {inner}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
