"""The launcher: limits hold, and nothing outlives whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from worlds.stdio import LAUNCHER

MEMORY, CPU, FILE = 256 << 20, 1, 1 << 20
SLEEP = "import time; time.sleep(60)"
SLEEPERS = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEP!r}]); {SLEEP}"
APART = SLEEPERS.replace("])", "], start_new_session=True)")


def launched(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    bounds = map(str, (os.getpid(), MEMORY, CPU, FILE))
    command = [sys.executable, "-I", "-S", str(LAUNCHER), *bounds, sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, start_new_session=True
    )


def test_it_ends_as_its_command_ends(tmp_path: Path) -> None:
    done = launched(
        "import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)", tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")


def test_memory_time_and_files_are_limited(tmp_path: Path) -> None:
    assert "MemoryError" in launched("bytearray(1 << 30)", tmp_path).stderr
    began = time.monotonic()
    assert launched("while True: pass", tmp_path).returncode != 0
    assert time.monotonic() - began < 20
    wrote = launched("open('x', 'wb').write(bytes(9 << 20))", tmp_path)
    assert wrote.returncode != 0
    assert (tmp_path / "x").stat().st_size <= FILE


@pytest.mark.parametrize("code", [SLEEPERS, APART], ids=["together", "apart"])
def test_all_of_it_goes_when_the_one_who_started_it_is_killed(tmp_path: Path, code: str) -> None:
    starter = (
        "import subprocess, os, sys, time\n"
        f"words = [sys.executable, '-I', '-S', {str(LAUNCHER)!r}, str(os.getpid()), "
        f"'{MEMORY}', '60', '{FILE}', sys.executable, '-c', {code!r}]\n"
        "subprocess.Popen(words, start_new_session=True)\n"
        "time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", starter], cwd=tmp_path)
    family: list[psutil.Process] = []
    ends = time.monotonic() + 10
    while len(family) < 3 and time.monotonic() < ends:
        family = psutil.Process(process.pid).children(recursive=True)
        time.sleep(0.05)
    assert len(family) == 3  # the launcher, its command, and what that one started
    process.send_signal(signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=10)
    assert alive == []


@pytest.mark.parametrize("how", ["told", "ended"])
def test_what_left_its_group_goes_too_when_it_is_told_or_its_command_ended(
    tmp_path: Path, how: str
) -> None:
    leave = "import os; os.fork() and os._exit(0); os.setsid()"
    daemon = f"{leave}; open('pid', 'w').write(str(os.getpid())); {SLEEP}"
    code = f"import subprocess, sys, time; subprocess.run([sys.executable, '-c', {daemon!r}])"
    code += "; time.sleep(60)" if how == "told" else "; time.sleep(1)"
    bounds = map(str, (os.getpid(), MEMORY, 60, FILE))
    command = [sys.executable, "-I", "-S", str(LAUNCHER), *bounds, sys.executable, "-c", code]
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    pid = tmp_path / "pid"
    ends = time.monotonic() + 10
    while not (pid.exists() and pid.read_text()) and time.monotonic() < ends:
        time.sleep(0.02)
    orphan = psutil.Process(int(pid.read_text()))
    if how == "told":
        process.terminate()
    process.wait(timeout=10)
    _, alive = psutil.wait_procs([orphan], timeout=5)
    for left in alive:
        left.kill()
    assert alive == []


def test_it_starts_nothing_for_one_who_is_gone_already(tmp_path: Path) -> None:
    bounds = map(str, (1 << 22, MEMORY, CPU, FILE))  # no process has this number
    command = [sys.executable, "-I", "-S", str(LAUNCHER), *bounds, "touch", str(tmp_path / "x")]
    assert subprocess.run(command, check=False, start_new_session=True).returncode == 1
    assert not (tmp_path / "x").exists()
