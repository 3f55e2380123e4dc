"""The services that come with Envcurate: PostgreSQL and Valkey under the home.

`services()` starts them when they do not run and says how to reach them. Whoever called it holds
a lease on the home until it ends, however it ends; a keeper stops both once nobody is left.
"""

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from envcurate import locks
from envcurate.home import BASE_DIR, make_home, secret
from envcurate.programs import ServiceError, refuse_closed, refuse_missing

__all__ = ["Postgres", "ServiceError", "Services", "leave", "services"]

LONGEST_START = 120.0
DATABASE = USER = "envcurate"
PORT = 5432  # no port is opened: it only names the socket

_leases: dict[Path, int] = {}


@dataclass(frozen=True)
class Postgres:
    """How to connect: `host` is the folder of the socket."""

    host: str
    user: str
    password: str = field(repr=False)
    database: str
    port: int = PORT

    @property
    def url(self) -> str:
        return (
            f"postgresql://{self.user}:{quote(self.password)}@{quote(self.host, safe='')}"
            f":{self.port}/{self.database}"
        )


@dataclass(frozen=True)
class Services:
    postgres: Postgres
    broker_url: str = field(repr=False)
    """for Celery; holds the password"""


def services() -> Services:
    """Both services, running. Cheap when they do; otherwise waits for the start.

    Raises ServiceError, whose message names the service and its log.
    """
    home = make_home()
    if not (_holds(home) and _run(home)):
        _join(home)
    run = (home / "run").resolve()
    password = secret("valkey-password")
    return Services(
        Postgres(str(run), USER, secret("postgres-password"), DATABASE),
        f"redis+socket://:{quote(password)}@{run}/valkey.sock?virtual_host=0",
    )


def leave() -> None:
    """Gives up this process's lease on the home and waits until the services are gone, unless
    others hold one. For tests and scripts that remove the home; ending the process does it too."""
    home = make_home()
    if not _holds(home):
        return
    os.close(_leases.pop(home))
    while locks.is_locked(home / "keeper.lock") and not locks.is_locked(home / "lease.lock"):
        time.sleep(0.1)


def _join(home: Path) -> None:
    refuse_missing()
    refuse_closed(home)
    try:
        with locks.locked(home / "start.lock"):
            if not _holds(home):
                _leases[home] = locks.lock(home / "lease.lock", locks.SHARED)
            if not _run(home):
                _start(home)
    except PermissionError as error:
        raise ServiceError(
            f"the home {home} belongs to another user ({error}): run as that user, or set "
            "ENVCURATE_HOME to a folder of your own."
        ) from error


def _holds(home: Path) -> bool:
    """Whether our lease is open still: some close every descriptor after a fork."""
    try:
        return os.path.samestat(os.fstat(_leases[home]), (home / "lease.lock").stat())
    except (KeyError, OSError):
        return False


def _start(home: Path) -> None:
    deadline = time.monotonic() + LONGEST_START
    (home / "failure").unlink(missing_ok=True)
    _launch_keeper(home)
    while not _run(home):
        if not locks.is_locked(home / "keeper.lock"):
            raise ServiceError(_last_words(home))
        if time.monotonic() > deadline:
            raise ServiceError(
                f"the services did not start within {LONGEST_START:.0f} s (logs: {home / 'log'})"
            )
        time.sleep(0.05)


def _launch_keeper(home: Path) -> None:
    (home / "log").mkdir(mode=0o700, exist_ok=True)
    with (home / "log" / "keeper.log").open("ab") as log:
        subprocess.run(
            [sys.executable, "-m", "envcurate.keeper", str(home)],
            check=False,  # another one may be at it: what counts is whether the services come up
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=BASE_DIR,
            env=os.environ | {"ENVCURATE_HOME": str(home)},
        )


def _last_words(home: Path) -> str:
    failure = home / "failure"
    if failure.exists():
        return failure.read_text()
    return f"the keeper of the services died (its log: {home / 'log' / 'keeper.log'})"


def _run(home: Path) -> bool:
    """Whether the keeper called both ready and both still take connections."""
    run = home / "run"
    names = (f".s.PGSQL.{PORT}", "valkey.sock")
    return (home / "ready").exists() and all(_open(run.resolve() / name) for name in names)


def _open(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
