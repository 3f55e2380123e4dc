"""Several faults at once: how they are drawn, and when one counts as found."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from benchmarks.attribution import faults, sets
from benchmarks.faults.attributed import Bench
from benchmarks.faults.planting import Fault, go_together
from benchmarks.faults.together import drawn, member, table

FAULT = Fault("one", "x", (("rule", "a"),), (), frozenset({"rule/a"}))


def cause(environments: list[str], *ranked: str) -> dict[str, Any]:
    suspects = [{"component": name, "rank": place} for place, name in enumerate(ranked, start=1)]
    return {"code": "plan-refused", "shown": environments, "suspects": suspects}


def test_a_fault_is_found_by_a_cause_that_shares_an_environment_and_names_it_first() -> None:
    causes = [cause(["e1"], "rule/b", "rule/a"), cause(["e2"], "rule/a"), cause(["e9"], "rule/a")]
    said = member(FAULT, ["e1", "e2"], causes)
    assert (said["first"], said["overlapping"], said["naming"]) == (1.0, 2, 1)


def test_a_cause_in_other_environments_finds_nothing() -> None:
    said = member(FAULT, ["e1"], [cause(["e2"], "rule/a")])
    assert (said["first"], said["overlapping"]) == (0.0, 0)


def test_the_table_counts_hidden_and_split_ones() -> None:
    causes = [cause(["e1"], "rule/a"), cause(["e1"], "rule/a")]
    members = [member(FAULT, ["e1"], causes), member(FAULT, ["e2"], causes)]
    (row,) = table([{"half": "heldout", "size": 5, "members": members, "causes": causes}])
    assert row == {
        "half": "heldout",
        "at_once": 5,
        "sets": 1,
        "faults": 2,
        "first": 0.5,
        "hidden": 1,
        "split": 1,
        "causes": 2,
    }


@pytest.mark.parametrize("size", [5, 12])
def test_a_set_is_drawn_alike_each_time_of_faults_that_go_together(size: int) -> None:
    bench = Bench("development", "helpdesk")
    given = next(row for row in sets("development") if row["size"] == size)
    changes = [row for row in faults("development") if row["domain"] == "helpdesk"]
    found = drawn(bench, given, changes)
    assert len(found) == size
    assert all(go_together(one, other) for one, other in combinations(found, 2))
    again = drawn(bench, given, changes)
    assert [(each.name, each.place) for each in again] == [(e.name, e.place) for e in found]
