"""`manage.py import_tau2`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from components.models import AuditEntry, Component, Domain, Environment, Version
from components.tau2 import installed_data

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
