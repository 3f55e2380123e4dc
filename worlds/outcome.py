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


def failure(error: MontyError, server: ToolServer, function: str) -> Outcome:
    """The outcome of code that raised; `function` is the tool that was called, empty while the source ran."""
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
    frame = _innermost(error, function)
    if frame is None:
        return function, None, False
    raised = server.raises.behind((frame.line, frame.column), message)
    if raised is not None:
        return raised.function, raised.first[0], True
    return _name(frame), frame.line, False


def _innermost(error: MontyError, function: str) -> Frame | None:
    """The frame where it happened. When a tool was called, a frame at module level is the definition of
    what was given wrong arguments, and does not say by whom."""
    frames = error.traceback() if isinstance(error, (MontyRuntimeError, MontySyntaxError)) else []
    ours = [frame for frame in frames if frame.filename == SOURCE]
    return next((frame for frame in reversed(ours) if _name(frame) or not function), None)


def _name(frame: Frame) -> str:
    return "" if frame.function_name in (None, "<module>") else str(frame.function_name)


def _typed(error: MontyError, inner: BaseException) -> str:
    if isinstance(error, (MontyRuntimeError, MontySyntaxError)):
        return error.display(format="type-msg")
    return f"{type(inner).__name__}: {inner}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
