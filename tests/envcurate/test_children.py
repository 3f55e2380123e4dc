"""Programs that run beside us end with us, and say why they ended before."""

import subprocess
import sys
import time
from pathlib import Path

from envcurate.children import Child, stop
from envcurate.home import BASE_DIR
from tests.envcurate.holder import is_alive, wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_a_dead_one_tells_status_last_line_and_log(tmp_path: Path) -> None:
    script = "import sys; print('one'); print('two'); sys.exit(3)"
    child = Child("the worker", [sys.executable, "-c", script], tmp_path / "log", tmp_path)
    child.process.wait(30)
    assert child.obituary() == f"the worker ended with status 3: two (its log: {tmp_path / 'log'})"


def test_a_living_one_has_no_obituary_and_stops_when_asked(tmp_path: Path) -> None:
    child = Child("the worker", SLEEP, tmp_path / "log", tmp_path)
    assert child.obituary() is None
    started = time.monotonic()
    stop([child])
    assert not is_alive(child.process.pid)
    assert time.monotonic() - started < 5


def test_it_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
import pathlib, time
from envcurate.children import Child
path = pathlib.Path({str(tmp_path)!r})
print(Child("it", {SLEEP!r}, path / "log", path).process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=BASE_DIR
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        assert wait_until(lambda: not is_alive(child), 5)
