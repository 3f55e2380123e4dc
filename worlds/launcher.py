"""Starts an outside tool server under limits, and takes it down with everything that it started.

`python launcher.py PARENT MEMORY CPU FILE COMMAND…` (bytes, seconds, bytes). Run by its path: it imports nothing
of the project. When the parent is gone, however it went, the kernel says so and the whole group is killed.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, memory: int, cpu: int, file: int, command: list[str]) -> int:
    """The exit status of the command."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGTERM, _take_down)
    if os.getppid() != parent:
        return 1  # it went before we could ask to be told
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _limit(memory, cpu, file)
        try:
            os.execvp(command[0], command)  # noqa: S606  # no shell is what is wanted
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    for pipe in (0, 1):
        os.close(pipe)  # else the other end would never see that the server closed it
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) & 0xFF


def _limit(memory: int, cpu: int, file: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file, file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _take_down(_signal: int, _frame: object) -> None:
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    parent, memory, cpu, file = map(int, sys.argv[1:5])
    sys.exit(main(parent, memory, cpu, file, sys.argv[5:]))
