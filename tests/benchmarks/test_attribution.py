"""What is attributed, and how the benchmark is called."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.attribution import faults, sets
from benchmarks.faults.split import HALVES, ROOT, HalfName, read_split

FAULT = "intent-security-lock-refused"
"""Of the catalogue: planted once, in an intent of three environments."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.attribution", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def sample() -> dict[str, Any]:
    done = run("--operator", FAULT)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_fault_is_attributed_with_and_without_standins(sample: dict[str, Any]) -> None:
    (row,) = sample["faults"]
    assert (row["name"], row["ended"], row["error"], row["errors"]) == (FAULT, "done", "", [])
    assert {suspect["component"] for suspect in row["alone"]} & set(row["culprits"])
    assert any(suspect["state"] for suspect in row["standins"])


def test_the_figures_are_those_of_the_rows(sample: dict[str, Any]) -> None:
    head = sample["headline"]
    assert {"held_out_first", "held_out_three", "confirmed_precision"} <= head.keys()
    assert (head["faults"], head["unseen"], head["held_out_first"]) == (1, 0, None)
    assert head["development_three"] is not None
    assert {row["ranking"] for row in sample["rows"]} >= {"alone", "standins", "directly"}


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
    done = run(*wrong)
    assert done.returncode == 2
    assert says in done.stderr
