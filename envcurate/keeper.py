"""The keeper: a detached process that runs the services while somebody holds the home's lease.

It is their parent, starts one again that died, and stops both as soon as nobody is left. Started
by `envcurate.embedded` as `python -m envcurate.keeper HOME`; holds `keeper.lock` for its life.
"""

import os
import signal
import sys
import time
from pathlib import Path

from envcurate import locks
from envcurate.environment import boolean
from envcurate.home import drop_run_folder, make_run_folder
from envcurate.postgresql import Postgres
from envcurate.programs import ServiceError, account, programs
from envcurate.server import Server
from envcurate.valkey import Valkey

LOOK_EVERY = 0.25
LINGER = 1.0
ANOTHER_KEEPS = 3


class Keeper:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.ready = home / "ready"
        self.servers: list[Server] = []
        self.told_to_stop = False
        self.alone_since: float | None = None

    def keep(self) -> None:
        """Runs until nobody holds the lease."""
        self.ready.unlink(missing_ok=True)
        signal.signal(signal.SIGTERM, lambda *_: self.stop_soon())
        lease: int | None = None
        try:
            self._build()
            while not self.told_to_stop and lease is None:
                self._start_what_is_down()
                time.sleep(LOOK_EVERY)
                lease = self._lease_nobody_wants()
        except (ServiceError, OSError) as error:
            (self.home / "failure").write_text(str(error))
        finally:
            self._stop()

    def stop_soon(self) -> None:
        self.told_to_stop = True

    def _lease_nobody_wants(self) -> int | None:
        """The lease, held alone, once nobody held it for a moment: commands often follow closely.

        Whoever comes while we hold it waits until we are gone, and starts the next keeper.
        """
        lease = locks.try_lock(self.home / "lease.lock", locks.ALONE)
        if lease is None:
            self.alone_since = None
            return None
        self.alone_since = self.alone_since or time.monotonic()
        if time.monotonic() - self.alone_since >= LINGER:
            return lease
        os.close(lease)
        return None

    def _build(self) -> None:
        who = account()
        (self.home / "log").mkdir(mode=0o700, exist_ok=True)
        run = make_run_folder(self.home)
        who.owns(run)
        what = programs(self.home)
        fast = boolean("ENVCURATE_FAST", default=False)
        self.servers = [kind(self.home, run, what, who, fast=fast) for kind in (Valkey, Postgres)]

    def _start_what_is_down(self) -> None:
        down = [server for server in self.servers if server.died()]
        if down:
            self.ready.unlink(missing_ok=True)
            for server in down:
                server.start()
            self.ready.touch()

    def _stop(self) -> None:
        self.ready.unlink(missing_ok=True)
        for server in self.servers:
            server.ask_to_stop()
        for server in self.servers:
            server.stop()
        drop_run_folder(self.home)


def main() -> None:
    home = Path(sys.argv[1])
    mine = locks.try_lock(home / "keeper.lock", locks.ALONE)
    if mine is None:
        sys.exit(ANOTHER_KEEPS)
    if os.fork():
        os._exit(0)  # whoever started us goes on; the lock stays with the child
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Keeper(home).keep()
    os.close(mine)


if __name__ == "__main__":
    main()
