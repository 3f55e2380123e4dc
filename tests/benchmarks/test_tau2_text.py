"""What `manage.py benchmark tau2` prints for people."""

from __future__ import annotations

from benchmarks.tally import by_code
from benchmarks.tau2_text import text
from tests.benchmarks.tau2_rows import document, let_through, row, shared

WARNING = row("3", severity="warning", code="spelling-sensitive", clause=None)


def test_sources_summary_certain_ones_and_warnings_stand_in_this_order() -> None:
    rows = [row("1", label="right"), WARNING]
    said = text(document(*rows, codes=list(by_code(rows))))
    lines = said.splitlines()
    assert lines[:2] == [
        "τ² retail, 9 tasks from a folder: 2 broken, 7 solvable",
        "  db.json is missing or empty there: taken from the package",
    ]
    assert "certain   plan-breaks-rule    task      1" in said
    starts = [
        next(number for number, line in enumerate(lines) if line.startswith(start))
        for start in ("severity", "Certain", "Warnings")
    ]
    assert starts == sorted(starts)
    assert "Warnings: 1 finding in 1 task" in lines


def test_a_finding_has_task_step_component_clause_and_message() -> None:
    said = text(document(row("1")))
    line = next(line for line in said.splitlines() if line.startswith("  1 "))
    named = ["1", "3", "intent/task-1", "plan-breaks-rule", "cancel-pending-order/reasons"]
    assert line.split()[:5] == named
    assert line.endswith(row("1")["message"])


def test_a_shared_defect_is_one_line_that_names_some_of_its_tasks() -> None:
    said = text(document(*(shared(str(number)) for number in range(9))))
    assert said.count("two items are one") == 1
    assert "0, 1, 2, 3, 4, 5 and 3 more  –     records/retail" in said
    assert "row-invalid  orders.items  " in said


def test_what_was_read_and_found_wrong_says_so() -> None:
    assert "(Read, and found wrong.)" in text(document(row("1", label="wrong")))


def test_what_the_tools_let_through_has_its_example() -> None:
    said = text(document(tools=[let_through("cancel")]))
    assert "What the tools let through: 1 finding" in said
    assert said.splitlines()[-1].endswith("12     5         cancel(…)")
    assert "let through" not in text(document())


def test_another_version_is_put_beside_the_published_one() -> None:
    plans = [{"task": "7", "certain": ["goal"]}, {"task": "8", "certain": []}]
    beside = {"same": 4, "gone": [row("7")], "new": [], "plans": plans}
    said = text(document(compared=beside))
    assert "Beside the published tasks: 4 defects in both, 1 only there, 0 only here" in said
    assert "Of 2 tasks whose steps are others than the published ones, 1 have a certain" in said
    assert "there  retail  7     3     certain" in said
    assert "Beside" not in text(document())


def test_rows_at_rest_are_told_with_how_many_break_what() -> None:
    about = {"symbol": "orders paid", "text": "paid to the cent", "rows": 3, "of": 9}
    said = text(document(records=[{"domain": "retail", **about, "first": ["orders/#W1"]}]))
    assert "What rows break as they stand, whether a task touches them or not: 1 kind" in said
    assert said.splitlines()[-1].split()[:6] == ["retail", "orders", "paid", "3", "9", "orders/#W1"]
    assert "as they stand" not in text(document())


def test_what_tasks_say_differently_of_one_defect_is_said_of_the_first() -> None:
    rows = [shared("1"), shared("2", message="orders/#W2: two items are one.")]
    assert "task 1: orders/#W1: two items are one" in text(document(*rows))
    assert "task 1:" not in text(document(shared("1"), shared("2")))
