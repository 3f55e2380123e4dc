"""A server's program that is imported once: each start is a fork of it, for a tenth of what an interpreter costs.

`python -m tests.examples.warm SOCKET MODULE` imports it and waits for `warm_start.py SOCKET`. Neither a fork nor
what stands for it outlives the other.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from select import select
from threading import Thread

MOST_BYTES = 1 << 16
ROOT = Path(__file__).parents[2]


@contextmanager
def kept_warm(module: str, folder: Path) -> Iterator[list[str]]:
    """The command that starts the `main` of `module`, from outside as if it were the program itself."""
    address = str(folder / "warm")
    keeper = subprocess.Popen(
        [sys.executable, "-m", "tests.examples.warm", address, module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    with keeper:  # closes its stdin and waits for its end
        assert keeper.stdout
        assert keeper.stdout.readline() == b"ready\n"
        yield [sys.executable, "-I", "-S", str(Path(__file__).with_name("warm_start.py")), address]


def keep(address: str, module: str) -> None:
    """Run the `main` of `module` in a fork for everybody who comes, until our stdin is closed."""
    main = import_module(module).main
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen()
        print("ready", flush=True)
        while sys.stdin not in select([door, sys.stdin], [], [])[0]:
            caller = door.accept()[0]
            if os.fork() == 0:
                try:
                    _run(caller, main)
                finally:
                    os._exit(0)
            caller.close()


def _run(caller: socket.socket, main: Callable[[], None]) -> None:
    told, pipes, _, _ = socket.recv_fds(caller, MOST_BYTES, 3)
    for ours, theirs in enumerate(pipes):
        os.dup2(theirs, ours)
        os.close(theirs)
    folder, environment = json.loads(told)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = []
    Thread(target=_end_with, args=[caller], daemon=True).start()
    main()


def _end_with(caller: socket.socket) -> None:
    caller.recv(1)
    os._exit(0)


if __name__ == "__main__":
    keep(*sys.argv[1:])
