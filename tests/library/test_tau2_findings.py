"""What the checks say of the published tasks, against a count made with the packages' own functions."""

from __future__ import annotations

import json
from functools import cache

import pytest

from agents import panel
from agents.pinning import pin
from benchmarks.readings import read
from benchmarks.report import kept
from tests.library.tau2 import AIRLINE, LIBRARY, RETAIL, Copies, Tau2
from worlds.check import CheckResult, check
from worlds.findings import Finding

Refusal = tuple[str, int, str, str]
"""Task, step, tool, and reason."""

DOCS = LIBRARY.parent / "docs" / "tau2.md"

DOMAINS = pytest.mark.parametrize("tau2", [AIRLINE, RETAIL], ids=lambda tau2: tau2.name)


def refusals(tau2: Tau2, task: str, db: dict[str, Copies]) -> set[Refusal]:
    """The refused steps of a published solution by the published functions alone, which change `db`."""
    refused: set[Refusal] = set()
    for number, (tool, args) in enumerate(tau2.plans[task]):
        try:
            tau2.published._execute_tool(db, tool, args)
        except Exception as error:  # noqa: BLE001  # the package answers "Error: …" to all of them
            refused.add((f"task-{task}", number, tool, str(error)))
    return refused


@cache
def counted(tau2: Tau2) -> tuple[set[Refusal], set[str]]:
    """Refused steps, and the tasks whose solution changes nothing and has nothing to state."""
    refused: set[Refusal] = set()
    idle: set[str] = set()
    for task in json.loads((tau2.data / "tasks.json").read_text()):
        db = {name: Copies(rows) for name, rows in tau2.db.items()}
        refused |= refusals(tau2, task["id"], db)
        criteria = task["evaluation_criteria"]
        facts = criteria["communicate_info"] if "COMMUNICATE" in criteria["reward_basis"] else []
        if db == tau2.db and not facts:
            idle.add(f"task-{task['id']}")
    return refused, idle


@cache
def checked(tau2: Tau2) -> dict[str, CheckResult]:
    """Task → its check by the whole panel."""
    made, agents = tau2.folder, panel()
    return {
        spec.slug: check(made.bundle(spec, pin(made.bundle(spec))), agents)
        for spec in made.all_environments()
    }


def found(tau2: Tau2, code: str) -> list[tuple[str, Finding]]:
    """The findings of a code, each with its task."""
    return [
        (slug, item)
        for slug, result in checked(tau2).items()
        for item in result.findings
        if item.code == code
    ]


@DOMAINS
def test_the_kept_benchmark_says_what_the_checks_say(tau2: Tau2) -> None:
    named = ("environment", "code", "severity", "place", "fingerprint", "message")
    rows = [row for row in kept("tau2")["rows"] if row["domain"] == tau2.name]
    here = {
        (f"tau2-{tau2.name}/{slug}", i.code, i.severity, i.place, i.fingerprint, i.message)
        for slug, result in checked(tau2).items()
        for i in result.findings
    }
    assert {tuple(row[name] for name in named) for row in rows} == here, (
        "run `make bench NAME=tau2`"
    )
    assert all(row == {**row, **read(row)} for row in rows), "run `make bench NAME=tau2`"


LED = "the user's mistake"
"""In place of a severity: a look-up of what the user says on purpose wrongly is no finding."""


def refused_steps(tau2: Tau2) -> dict[Refusal, str]:
    """What was refused of the solutions as the checks played them → the severity of its finding."""
    named = {
        (slug, item.evidence["step"]): item.severity for slug, item in found(tau2, "plan-refused")
    }
    return {
        (slug, step.index, step.tool, step.result): named.get((slug, step.index), LED)
        for slug, result in checked(tau2).items()
        for step in result.episodes[0].steps
        if step.status == "refused"
    }


@pytest.mark.parametrize(("tau2", "count"), [(AIRLINE, 0), (RETAIL, 18)])
def test_every_step_that_is_refused_there_is_refused_here_with_its_reason_and_no_other(
    tau2: Tau2, count: int
) -> None:
    refused, _ = counted(tau2)
    assert set(refused_steps(tau2)) == refused
    assert len(refused) == count


@DOMAINS
def test_a_refused_write_is_blocking_and_a_refused_read_a_warning_or_the_users_mistake(
    tau2: Tau2,
) -> None:
    for (_, _, tool, _), severity in refused_steps(tau2).items():
        writes = tau2.server.tools[tool].writes
        assert severity in (("blocking",) if writes else ("warning", LED))


@pytest.mark.parametrize(("tau2", "count"), [(AIRLINE, 23), (RETAIL, 11)])
def test_exactly_the_tasks_that_ask_for_nothing_pass_by_doing_nothing(
    tau2: Tau2, count: int
) -> None:
    _, idle = counted(tau2)
    assert {slug for slug, _ in found(tau2, "goal-vacuous")} == idle
    assert len(idle) == count


@DOMAINS
def test_they_are_broken_unless_a_model_judges_them_too(tau2: Tau2) -> None:
    severities = {slug: item.severity for slug, item in found(tau2, "goal-vacuous")}
    for task in json.loads((tau2.data / "tasks.json").read_text()):
        criteria = task["evaluation_criteria"]
        judged = criteria["nl_assertions"] and "NL_ASSERTION" in criteria["reward_basis"]
        if (slug := f"task-{task['id']}") in severities:
            assert severities[slug] == ("warning" if judged else "blocking")


@pytest.mark.parametrize(("tau2", "broken"), [(AIRLINE, 25), (RETAIL, 13)])
def test_what_is_broken_is_broken_for_one_of_these_reasons_and_the_rest_can_be_solved(
    tau2: Tau2, broken: int
) -> None:
    results = checked(tau2).values()
    assert {result.status for result in results} == {"broken", "solvable"}
    assert sum(result.status == "broken" for result in results) == broken
    codes = {i.code for result in results for i in result.findings if i.severity == "blocking"}
    assert codes <= {"plan-refused", "goal-vacuous", "row-invalid"}


def test_together_the_two_domains_have_164_environments() -> None:
    assert [len(checked(tau2)) for tau2 in (AIRLINE, RETAIL)] == [50, 114]


def table(heading: str) -> list[tuple[str, ...]]:
    """The rows of the first table of docs/tau2.md after a heading in bold."""
    after = DOCS.read_text().partition(f"**{heading}**")[2]
    lines = after.partition("|---|")[2].partition("\n\n")[0].splitlines()[1:]
    return [tuple(cell.strip(" `") for cell in line.strip("|").split("|")) for line in lines]


def test_the_docs_list_exactly_the_refused_steps() -> None:
    assert table("Refused plans") == [
        (tau2.name, task, str(step), tool, reason, severity)
        for tau2 in (AIRLINE, RETAIL)
        for (task, step, tool, reason), severity in sorted(
            refused_steps(tau2).items(), key=lambda item: (_number(item[0][0]), item[0][1])
        )
    ]


def test_the_docs_list_exactly_the_passes_by_doing_nothing() -> None:
    assert table("Passes by doing nothing") == [
        (tau2.name, severity, str(len(tasks)), ", ".join(tasks))
        for tau2 in (AIRLINE, RETAIL)
        for severity in ("blocking", "warning")
        if (tasks := sorted(_idle(tau2, severity), key=_number))
    ]


def _idle(tau2: Tau2, severity: str) -> set[str]:
    return {slug for slug, item in found(tau2, "goal-vacuous") if item.severity == severity}


def _number(task: str) -> int:
    return int(task.removeprefix("task-"))
