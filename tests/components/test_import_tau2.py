"""`manage.py import_tau2`."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from agents import panel
from components import tau2
from components.bundles import bundle, manifests
from components.load import load
from components.models import AuditEntry, Component, Domain, Environment, Version
from components.tau2 import installed_data
from worlds.check import check

pytestmark = pytest.mark.django_db


def run(*args: str, domain: str = "retail") -> dict[str, Any]:
    """The document that the command prints."""
    out = StringIO()
    call_command("import_tau2", "--domain", domain, "--json", *args, stdout=out)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The published files with two tasks: one that writes, and one whose plan is refused a read."""
    for name in ("db.json", "policy.md"):
        (tmp_path / name).write_text((installed_data("retail") / name).read_text())
    tasks = json.loads((installed_data("retail") / "tasks.json").read_text())
    chosen = [task for task in tasks if task["id"] in ("0", "2")]
    (tmp_path / "tasks.json").write_text(json.dumps(chosen))
    return tmp_path


@pytest.mark.parametrize(("name", "tasks", "sections"), [("airline", 50, 6), ("retail", 114, 7)])
def test_every_published_task_becomes_an_environment_at_its_first_version(
    name: str, tasks: int, sections: int
) -> None:
    components = tasks + sections + 3  # and the contract, the records, the tool server
    assert run(domain=name) == {
        "domains": 1,
        "components": components,
        "versions_created": components,
        "environments": tasks,
    }
    domain = Domain.objects.get(slug=f"tau2-{name}")
    assert domain.environments.count() == tasks
    environment = domain.environments.get(slug="task-0")
    parts = {(part.component.kind, part.component.slug) for part in environment.parts.all()}
    rules = {
        ("rule", path.stem)
        for path in (Path(settings.BASE_DIR) / "library" / f"tau2-{name}" / "rules").iterdir()
    }
    assert parts == {
        ("intent", "task-0"),
        *rules,
        ("records", name),
        ("toolserver", name),
    }


def test_an_environment_is_pinned_to_the_effect_of_the_published_solution(data: Path) -> None:
    run("--data", str(data))
    pin = Environment.objects.select_related("pin").get(slug="task-0").pin
    assert pin is not None
    assert pin.effect is not None
    (change,) = pin.effect
    assert (change["table"], change["key"]) == ("orders", "#W2378156")
    assert change["fields"]["status"] == {"before": "delivered", "after": "exchange requested"}


def test_the_pin_of_a_booking_has_seats_wallet_and_a_reservation_without_its_fresh_id() -> None:
    run(domain="airline")
    pin = Environment.objects.select_related("pin").get(slug="task-8").pin
    assert pin is not None
    assert pin.effect is not None
    places = [f"{change['table']}/{change['key']}" for change in pin.effect]
    assert places == ["flights/HAT271", "reservations/+reservations:1", "users/sophia_silva_7557"]


def test_a_second_import_of_the_same_files_makes_no_version(data: Path) -> None:
    assert run("--data", str(data))["versions_created"] == 12
    assert run("--data", str(data))["versions_created"] == 0
    assert Version.objects.count() == 12


def test_all_that_was_published_is_given_and_says_where_it_came_from(data: Path) -> None:
    run("--data", str(data))
    assert all(component.is_given for component in Component.objects.all())
    assert {version.source.split()[0] for version in Version.objects.all()} == {"import_tau2"}


def test_the_import_is_noted_with_who_did_it(curator: User, data: Path) -> None:
    run("--data", str(data), "--as", curator.username)
    entry = AuditEntry.objects.get(action="import_tau2.load")
    assert (entry.actor, entry.target) == (curator, "tau2-retail")


def test_who_may_only_read_may_not_import(viewer: User, data: Path) -> None:
    with pytest.raises(CommandError, match="viewer may not load components"):
        run("--data", str(data), "--as", viewer.username)
    assert not Domain.objects.exists()


@pytest.mark.parametrize("name", ["tasks.json", "db.json", "policy.md"])
def test_a_folder_that_lacks_a_file_is_one_line_and_leaves_nothing_behind(
    data: Path, name: str
) -> None:
    (data / name).unlink()
    with pytest.raises(CommandError, match=f"{data}: there is no file {name} in it") as caught:
        run("--data", str(data))
    assert caught.value.returncode == 2
    assert "\n" not in str(caught.value)
    assert not Domain.objects.exists()
    assert not Component.objects.exists()


