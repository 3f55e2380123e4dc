"""Which faults are repaired, and how the benchmark is called."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from benchmarks.attribution import faults
from benchmarks.faults.detected import KINDS
from benchmarks.faults.split import HALVES, ROOT, HalfName
from benchmarks.faults.stratified import drawn
from benchmarks.repair import DRAWN, chosen

FAULT = "intent-security-lock-refused"
"""Of the catalogue: planted once, in an intent of three environments."""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.repair", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def sample() -> dict[str, Any]:
    done = run("--operator", FAULT, "--half", "development", "--quick", "--seconds", "5")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_fault_is_planted_and_repairs_of_it_are_searched_for(sample: dict[str, Any]) -> None:
    (row,) = sample["faults"]
    assert (row["name"], row["alone"]["ended"]) == (FAULT, "done")
    assert "standins" not in row
    assert row["alone"]["repaired"] == (not row["alone"]["why"])


def test_the_figures_are_those_of_the_rows(sample: dict[str, Any]) -> None:
    head = sample["headline"]
    assert {"held_out_repaired", "held_out_agree", "held_out_repaired_standins"} <= head.keys()
    assert (head["faults"], head["held_out_repaired"], head["auto_harm"]) == (1, None, 0)
    assert head["development_repaired"] == float(sample["faults"][0]["alone"]["repaired"])
    assert {row["of"] for row in sample["rows"]} == {"all", "intent", "catalogue"}


def options(**more: Any) -> argparse.Namespace:
    said = {"half": None, "every": 1, "operator": None, "all": False}
    return argparse.Namespace(**(said | more))


def test_a_hundred_faults_are_drawn_most_of_them_held_out() -> None:
    assert Counter(row["half"] for row in chosen(options())) == DRAWN
    assert sum(DRAWN.values()) == 100


@pytest.mark.parametrize("half", HALVES)
def test_of_each_kind_as_many_are_drawn_as_there_are_or_of_the_others(half: HalfName) -> None:
    every = Counter(row["kind"] for row in faults(half))
    found = Counter(row["kind"] for row in drawn(faults(half), DRAWN[half]))
    assert set(found) == set(KINDS)
    whole = [kind for kind in KINDS if found[kind] == every[kind]]
    others = {found[kind] for kind in KINDS if kind not in whole}
    assert max(others) - min(others) <= 1
    assert all(found[kind] <= max(others) for kind in whole)


def test_faults_of_an_operator_are_all_taken_drawn_or_not() -> None:
    found = chosen(options(operator=["write-dropped"], half="development"))
    assert len(found) == sum(row["name"] == "write-dropped" for row in faults("development"))
    assert chosen(options(all=True, half="development")) == faults("development")
    assert len(chosen(options(half="development", every=7))) == -(-DRAWN["development"] // 7)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--operator", "write-droped"], "write-droped: no detected fault of that name"),
        (["--every", "0"], "--every 0: give a number from 1 on"),
        (["--seconds", "0"], "--seconds 0: give a number up to 600"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(wrong: list[str], says: str) -> None:
    done = run(*wrong)
    assert done.returncode == 2
    assert says in done.stderr
