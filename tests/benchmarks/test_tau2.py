"""The benchmark over published tasks: what it finds, in the published files and in changed ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import tau2
from benchmarks.comparison import compared
from benchmarks.readings import NAMED, key
from benchmarks.report import FOLDER
from tests.benchmarks.task_files import Task, actions, complete, written
from worlds.library import LibraryMissing

REFUSED = ("retail", "64", 6, "exchange_delivered_order_items")
"""A published solution that its own tools refuse."""


def measured(folder: Path) -> dict[str, Any]:
    return tau2.measure(folder, None, lambda _: None)


def found(said: dict[str, Any], code: str) -> list[tuple[str, str, int | None, str | None]]:
    return [
        (row["domain"], row["task"], row["step"], row["tool"])
        for row in said["rows"]
        if row["code"] == code
    ]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Three published tasks: one refused a write, one refused a read, one that passes by doing nothing."""
    folder = tmp_path_factory.mktemp("data") / "retail"
    return measured(complete(folder, "retail", "64", "2", "10"))


def test_a_row_names_task_step_tool_and_component(said: dict[str, Any]) -> None:
    assert REFUSED in found(said, "plan-refused")
    row = next(row for row in said["rows"] if row["task"] == "64" and row["step"] == 6)
    assert {name: row[name] for name in ("environment", "severity", "kind", "component")} == {
        "environment": "tau2-retail/task-64",
        "severity": "blocking",
        "kind": "intent",
        "component": "task-64",
    }
    assert row["message"].endswith("Non-delivered order cannot be exchanged")
    assert set(NAMED) <= row.keys()


def test_a_row_has_what_a_person_made_of_the_same_defect(said: dict[str, Any]) -> None:
    row = next(row for row in said["rows"] if row["code"] == "plan-refused")
    assert row["label"] == "right"
    assert row["why"]
    assert isinstance(row["correction"], str)


def test_certain_ones_come_first_and_each_list_counts_the_rows(said: dict[str, Any]) -> None:
    severities = [row["severity"] for row in said["rows"]]
    assert severities == sorted(severities)  # blocking, warning
    headline, (domain,) = said["headline"], said["domains"]
    assert headline["certain"] == severities.count("blocking")
    assert headline["warnings"] == severities.count("warning")
    assert headline["certain_tasks"] == headline["broken"] == 2
    assert (headline["tasks"], domain["tasks"], domain["domain"]) == (3, 3, "retail")
    assert sum(row["findings"] for row in said["codes"]) == len(severities)
    assert sum(headline["findings"].values()) == len(severities)
    assert headline["defects"] == len({key(row) for row in said["rows"]})
    assert headline["tasks_touched"]["goal-vacuous"] == 1


def test_the_document_has_the_form_that_every_benchmark_has(said: dict[str, Any]) -> None:
    assert {"name", "machine", "seconds", "headline", "rows"} <= said.keys()
    assert said["name"] == "tau2"
    assert said["tools"] == said["not_probed"] == []  # a folder has no tools of its own


def test_a_file_with_fewer_keys_shows_the_same_contradictions(
    tmp_path: Path, said: dict[str, Any]
) -> None:
    def bare(task: Task) -> None:
        for name in ("description", "initial_state", "annotations", "issues"):
            task.pop(name, None)
        del task["evaluation_criteria"]["reward_basis"]

    other = measured(written(tmp_path / "retail", "retail", "64", "2", "10", change=bare))
    assert found(other, "plan-refused") == found(said, "plan-refused")
    assert found(other, "goal-vacuous") == found(said, "goal-vacuous")


def test_a_database_that_is_not_there_is_said_to_be_the_packages(tmp_path: Path) -> None:
    folder = written(tmp_path / "retail", "retail", "64")
    (folder / "db.json").write_text("")
    source = measured(folder)["sources"][0]
    assert source["from"] == str(folder)
    assert source["borrowed"].keys() == {"db.json", "policy.md"}


def test_a_step_that_is_spoilt_becomes_a_finding_with_its_number(tmp_path: Path) -> None:
    def spoilt(task: Task) -> None:
        step = next(a for a in actions(task) if a["name"] == "exchange_delivered_order_items")
        step["arguments"]["order_id"] = "#W0000000"

    sound = measured(written(tmp_path / "retail", "retail", "0"))
    other = measured(written(tmp_path / "retail", "retail", "0", change=spoilt))
    assert found(sound, "plan-refused") == []
    ((domain, task, step, tool),) = found(other, "plan-refused")
    assert (domain, task, tool) == ("retail", "0", "exchange_delivered_order_items")
    assert step is not None
    assert other["headline"]["broken"] == 1
    (changed,) = compared(other["rows"], other["plans"], sound)["plans"]
    assert changed["task"] == "0"
    assert "plan exchange_delivered_order_items" in changed["certain"]


def test_of_a_corrected_task_the_finding_is_gone_and_said_to_be(
    tmp_path: Path, said: dict[str, Any]
) -> None:
    def corrected(task: Task) -> None:
        if task["id"] == "64":
            del actions(task)[6]

    other = measured(written(tmp_path / "retail", "retail", "64", "2", "10", change=corrected))
    assert REFUSED not in found(other, "plan-refused")
    beside = compared(other["rows"], other["plans"], said)
    assert beside["plans"] == [{"domain": "retail", "task": "64", "certain": []}]
    assert ("64", "plan-refused", 6) in [(g["task"], g["code"], g["step"]) for g in beside["gone"]]
    assert beside["same"] > 0
    assert "compared" in other  # with the published findings that are kept


def test_both_domains_stand_in_one_document_and_many_processes_say_what_one_says(
    tmp_path: Path, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tau2, "FEW", 3)
    written(tmp_path / "data/tau2/domains/airline", "airline", "20")
    written(tmp_path / "data/tau2/domains/retail", "retail", "64", "2", "10")
    lines: list[str] = []
    together = tau2.measure(tmp_path, None, lines.append)
    assert [domain["tasks"] for domain in together["domains"]] == [1, 3]
    assert lines == ["4 of 4 tasks checked"]  # which only many processes say
    assert said["rows"] == [row for row in together["rows"] if row["domain"] == "retail"]


def test_a_folder_of_somebody_elses_is_not_kept(tmp_path: Path) -> None:
    before = (FOLDER / "tau2.json").read_bytes()
    folder = written(tmp_path / "retail", "retail", "2")
    tau2.run(folder, None, lambda _: None)
    assert (FOLDER / "tau2.json").read_bytes() == before


def test_tasks_of_another_domain_are_a_wrong_call(tmp_path: Path) -> None:
    folder = written(tmp_path / "some", "retail", "2")
    with pytest.raises(
        LibraryMissing, match=r"what the airline has no tool for .* name the right --domain"
    ):
        tau2.measure(folder, "airline", lambda _: None)
