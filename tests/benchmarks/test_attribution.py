"""What is attributed, and how the benchmark is called."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks.attribution import faults, sets
from benchmarks.faults.split import HALVES, ROOT, HalfName, read_split


@pytest.mark.parametrize("half", HALVES)
def test_all_detected_harmful_faults_of_a_half_are_planted(half: HalfName) -> None:
    found = faults(half)
    assert len(found) > 100
    assert {row["domain"] for row in found} == set(read_split().half(half).domains)
    assert all(row["harmful"] and row["detected"] and not row["rewrite"] for row in found)


@pytest.mark.parametrize("half", HALVES)
def test_each_domain_has_sets_of_both_sizes(half: HalfName) -> None:
    for domain in read_split().half(half).domains:
        sizes = [row["size"] for row in sets(half) if row["domain"] == domain]
        assert sizes == [5, 5, 5, 12, 12]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--operator", "write-droped"], "write-droped: no detected fault of that name"),
        (["--every", "0"], "--every 0: give a number from 1 on"),
        (["--fit"], "a score is fitted to single faults of --half development alone"),
        (
            ["--fit", "--half", "heldout"],
            "a score is fitted to single faults of --half development",
        ),
    ],
)
def test_a_wrong_call_says_what_is_wrong(wrong: list[str], says: str) -> None:
    command = [sys.executable, "-m", "benchmarks.attribution", *wrong]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert says in done.stderr
