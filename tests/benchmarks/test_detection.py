"""A sample of the benchmark: that it measures, what it prints, and that the checks have not become blind."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.detection import changes
from benchmarks.faults.mutation import SITES, operators
from benchmarks.faults.split import HALVES, ROOT, HalfName, read_split

EVERY = 23
"""Of all changes: a sample that takes about three minutes."""


@pytest.fixture(scope="module")
def sample() -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.detection", "--every", str(EVERY)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_sample_finds_most_of_what_is_harmful_and_complains_of_little_else(
    sample: dict[str, Any],
) -> None:
    rows = [row for row in sample["changes"] if not row["catalogue"]]
    harmful = [row for row in rows if row["harmful"]]
    rewrites = [row for row in rows if row["rewrite"] and not row["harmful"]]
    assert len(harmful) >= 5
    assert sum(row["detected"] for row in harmful) / len(harmful) >= 0.6
    assert sum(row["detected"] for row in rewrites) / len(rewrites) <= 0.1


def test_a_check_of_a_sample_ends_in_trouble_only_where_a_servers_database_refuses_the_rows(
    sample: dict[str, Any],
) -> None:
    errors = [error for row in sample["changes"] for error in row["errors"]]
    assert [error for error in errors if "its database" not in error] == []
    assert len(errors) <= len(sample["changes"]) / 10


def test_a_sample_says_both_halves_and_what_it_spent(sample: dict[str, Any]) -> None:
    assert sample["name"] == "detection"
    assert {row["half"] for row in sample["rows"]} == set(HALVES)
    head = sample["headline"]
    assert {"held_out_detection", "held_out_alarm", "development_detection"} <= head.keys()
    assert head["planted"] == len(sample["changes"])
    assert head["checks"] >= head["planted"]


@pytest.mark.parametrize("half", HALVES)
def test_every_operator_is_planted_in_every_domain_of_its_half(half: HalfName) -> None:
    found = [change for change in changes(half) if change.site is not None]
    assert {change.domain for change in found} == set(read_split().half(half).domains)
    assert {change.name for change in found} == set(operators(half))
    counts: dict[tuple[str, str], int] = {}
    for change in found:
        counts[change.domain, change.name] = counts.get((change.domain, change.name), 0) + 1
    few = {key: count for key, count in counts.items() if count != SITES}
    assert max(counts.values()) == SITES
    assert len(few) <= 6, few


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--operator", "write-droped"], "write-droped: nothing of that name is planted"),
        (["--every", "0"], "--every 0: give a number from 1 on"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(wrong: list[str], says: str) -> None:
    command = [sys.executable, "-m", "benchmarks.detection", *wrong]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert says in done.stderr
