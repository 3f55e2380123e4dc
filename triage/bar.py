"""A progress bar for people who wait at a terminal."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Protocol, Self

from triage.rounds import Progress

WIDTH = 30
QUIET = 5.0
"""Seconds between lines where the output is no terminal, such as a CI log."""


class Output(Protocol):
    """Where a bar is drawn, such as a command's `stderr`."""

    def write(self, text: str = ..., *, ending: str | None = ...) -> object: ...

    def flush(self) -> None: ...

    def isatty(self) -> bool: ...


class Bar:
    """Shows progress in one line that is drawn over; in a log, as a line now and then."""

    def __init__(self, output: Output) -> None:
        self.output = output
        self.terminal = output.isatty()
        self.shown: str | None = None
        self.at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self.terminal and self.shown is not None:
            self.output.write("", ending="\n")

    def show(self, progress: Progress) -> None:
        """Draw it as it stands now."""
        line = text(progress)
        now = time.monotonic()
        is_last = progress["done"] == progress["total"]
        if line == self.shown or not (self.terminal or is_last or now - self.at >= QUIET):
            return
        self.shown, self.at = line, now
        if self.terminal:
            self.output.write(f"\r{line}\x1b[K", ending="")
            self.output.flush()
        else:
            self.output.write(line)


def text(progress: Progress) -> str:
    """`[#########---]  57/114  24.0/s  2 s left`."""
    done, total, left = progress["done"], progress["total"], progress["seconds_left"]
    filled = WIDTH * done // total if total else WIDTH
    bar = "#" * filled + "-" * (WIDTH - filled)
    count = f"{done:>{len(str(total))}}/{total}"
    if not progress["rate"]:
        return f"[{bar}] {count}  {_before_the_first(done, total)}"
    ahead = "waiting for the first" if left is None else f"{duration(left)} left"
    return f"[{bar}] {count}  {progress['rate']:.1f}/s  {ahead}"


def _before_the_first(done: int, total: int) -> str:
    """Where nothing was run yet, all that is done was known when the round was made."""
    if done == total:
        return "all known from earlier rounds" if total else "nothing to check"
    if not done:
        return "waiting for the first"
    return f"{done} known from earlier rounds, waiting for the first of the other {total - done}"


def duration(seconds: float) -> str:
    """`8 s`, `3 min 20 s`, `1 h 05 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"
