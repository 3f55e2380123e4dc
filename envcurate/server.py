"""What the services have in common: how one is started, known to be ready, and stopped."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

from envcurate.children import end_with_parent
from envcurate.programs import Account, Programs, ServiceError

LONGEST_START = 60.0
LARGEST_LOG = 5_000_000


class Server:
    """One service: a child process of the keeper, with its data folder and its log in the home."""

    title: str
    end_signal: signal.Signals
    hurry_signal: signal.Signals

    def __init__(
        self, home: Path, run: Path, programs: Programs, account: Account, *, fast: bool
    ) -> None:
        self.home = home
        self.run = run
        self.programs = programs
        self.account = account
        as_root = os.geteuid() == 0
        self._user = account.uid if as_root else None
        self._group = account.gid if as_root else None
        self._extra_groups: list[int] | None = [] if as_root else None
        self.fast = fast
        self.data = home / self.title.lower()
        self.log = home / "log" / f"{self.title.lower()}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Makes the data folder when it is missing."""
        raise NotImplementedError

    def command(self) -> list[str]:
        raise NotImplementedError

    def standard_input(self) -> bytes:
        return b""

    def leftover(self) -> int | None:
        """The process id that the last run noted down, if any."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether it does work for those who know the password."""
        raise NotImplementedError

    def start(self) -> None:
        """Returns when it answers; raises ServiceError when it does not."""
        self._end_leftover()
        self.prepare()
        deadline = time.monotonic() + LONGEST_START
        self._launch()
        while not self.answers():
            if self.died() and self._old_children_linger():
                time.sleep(0.5)
                self._launch()
            elif self.died() or time.monotonic() > deadline:
                self.stop()
                raise self.complaint("did not start")
            time.sleep(0.05)

    def died(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def ask_to_stop(self) -> None:
        if self.process and not self.died():
            self.process.send_signal(self.end_signal)

    def stop(self, patience: float = 2.5) -> None:
        """Ends it: orderly, then in a hurry (nothing committed is lost), then by force."""
        if self.process is None:
            return
        for send in (self.end_signal, self.hurry_signal, signal.SIGKILL):
            if self.died():
                break
            self.process.send_signal(send)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                continue

    def run_as_account(self, command: list[str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.home,
            env=_environment(),
            umask=0o077,
            preexec_fn=end_with_parent(signal.SIGKILL),
            user=self._user,
            group=self._group,
            extra_groups=self._extra_groups,
        )

    def _launch(self) -> None:
        self._turn_log()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.data if self.data.exists() else self.home,
                env=_environment(),
                umask=0o077,
                start_new_session=True,
                preexec_fn=end_with_parent(self.end_signal),  # noqa: PLW1509 - the keeper has one thread
                user=self._user,
                group=self._group,
                extra_groups=self._extra_groups,
            )
        assert self.process.stdin is not None  # noqa: S101 - asked for above
        try:
            self.process.stdin.write(self.standard_input())
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it died at once; its log says why

    def _turn_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_suffix(".log.1"))

    def _end_leftover(self) -> None:
        """Ends the server of a keeper that was killed."""
        pid = self.leftover()
        process = _process_in(self.data, pid) if pid else None
        if process is None:
            return
        for send in (self.end_signal, self.hurry_signal, signal.SIGKILL):
            process.send_signal(send)
            try:
                process.wait(5)
            except psutil.TimeoutExpired:
                continue
            return

    def _old_children_linger(self) -> bool:
        return False

    def last_lines(self, count: int = 1) -> str:
        lines = (
            self.log.read_text(errors="replace").strip().splitlines() if self.log.exists() else []
        )
        return " / ".join(lines[-count:]) or "it said nothing"

    def complaint(self, what: str) -> ServiceError:
        return ServiceError(f"{self.title} {what}: {self.last_lines()} (its log: {self.log})")


def _environment() -> dict[str, str]:
    """Nothing of ours: no keys, no PG… variables that would turn a server elsewhere."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C", "LC_ALL": "C", "TZ": "UTC"}


def noted(path: Path) -> int | None:
    try:
        first = path.read_text().split("\n", 1)[0].strip()
    except FileNotFoundError:
        return None
    return int(first) if first.isdecimal() else 0


def _process_in(folder: Path, pid: int) -> "psutil.Process | None":
    """The live process `pid` when it works in `folder`; numbers are given out anew."""
    try:
        process = psutil.Process(pid)
        return process if Path(process.cwd()) == folder.resolve() else None
    except psutil.Error:
        return None
