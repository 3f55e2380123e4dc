"""The parts of the page on rounds, from a document made by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.rounds import headline, said
from benchmarks.rounds_page import BLOCKS
from benchmarks.turning import Turned

APPROVAL = {"after_round": 1, "domain": "shop", "components": ["pen"], "title": "Save it"}
APPROVAL |= {"defended_by": "“keeps it”", "fixed": 3, "broken": 0, "other": 1, "shared": 1}


def turned(of: str, *solvability: float, approvals: int = 0) -> Turned:
    """So many rounds, and what was approved."""
    counts = {"checks_run": 4, "tried_before": 3, "tried_run_again": 0}
    rounds: list[dict[str, Any]] = [
        {"of": of, "solvability": each, **counts} for each in solvability
    ]
    return Turned(rounds, [APPROVAL | {"of": of}] * approvals, [12.0, 30.0])


FOUND = {"demo": turned("demo", 0.5, 0.75, approvals=2), "tau2": turned("tau2", 0.9)}


def test_the_headline_has_solvability_a_number_a_round() -> None:
    found = headline(FOUND)
    assert (found["solvability"], found["tau2_solvability"]) == ([0.5, 0.75], [0.9])
    assert (found["approved"], found["moved"], found["tau2_moved"]) == (2, 8, 0)
    assert (found["checks_run_later"], found["tried_run_again"]) == (4, 0)
    assert found["trials_of_a_fault_worst_seconds"] == 30.0


def test_what_was_not_turned_is_not_told() -> None:
    assert set(headline({"tau2": FOUND["tau2"]})) & {"solvability", "approved"} == set()


def test_approvals_of_each_stand_apart() -> None:
    document = said(0.0, FOUND)
    assert BLOCKS["approvals"](document).count("| Save it |") == 2
    assert BLOCKS["published"](document) == "None."
    assert "| 1 | shop | pen | Save it | “keeps it” | 3 | 0 | 1 | 1 |" in BLOCKS["approvals"](
        document
    )
