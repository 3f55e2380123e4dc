"""Child processes that go when we go, with a log each."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

SET_PARENT_DEATH_SIGNAL = 1  # prctl's PR_SET_PDEATHSIG
PATIENCE = 10.0


def end_with_parent(how: signal.Signals) -> Callable[[], None] | None:
    """Has the kernel end a child whose keeper was killed (Linux; elsewhere the next one does)."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(SET_PARENT_DEATH_SIGNAL, how)

    return ask


class Child:
    """A program that runs beside us, its output in `log`."""

    def __init__(self, title: str, command: list[str], log: Path, cwd: Path) -> None:
        self.title = title
        self.log = log
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                cwd=cwd,
                start_new_session=True,  # Ctrl-C is for us: we end it in order
                preexec_fn=end_with_parent(signal.SIGTERM),  # noqa: PLW1509 - only calls prctl
            )

    def obituary(self) -> str | None:
        """A sentence about its death; None while it lives."""
        status = self.process.poll()
        if status is None:
            return None
        lines = self.log.read_text(errors="replace").strip().splitlines()
        last = lines[-1] if lines else "it said nothing"
        return f"{self.title} ended with status {status}: {last} (its log: {self.log})"


def stop(children: list[Child]) -> None:
    """Asks all to end, and ends by force who does not within a few seconds."""
    for child in children:
        child.process.terminate()
    deadline = time.monotonic() + PATIENCE
    for child in children:
        try:
            child.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(child.process.pid, signal.SIGKILL)
            child.process.wait()
