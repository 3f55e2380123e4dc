"""How the benchmark of rounds is called, and that it turns the handle with workers."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.faults.split import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.rounds", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--of", "tau"], "invalid choice: 'tau'"),
        (["--domain", "shop"], "invalid choice: 'shop'"),
        (["--seconds", "601"], "--seconds 601: give a number up to 600"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(wrong: list[str], says: str) -> None:
    done = run(*wrong)
    assert done.returncode == 2
    assert says in done.stderr
