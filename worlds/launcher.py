"""Starts an outside tool server under limits, and takes it down with everything that it started.

`python launcher.py PARENT MEMORY CPU FILE COMMAND…` (bytes, seconds, bytes). Run by its path: it imports nothing
of the project. When the parent is gone, however it went, the kernel says so with SIGTERM, and the parent may say so
itself: then all that descends from it is killed, also what left its group, since the kernel gives orphans to it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
ROUNDS = 100
"""Of killing, should what it started go on starting more."""


def main(parent: int, memory: int, cpu: int, file: int, command: list[str]) -> int:
    """The exit status of the command."""
    signal.signal(signal.SIGTERM, _take_down)
    kernel = ctypes.CDLL(None)
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)
    kernel.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
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
    status = _waited_for(child)
    _kill_descendants()
    return os.waitstatus_to_exitcode(status) & 0xFF


def _waited_for(child: int) -> int:
    while True:
        ended, status = os.wait()  # orphans too
        if ended == child:
            return status


def _limit(memory: int, cpu: int, file: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file, file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _take_down(_signal: int, _frame: object) -> None:
    _kill_descendants()
    os.killpg(0, signal.SIGKILL)


def _kill_descendants() -> None:
    """Kill generation after generation: what a killed one leaves behind becomes a child of this process."""
    for _ in range(ROUNDS):
        children = _children()
        if not children:
            return
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)


def _children() -> list[int]:
    try:
        # Not pathlib: importing it takes as long as all the rest of the start.
        with open(f"/proc/self/task/{os.getpid()}/children") as listed:  # noqa: PTH123
            return [int(child) for child in listed.read().split()]
    except OSError:
        return []  # a kernel that does not tell: the group is killed all the same


if __name__ == "__main__":
    parent, memory, cpu, file = map(int, sys.argv[1:5])
    sys.exit(main(parent, memory, cpu, file, sys.argv[5:]))
