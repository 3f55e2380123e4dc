"""What people made of findings: a reading a defect, however many tasks show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.readings import LABELS, NAMED, defects, gone, precision, readings, unread


def row(task: str, fingerprint: str, label: str | None = None) -> dict[str, Any]:
    """A finding in a task."""
    named = dict.fromkeys(NAMED, "x")
    place = {"domain": "retail", "environment": f"tau2-retail/task-{task}", "task": task}
    return {**named, **place, "fingerprint": fingerprint, "label": label}


SHARED = [row("1", "a", "right"), row("2", "a", "right"), row("2", "b", "wrong"), row("3", "c")]


def test_a_defect_that_many_tasks_show_counts_once() -> None:
    assert [len(shown) for shown in defects(SHARED)] == [2, 1, 1]
    assert precision(SHARED) == {"defects": 3, "read": 2, "right": 1, "precision": 0.5}


def test_of_what_nobody_read_the_precision_is_unknown() -> None:
    assert precision([row("1", "a")])["precision"] is None
    assert precision([]) == {"defects": 0, "read": 0, "right": 0, "precision": None}


def test_what_nobody_read_is_printed_as_a_line_to_be_filled_in() -> None:
    (line,) = unread([*SHARED, row("4", "c")])
    blank = json.loads(line)
    assert (blank["environment"], blank["fingerprint"]) == ("tau2-retail/task-3", "c")
    assert blank.keys() == {"environment", *NAMED, "label", "why", "correction"}
    assert (blank["label"], blank["why"], blank["correction"]) == ("", "", "")


def test_every_reading_that_is_kept_says_right_or_wrong_and_why() -> None:
    kept = readings()
    assert len(kept) == len(LABELS.read_text().splitlines())
    assert all(made.label in ("right", "wrong") and made.why for made in kept.values())
    assert {domain for domain, _, _ in kept} == {"airline", "retail"}


def test_of_what_was_read_all_is_gone_that_is_not_found() -> None:
    published = ((k, m) for k, m in readings().items() if "published" in m.data)
    (at, made), *others = ((k, m) for k, m in published if k[0] == "retail")
    found = {"domain": at[0], "fingerprint": at[1], "place": at[2]}
    left = gone([found], ["retail"])
    assert sum(left.values()) == len(others)
    before = gone([], ["retail"])
    assert before[made.label] == left[made.label] + 1
    assert gone([], []) == {"right": 0, "wrong": 0}


def test_a_defect_that_is_read_twice_is_refused(tmp_path: Path) -> None:
    line = json.dumps(
        {
            "environment": "tau2-retail/task-1",
            "fingerprint": "a",
            "place": "goal",
            "label": "right",
            "why": "so",
        }
    )
    (tmp_path / "labels.jsonl").write_text(f"{line}\n{line}\n")
    with pytest.raises(ValueError, match=r"labels\.jsonl: tau2-retail/task-1, goal is read twice"):
        readings(tmp_path / "labels.jsonl")
