"""What readers said of the published tasks, as attribution is compared with it."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.faults.tau2_blame import readings
from benchmarks.report import kept


def test_only_what_was_confirmed_in_the_published_files_is_compared(tmp_path: Path) -> None:
    line = {"environment": "tau2-retail/task-1", "fingerprint": "f", "place": "goal"}
    line |= {"kind": "intent", "component": "task-1", "label": "right"}
    lines = [line, line | {"place": "p", "label": "wrong"}, line | {"place": "q", "data": "older"}]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    assert readings(path) == {("retail", "f", "goal"): "intent/task-1"}


def test_every_confirmed_finding_of_the_published_tasks_has_a_reading() -> None:
    right = [row for row in kept("tau2")["rows"] if row["label"] == "right"]
    read = readings()
    assert right
    for row in right:
        key = (row["domain"], row["fingerprint"], row["place"])
        assert read[key] == f"{row['kind']}/{row['component']}"
