"""What the benchmark of the library counts, on a small shop in place of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.library import differing, floor, holds
from tests.worlds.shop import written
from worlds.library import read


def said(*solved: str, status: str = "solvable", **more: Any) -> dict[str, Any]:
    """What a check said of an environment that these agents solved."""
    return {
        "status": status,
        "witness": "plan",
        "findings": [],
        "episodes": {},
        "solved": list(solved),
        "certified": status == "solvable",
        **more,
    }


def test_a_domain_is_counted_by_its_files_and_its_checks(tmp_path: Path) -> None:
    (folder,) = read(written(tmp_path))
    assert holds(folder, {"shop/first": said("reference")}) == {
        "domain": "shop",
        "intents": 1,
        "turned_down": 0,
        "dialogues": 0,
        "clauses": 2,
        "rows": "5",
        "tool_servers": 1,
        "environments": 1,
        "with_two_servers": 0,
        "solvable": 1,
        "certified": 1,
        "findings": 0,
        "floor": 0.0,
    }


def test_the_floor_is_the_best_agent_that_understands_nothing_and_no_other() -> None:
    every = [said("noop", "reference"), said("noop", "parrot"), said("parrot"), said("parrot")]
    assert floor(every) == 0.75


def test_two_rounds_differ_where_a_step_does_or_where_one_lacks_an_environment() -> None:
    one = {"a": said(), "b": said(episodes={"noop 0": ["k", 0, {"steps": [1]}]}), "c": said()}
    other = {"a": said(), "b": said(episodes={"noop 0": ["k", 0, {"steps": [2]}]})}
    assert differing(one, other) == ["b", "c"]
    assert differing(one, one) == []
