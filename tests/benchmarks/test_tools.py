"""What the benchmark `tau2` says of tools that let through what policy or invariants forbid."""

from __future__ import annotations

import pytest

from agents.pinning import pin
from benchmarks.readings import NAMED, unread
from benchmarks.tools import LetThrough, let_through
from components.tau2 import folder, installed_data
from tests.library.tau2 import LIBRARY
from worlds.probing import Limits


@pytest.fixture(scope="module")
def let() -> LetThrough:
    """The airline's tools, probed by a few calls around those of three plans."""
    made = folder("airline", installed_data("airline"), LIBRARY)
    specs = [made.environments[f"task-{name}"] for name in ("7", "14", "20")]
    bundles = {spec.slug: made.bundle(spec, pin(made.bundle(spec))) for spec in specs}
    return let_through("airline", bundles, Limits(calls=40))


def test_the_tool_that_cancels_anything_is_named_with_the_clause_it_ignores(
    let: LetThrough,
) -> None:
    row = next(row for row in let.rows if row["clause"] == "cancel-flight/ground-to-cancel")
    assert (row["domain"], row["tool"], row["kind"]) == (
        "airline",
        "cancel_reservation",
        "toolserver",
    )
    assert row["task"] is row["invariant"] is None
    assert 0 < row["accepted"] <= row["applied"] <= row["tried"]
    assert row["example"].startswith("cancel_reservation(")
    assert row["text"] in row["message"]


def test_a_row_names_a_clause_or_what_else_is_broken(let: LetThrough) -> None:
    assert all((row["clause"] is None) != (row["invariant"] is None) for row in let.rows)
    assert all(set(NAMED) <= row.keys() for row in let.rows)


def test_what_nobody_read_of_them_is_printed_to_be_read(let: LetThrough) -> None:
    blank = [{**row, "label": None} for row in let.rows]
    assert len(list(unread(blank))) == len(let.rows) > 0


def test_of_what_no_call_came_to_it_says_why(let: LetThrough) -> None:
    assert let.not_probed
    assert all(row["domain"] == "airline" and row["name"] and row["why"] for row in let.not_probed)
