"""The report's generated parts say what the document says."""

from __future__ import annotations

from benchmarks import tau2_page
from tests.benchmarks.tau2_rows import document, let_through, row, shared

READ = {"label": "right", "why": "The policy knows two reasons.", "correction": '-"reason": "gift"'}
WARNING = {"severity": "warning", "code": "spelling-sensitive", "clause": None}


def test_certain_classes_and_warnings_are_counted_apart() -> None:
    said = document(row("1", **READ), row("2"), row("3", **WARNING))
    certain, warnings = tau2_page.certain(said), tau2_page.warnings(said)
    assert "| task | 2 | 2 | 2 | 1 | 1 | 100% |" in certain
    assert "2 findings in 2 tasks; 2 defects, 1 read, 1 right (100%)." in certain
    assert "spelling-sensitive" not in certain
    assert "1 finding in 1 task; 1 defect, 0 read, 0 right (–)." in warnings
    assert tau2_page.warnings(document(row("1"))) == "None."


def test_a_class_links_to_its_heading_on_the_page_of_findings() -> None:
    said = document(row("1"), shared("1"))
    for anchor, heading in (
        ("certain-plan-breaks-rule-task", "## Certain: plan-breaks-rule, task"),
        ("certain-row-invalid-records", "## Certain: row-invalid, records"),
    ):
        assert f"(tau2-findings.md#{anchor})" in tau2_page.certain(said)
        assert f"{heading}\n" in tau2_page.findings(said)


def test_a_finding_is_listed_with_task_step_tool_confirmation_and_correction() -> None:
    listed = tau2_page.findings(document(row("1", **READ)))
    assert (
        "**retail, `cancel-pending-order/reasons`**\n\n"
        "- Task 1, step 3 `cancel_pending_order`: Step 3 of the plan violates “no other reason” "
        "(cancel-pending-order/reasons). *Confirmed:* The policy knows two reasons.\n\n"
        '```diff\n-"reason": "gift"\n```'
    ) in listed


def test_one_correction_of_many_stands_once_below_them() -> None:
    listed = tau2_page.findings(document(row("1", **READ), row("2", **READ)))
    assert listed.count("```diff") == 1
    assert listed.count("violates “no other reason”") == 1
    assert listed.index("- Task 2") < listed.index("```diff")


def test_a_shared_defect_stands_once_with_its_tasks_and_its_row() -> None:
    listed = tau2_page.findings(document(shared("1"), shared("10"), shared("2")))
    assert "- Tasks 1, 10, 2, `orders/#W1`: orders/#W1: two items are one \\| the same." in listed
    assert "3 findings in 3 tasks; 1 defect, 0 read" in listed


def test_where_each_task_has_the_step_that_makes_a_tool_show_its_defect() -> None:
    about = {"kind": "toolserver", "place": "cancel", "symbol": "cancel paid", "tool": "cancel"}
    rows = [
        shared(task, **about, step=step, row=f"orders/{task}")
        for task, step in (("1", 3), ("2", 4))
    ]
    listed = tau2_page.findings(document(*rows))
    assert "- Tasks 1 (step 3), 2 (step 4), `cancel`: " in listed


def test_what_was_read_and_found_wrong_says_so_and_what_was_not_read_too() -> None:
    wrong = {"label": "wrong", "why": "The user asked for it.", "correction": ""}
    listed = tau2_page.findings(document(row("1", **wrong), row("2")))
    assert "**Read, and wrong:** The user asked for it." in listed
    assert "*Not read yet.*" in listed
    assert "```diff" not in listed


def test_a_long_class_is_folded() -> None:
    many = [row(str(number)) for number in range(tau2_page.FOLDED + 1)]
    assert "<details>" in tau2_page.findings(document(*many))
    assert "<details>" not in tau2_page.findings(document(*many[1:]))


def test_the_worst_are_a_line_a_cause_with_the_sentence_that_is_broken() -> None:
    listed = tau2_page.broken(document(row("1"), row("2"), row("3", **WARNING)))
    (line,) = listed.splitlines()[2:]
    assert line.split(" | ")[2:] == [
        "`cancel-pending-order/reasons`",
        "“no other reason”",
        "1, 2 |",
    ]


def test_what_the_records_say_wrongly_has_a_place_of_its_own() -> None:
    assert "`orders/#W1`" in tau2_page.records(document(row("1"), shared("1")))
    assert tau2_page.records(document(row("1"))) == "Nothing was found."
    about = {"symbol": "orders paid", "text": "", "rows": 3, "of": 9, "first": ["orders/#W1"]}
    listed = tau2_page.records(document(records=[{"domain": "retail", **about}]))
    assert listed.splitlines()[2:] == ["| retail | `orders paid` | – | 3 of 9 | `orders/#W1` |"]


def test_what_tools_let_through_is_a_table_with_examples_on_the_other_page() -> None:
    broken = {"clause": None, "invariant": "seats", "text": "Seats are counted."}
    said = document(tools=[let_through("cancel"), let_through("book", **broken, **READ)])
    one, other, _, read = tau2_page.tools(said).splitlines()[2:]
    reasons = "`cancel-pending-order/reasons` | “no other reason”"
    assert one == f"| retail | `cancel` | {reasons} | 12 | 9 | 5 | – |"
    assert "| `seats` | “Seats are counted.” | 12 | 9 | 5 | right |" in other
    assert read.startswith("2 defects, 1 read, 1 right (100%).")
    listed = tau2_page.examples(said)
    assert "- `cancel`: “no other reason” broken by 5 of 9 calls, such as `cancel(…)`." in listed
    assert "*Not read yet.*" in listed
    assert "*Confirmed:* The policy knows two reasons.\n\n```diff" in listed
    assert tau2_page.tools(document()) == tau2_page.examples(document()) == "Nothing was found."


def test_what_no_probe_came_to_is_listed_with_the_reason() -> None:
    unsaid = [{"domain": "retail", "name": "returns/once", "why": "no call came to it"}]
    listed = tau2_page.unprobed(document(not_probed=unsaid))
    assert listed.splitlines()[2:] == ["| retail | `returns/once` | no call came to it |"]
    assert tau2_page.unprobed(document()) == "None."


def test_where_the_tasks_came_from_and_how_they_ended() -> None:
    said = tau2_page.checked(document())
    assert "7.5 s on 2 cores" in said
    assert "| retail | a folder | `0000000000000000…` | 9 | 2 | 7 | 0 |" in said


def test_what_was_read_and_is_found_no_more_is_counted() -> None:
    assert "3 are found no more: 2 of them had been read as wrong" in tau2_page.gone(document())
