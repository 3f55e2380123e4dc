"""A published domain as a folder: what stands where, and what is said when a file is wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from components import tau2
from worlds.library import LibraryInvalid, read
from worlds.recordset import Clock

LIBRARY = Path(__file__).parents[2] / "library"
INSTALLED = tau2.installed_data("retail")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the published files, to be spoilt."""
    for name in ("tasks.json", "db.json", "policy.md"):
        shutil.copy(INSTALLED / name, tmp_path / name)
    return tmp_path


def change(path: Path, edit: Callable[[Any], Any]) -> None:
    """Rewrite a JSON file as `edit` returns it, or changes it in place."""
    content = json.loads(path.read_text())
    edited = edit(content)
    path.write_text(json.dumps(content if edited is None else edited))


def drop(content: dict[str, Any], key: str) -> None:
    """Take a key out (`pop` would return what stood there)."""
    del content[key]


def refusal(data: Path) -> str:
    """What is said instead of a folder."""
    with pytest.raises(LibraryInvalid) as caught:
        tau2.folder("retail", data, LIBRARY)
    return str(caught.value)


def test_the_published_domain_is_a_folder_with_an_environment_for_each_task() -> None:
    folder = tau2.folder("retail", INSTALLED, LIBRARY)
    tasks = json.loads((INSTALLED / "tasks.json").read_text())
    assert folder.slug == "tau2-retail"
    assert set(folder.intents) == set(folder.environments) == {f"task-{t['id']}" for t in tasks}
    assert len(tasks) == 114
    spec = folder.environments["task-17"]
    assert (spec.intent, spec.rules, spec.records, spec.toolservers, spec.seed) == (
        "task-17",
        tuple(folder.rules),
        "retail",
        ("retail",),
        0,
    )
    assert folder.bundle(spec).intent is folder.intents["task-17"].body


def test_rows_and_policy_are_as_published() -> None:
    folder = tau2.folder("retail", INSTALLED, LIBRARY)
    db = json.loads((INSTALLED / "db.json").read_text())
    tables = folder.records["retail"].body.tables
    assert {name: len(rows) for name, rows in tables.items()} == {
        "users": 500,
        "orders": 1000,
        "products": 50,
    }
    assert tables == {name: list(rows.values()) for name, rows in db.items()}
    published = (INSTALLED / "policy.md").read_text()
    texts = "\n".join(file.body.text for file in folder.rules.values())
    assert texts.split() == published.split()


@pytest.mark.parametrize(
    ("domain", "now"), [("airline", "2024-05-15T15:00:00"), ("retail", Clock().now.isoformat())]
)
def test_it_is_the_time_that_the_policy_tells_where_it_tells_one(domain: str, now: str) -> None:
    folder = tau2.folder(domain, tau2.installed_data(domain), LIBRARY)
    assert folder.records[domain].body.clock.now.isoformat() == now
    told = f"The current time is {now.replace('T', ' ')}"
    assert any(told in file.body.text for file in folder.rules.values()) == (domain == "airline")


@pytest.mark.parametrize("domain", tau2.PUBLICATIONS)
def test_contract_and_tools_are_those_of_the_library_and_everything_is_given(domain: str) -> None:
    folder = tau2.folder(domain, tau2.installed_data(domain), LIBRARY)
    ours = read(LIBRARY / f"tau2-{domain}")[0]
    assert (folder.domain, folder.toolservers) == (ours.domain, ours.toolservers)
    assert {file.about["authority"] for file in folder.files()} == {"given"}


@pytest.mark.parametrize("domain", tau2.PUBLICATIONS)
def test_each_plan_has_the_published_actions_in_their_order(domain: str) -> None:
    data = tau2.installed_data(domain)
    folder = tau2.folder(domain, data, LIBRARY)
    for task in json.loads((data / "tasks.json").read_text()):
        plan = folder.intents[f"task-{task['id']}"].body.plans["default"]
        actions = task["evaluation_criteria"]["actions"]
        assert [(step.call, step.args) for step in plan[:-1]] == [
            (action["name"], action["arguments"]) for action in actions
        ]


def test_a_task_list_may_be_wrapped_in_an_object(data: Path) -> None:
    change(data / "tasks.json", lambda tasks: {"tasks": tasks[:2]})
    assert set(tau2.folder("retail", data, LIBRARY).intents) == {"task-0", "task-1"}


@pytest.mark.parametrize("name", ["tasks.json", "db.json", "policy.md"])
def test_a_missing_file_is_named(data: Path, name: str) -> None:
    (data / name).unlink()
    assert refusal(data) == f"{data / name}: cannot be read: No such file or directory"


def test_a_file_that_is_no_json_is_named_with_the_line(data: Path) -> None:
    (data / "tasks.json").write_text("[\n  {]")
    assert refusal(data).startswith(f"{data / 'tasks.json'}:2: not JSON: ")


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda tasks: tasks[17].update(evaluation_criteria=[]), "task 17: evaluation_criteria: "),
        (
            lambda tasks: tasks[17]["evaluation_criteria"]["actions"][1].update(arguments="x"),
            "task 17: evaluation_criteria.actions[1].arguments: input should be a valid dictionary, not 'x'",
        ),
        (
            lambda tasks: drop(tasks[17]["evaluation_criteria"]["actions"][0], "name"),
            "task 17: the key 'evaluation_criteria.actions[0].name' is missing",
        ),
        (lambda tasks: drop(tasks[17], "id"), "task number 18: the key 'id' is missing"),
        (lambda tasks: tasks[17].update(id=16), "two tasks have the id '16': give one another"),
        (
            lambda tasks: tasks[17].update(initial_state={"x": 1}),
            "task 17: it has an initial_state",
        ),
        (lambda _: ["no task"], "task number 1: the task: "),
        (lambda _: {"task": []}, "a task file holds a list of tasks"),
    ],
)
def test_a_task_of_the_wrong_shape_is_one_line_that_names_it(
    data: Path, edit: Callable[[Any], Any], said: str
) -> None:
    change(data / "tasks.json", edit)
    line = refusal(data)
    assert line.startswith(f"{data / 'tasks.json'}: {said}")
    assert "\n" not in line


def _misname(db: Any) -> None:
    db["users"]["noah_brown_6181"]["user_id"] = "somebody"


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda db: [db], "a database is an object of tables"),
        (
            lambda db: drop(db, "users"),
            "the tables are orders, products where orders, products, users are expected",
        ),
        (lambda db: db.update(users=[]), "users is an object of rows by key"),
        (lambda db: db["users"].update(x=1), "users/x is an object, not 1"),
        (_misname, "users/noah_brown_6181 says 'somebody' in its key field 'user_id'"),
    ],
)
def test_a_database_of_the_wrong_shape_is_one_line_that_names_the_row(
    data: Path, edit: Callable[[Any], Any], said: str
) -> None:
    change(data / "db.json", edit)
    assert refusal(data) == f"{data / 'db.json'}: {said}"


def test_a_package_that_is_not_installed_is_named_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    absent = tau2.Publication("no_such_module", library="tau2-retail", parts="retail")
    monkeypatch.setitem(tau2.PUBLICATIONS, "retail", absent)
    with pytest.raises(LibraryInvalid, match=r"no_such_module\) is not installed: .*--data"):
        tau2.installed_data("retail")