def test_a_task_of_the_wrong_shape_leaves_nothing_behind(data: Path) -> None:
    tasks = json.loads((data / "tasks.json").read_text())
    tasks[1]["evaluation_criteria"]["actions"] = "none"
    (data / "tasks.json").write_text(json.dumps(tasks))
    with pytest.raises(CommandError, match=r"tasks.json: task 2: evaluation_criteria.actions: "):
        run("--data", str(data))
    assert not Component.objects.exists()


def test_a_domain_that_it_does_not_know_is_a_wrong_call() -> None:
    with pytest.raises(CommandError, match="invalid choice: 'telecom'"):
        call_command("import_tau2", "--domain", "telecom")


def test_people_are_told_in_one_line(data: Path) -> None:
    out = StringIO()
    call_command("import_tau2", "--domain", "retail", "--data", str(data), stdout=out)
    assert out.getvalue() == "12 components (12 new versions), 2 environments\n"


def republish(data: Path, number: int, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a task of the published files."""
    tasks = json.loads((data / "tasks.json").read_text())
    change(tasks[number])
    (data / "tasks.json").write_text(json.dumps(tasks))


def without_its_writes(task: dict[str, Any]) -> None:
    """Nothing is exchanged any more."""
    actions = task["evaluation_criteria"]["actions"]
    task["evaluation_criteria"]["actions"] = [
        each for each in actions if not each["name"].startswith("exchange")
    ]


def codes(slug: str) -> set[str]:
    """What the check of an environment finds."""
    (manifest,) = manifests(Environment.objects.filter(slug=slug)).values()
    return {item.code for item in check(bundle(manifest), panel()).findings}


def test_a_task_that_is_published_anew_is_pinned_anew_and_its_neighbour_keeps_its_pin(
    data: Path, curator: User
) -> None:
    run("--data", str(data))
    before = {row.slug: row.pin_id for row in Environment.objects.all()}
    republish(data, 0, without_its_writes)
    assert run("--data", str(data), "--as", curator.username)["versions_created"] == 1
    after = {row.slug: row.pin for row in Environment.objects.select_related("pin")}
    assert after["task-2"] is not None
    assert after["task-2"].pk == before["task-2"]
    changed = after["task-0"]
    assert changed is not None
    assert (changed.effect, changed.reason) == ([], "pinned anew, as it was published anew")
    assert Environment.objects.get(slug="task-0").pins.count() == 2
    assert "effect-moved" not in codes("task-0")


def test_what_is_pinned_anew_is_in_the_audit_log(data: Path, curator: User) -> None:
    run("--data", str(data))
    republish(data, 0, without_its_writes)
    run("--data", str(data), "--as", curator.username)
    entry = AuditEntry.objects.get(action="environment.pin")
    assert (entry.actor, entry.target) == (curator, "tau2-retail/environment/task-0")
    whole = AuditEntry.objects.filter(action="import_tau2.load").latest("pk")
    assert whole.detail == {
        "about blocks changed": 1,
        "versions created": 1,
        "pins created": 1,
        "pins made anew": 1,
    }


def test_records_that_are_published_anew_pin_anew_what_ends_otherwise_on_them(data: Path) -> None:
    run("--data", str(data))
    db = json.loads((data / "db.json").read_text())
    db["products"]["1656367028"]["variants"]["7706410293"]["price"] += 1  # what task 0 asks for
    (data / "db.json").write_text(json.dumps(db))
    run("--data", str(data))
    pins = {row.slug: row.pins.count() for row in Environment.objects.all()}
    assert pins == {"task-0": 2, "task-2": 1}


def test_a_task_that_is_only_told_otherwise_keeps_its_pin(data: Path) -> None:
    run("--data", str(data))
    republish(data, 0, lambda task: task["user_scenario"].update(persona="In a hurry."))
    assert run("--data", str(data))["versions_created"] == 1
    assert not AuditEntry.objects.filter(action="environment.pin").exists()
    assert Environment.objects.get(slug="task-0").pins.count() == 1


def test_an_edit_of_the_library_leaves_the_pin_and_a_check_says_so(data: Path) -> None:
    run("--data", str(data))
    republish(data, 0, without_its_writes)
    folder = tau2.folder("retail", data, settings.BASE_DIR / "library")
    load([folder], None, source="library")
    assert Environment.objects.get(slug="task-0").pins.count() == 1
    assert "effect-moved" in codes("task-0")
