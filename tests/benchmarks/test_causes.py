"""Findings of one cause stand together."""

from __future__ import annotations

from benchmarks.causes import causes
from tests.benchmarks.tau2_rows import row, shared


def test_tasks_that_break_one_clause_by_any_step_are_one_cause() -> None:
    (cause,) = causes([row("1"), row("2", symbol="plan other x", tool="other", step=5)])
    assert cause.name == "cancel-pending-order/reasons"
    assert [shown[0]["task"] for shown in cause.defects] == ["1", "2"]


def test_a_shared_defect_is_one_however_many_tasks_show_it() -> None:
    (cause,) = causes([shared("1"), shared("2"), shared("2", place="orders/#W2#items")])
    assert [[each["task"] for each in shown] for shown in cause.defects] == [["1", "2"], ["2"]]
    assert cause.name == "retail: orders.items"


def test_what_all_findings_of_a_cause_say_is_said_once() -> None:
    (same,) = causes([row("1"), row("2")])
    assert same.message == row("1")["message"]
    (differing,) = causes([row("1"), row("2", message="Otherwise.")])
    assert differing.message is None


def test_defects_with_one_correction_share_it() -> None:
    (cause,) = causes([row("1", correction="-a\n"), row("2", correction="-a"), row("3")])
    assert {text: len(shown) for text, shown in cause.by_correction().items()} == {"-a": 2, "": 1}


def test_the_widest_cause_of_a_domain_comes_first() -> None:
    found = causes([row("1", clause="a/b"), row("2"), row("3"), row("4", domain="airline")])
    assert [(cause.domain, len(cause.defects)) for cause in found] == [
        ("airline", 1),
        ("retail", 2),
        ("retail", 1),
    ]
