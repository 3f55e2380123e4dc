"""The demo as a program of its own, started in the background as a script does it, and how it ends.

Real services, worker and web server; only the library is a single environment, so that the round is short.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import current_app

from tests.triage.shop import Shop

pytestmark = pytest.mark.django_db(transaction=True)

PROGRAM = """
import django
django.setup()
from django.core.management import execute_from_command_line
from envcurate import demo
demo.load_library = lambda: None
execute_from_command_line(["manage.py", "demo"])
"""
SERVES = "Ctrl-C ends it"


def ignore_interrupts() -> None:
    """As a shell that is not interactive does to what it starts with `&`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.fixture
def demo(services: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """A demo that has said that it serves."""
    Shop().sound("a")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **services, "PORT": str(port)}
        | {"DJANGO_SETTINGS_MODULE": "envcurate.settings"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=ignore_interrupts,  # noqa: PLW1509 - only sets a handler
    )
    assert process.stdout
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if SERVES in line:
                break
        else:
            pytest.fail(f"it never served: {''.join(said)}{process.communicate()[1]}")
        yield process
    finally:
        process.kill()
        process.wait()
        current_app.control.purge()


def children(process: "subprocess.Popen[str]") -> dict[int, str]:
    """The programs that a process started, with their command lines."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return {int(pid): Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in listed}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_started_with_interrupts_ignored_it_ends_in_order_when_interrupted(
    demo: "subprocess.Popen[str]",
) -> None:
    started = children(demo)
    assert len(started) == 2
    demo.send_signal(signal.SIGINT)
    out, err = demo.communicate(timeout=30)
    assert (demo.returncode, out.strip()) == (0, "stopping …"), err
    assert not any(Path(f"/proc/{pid}").exists() for pid in started)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("program", "title"), [("gunicorn", "the web server"), ("celery", "the worker")]
)
def test_a_program_that_is_killed_ends_it_with_a_sentence_and_status_1(
    demo: "subprocess.Popen[str]", program: str, title: str
) -> None:
    (pid,) = [pid for pid, command in children(demo).items() if f" -m {program} " in command]
    os.kill(pid, signal.SIGKILL)
    _, err = demo.communicate(timeout=30)
    assert demo.returncode == 1
    assert re.search(rf"{title} ended with status -9: .* \(its log: .*\.log\)", err)
