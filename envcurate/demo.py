"""From nothing to a served page: services, data, a worker, the web server, a first round."""

import os
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from benchmarks.faults.demonstration import demonstration, selection
from components.load import load
from components.models import Domain
from components.tau2 import PUBLICATIONS
from envcurate.children import Child, stop
from envcurate.environment import whole
from envcurate.home import BASE_DIR, make_home, secret
from triage.repairing import AFTER_ROUNDS
from worlds.counted import counted
from worlds.library import complete_domains

DEMO_USER = "demo"
FIRST_PORT = 8000
PORTS_TRIED = 50
LONGEST_WEB_START = 60.0


class Demo:
    """`run()` returns when it was interrupted, or at once after the first round with `once`."""

    def __init__(self, out: OutputWrapper, *, once: bool = False) -> None:
        self.out = out
        self.once = once
        self.log = make_home() / "log"
        self.port = free_port(whole("PORT", default=FIRST_PORT))
        self.children: list[Child] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        """Raises CommandError, with the log's path, when one of the programs fell over."""
        with interruptible():
            try:
                self._prepare()
                self._run_programs()
            except KeyboardInterrupt:
                self.say("\nstopping …")
            finally:
                self.stopping.set()
                fallen = self.obituary()
                stop(self.children)
        if fallen:
            raise CommandError(fallen)

    def _prepare(self) -> None:
        self.step("database", lambda: call_command("migrate", verbosity=0, interactive=False))
        self.step("log-in", make_demo_user)
        self.step("library", load_library)
        self.say(planted())

    def _run_programs(self) -> None:
        os.environ.setdefault("ENVCURATE_PROPOSE", AFTER_ROUNDS)  # for the worker
        self.children = [self._worker(), self._web()]
        threading.Thread(target=self._watch, daemon=True).start()
        self._wait_for_web()
        self.say(f"\nOpen {self.url} and log in as {DEMO_USER} with {secret('demo-password')}")
        self.say("Ctrl-C ends it; the data stays. Meanwhile everything is checked:\n")
        for domains in sorts():
            call_command("round", actor=DEMO_USER, domain=domains, stdout=self.out)
        if not self.once:
            self.say(
                "\nRepairs of what is broken are searched for now: Triage shows what is proposed."
            )
            self.say(f"Serving at {self.url} until Ctrl-C.")
            while True:
                time.sleep(3600)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def say(self, line: str) -> None:
        self.out.write(line)
        self.out.flush()

    def step(self, title: str, act: Callable[[], object]) -> None:
        started = time.monotonic()
        act()
        self.say(f"{title:<10} ready in {time.monotonic() - started:.1f} s")

    def obituary(self) -> str | None:
        return next(filter(None, (child.obituary() for child in self.children)), None)

    def _worker(self) -> Child:
        schedule = make_home() / "beat-schedule"
        command = [sys.executable, "-m", "celery", "-A", "envcurate", "worker", "--beat"]
        command += ["--schedule", str(schedule), "--concurrency", str(cores())]
        command += ["--loglevel", "info", "--without-gossip", "--without-mingle"]
        return Child("the worker", command, self.log / "worker.log", BASE_DIR)

    def _web(self) -> Child:
        command = [sys.executable, "-m", "gunicorn", "envcurate.wsgi", "--threads", "8"]
        command += ["--bind", f"127.0.0.1:{self.port}", "--no-control-socket"]
        return Child("the web server", command, self.log / "web.log", BASE_DIR)

    def _wait_for_web(self) -> None:
        deadline = time.monotonic() + LONGEST_WEB_START
        while not answers(f"{self.url}accounts/login/"):
            if time.monotonic() > deadline:
                raise CommandError(
                    f"no page came within {LONGEST_WEB_START:.0f} s (see {self.log})"
                )
            time.sleep(0.1)

    def _watch(self) -> None:
        """Interrupts the main thread when a program falls over: a round without a worker waits."""
        main = threading.main_thread().ident
        while main is not None and not self.stopping.wait(0.5):
            if self.obituary():
                signal.pthread_kill(main, signal.SIGTERM)
                return


def make_demo_user() -> None:
    """An admin whose password is drawn once and kept in the home, for the owner's eyes."""
    user, _ = User.objects.get_or_create(username=DEMO_USER)
    user.groups.add(Group.objects.get(name="admin"))
    if not user.check_password(secret("demo-password")):
        user.set_password(secret("demo-password"))
        user.save(update_fields=["password"])


def load_library() -> None:
    """Load what is not there yet: a library in which people have worked since is left as they made it."""
    there = set(Domain.objects.values_list("slug", flat=True))
    actor = User.objects.get(username=DEMO_USER)
    ours = [name for name in complete_domains(BASE_DIR / "library") if name not in there]
    load(demonstration(ours), actor, source="library")
    for published in PUBLICATIONS:
        if f"tau2-{published}" not in there:
            call_command("import_tau2", domain=published, actor=DEMO_USER)


def planted() -> str:
    """What the library is, in a sentence."""
    count = sum(map(len, selection().values()))
    return (
        f"The library has {counted(count, 'fault')} planted in it on purpose (benchmarks/demo.yaml), as generated "
        "libraries arrive;\nthe published τ² tasks stand beside it as they are, and are never added to it."
    )


def sorts() -> list[list[str]]:
    """Our own domains, and the published ones, each by slug: a round over both would add up what is not alike."""
    slugs = Domain.objects.order_by("slug").values_list("slug", flat=True)
    published = {f"tau2-{name}" for name in PUBLICATIONS}
    return [
        some
        for some in ([s for s in slugs if s not in published], [s for s in slugs if s in published])
        if some
    ]


def cores() -> int:
    """Those that we may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def free_port(first: int) -> int:
    """The first from `first` on that nobody listens at."""
    for port in range(first, first + PORTS_TRIED):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise CommandError(f"no port is free from {first} to {first + PORTS_TRIED - 1}: set PORT.")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):  # noqa: S310 - our own, on this machine
            return True
    except urllib.error.HTTPError as error:
        raise CommandError(f"{url} answers with {error.code}: see the web server's log") from error
    except OSError:
        return False


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT and SIGTERM end us in order, as Ctrl-C does.

    SIGINT too: a script that starts us in the background has it ignored.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
