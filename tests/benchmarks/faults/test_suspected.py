"""The figures of attribution, from rows made by hand."""

from __future__ import annotations

from typing import Any

from benchmarks.faults import suspected

NAMED = {"half": "heldout", "domain": "clinic", "place": "x", "code": "plan-refused"}


def suspect(component: str, rank: int, score: float, state: str = "") -> dict[str, Any]:
    said = {"component": component, "rank": rank, "score": score, "state": state}
    return said | {"party": "component", "symbol": "", "direct": score, "spectrum": score}


def row(name: str, kind: str, alone: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    said = {**NAMED, "name": name, "kind": kind, "catalogue": False, "causes": 1}
    said |= {"culprits": ["rule/a"], "quick": alone, "alone": alone, "standins": alone}
    return said | {"directly": {}, "spectral": {"rule/a": 0.5, "rule/b": 0.5}, "error": "", **more}


FOUND = row("one", "rule", [suspect("rule/a", 1, 0.9, "confirmed"), suspect("rule/b", 2, 0.1)])
LOST = row("two", "intent", [suspect("rule/b", 1, 0.6)], culprits=["intent/c"], causes=3)


def test_the_headline_has_the_shares_that_count() -> None:
    said = suspected.headline([FOUND, LOST], [], [])
    assert {
        "held_out_first": 0.5,
        "held_out_three": 0.5,
        "held_out_first_directly": 0.0,
        "held_out_first_spectral": 0.25,
        "development_first": None,
        "confirmed": 1,
        "confirmed_precision": 1.0,
        "confirmed_recall": 0.5,
        "held_out_first_of_twelve": None,
        "tau2_first": None,
        "unseen": 0,
    }.items() <= said.items()


def test_sets_and_tasks_have_their_share_of_the_headline() -> None:
    sets = [
        {"half": half, "size": size, "members": [{"first": 1.0}, {"first": first}]}
        for half, size, first in (
            ("heldout", 12, 0.5),
            ("heldout", 5, 0.0),
            ("development", 12, 0.0),
        )
    ]
    said = suspected.headline([FOUND], sets, [{"first": 1.0}, {"first": 0.0}])
    assert (said["held_out_first_of_twelve"], said["tau2_first"]) == (0.75, 0.5)


def test_the_table_has_each_kind_and_each_ranking() -> None:
    rows = {(row["of"], row["ranking"]): row for row in suspected.table([FOUND, LOST])}
    assert rows["all", "alone"]["first"] == 0.5
    assert rows["rule", "alone"]["first"] == 1.0
    assert rows["intent", "alone"]["first"] == 0.0
    assert rows["rule", "spectral"]["first"] == 0.5


def test_without_swaps_the_ranking_as_gathered_counts() -> None:
    quick = {name: value for name, value in FOUND.items() if name not in ("alone", "standins")}
    assert suspected.headline([quick], [], [])["held_out_first"] == 1.0
    assert "alone" not in {row["ranking"] for row in suspected.table([quick])}


def test_scores_of_both_halves_are_apart() -> None:
    assert len(suspected.scores([FOUND, LOST], "heldout")) == 4
    assert suspected.scores([FOUND, LOST], "development") == []


def test_what_was_not_measured_has_no_share() -> None:
    quick = {name: value for name, value in FOUND.items() if name not in ("alone", "standins")}
    said = suspected.headline([quick], [], [])
    assert said["held_out_first_standins"] is said["confirmed_recall"] is None


def test_what_is_kept_names_the_first_and_the_culprit_and_still_gives_the_same_places() -> None:
    others = [suspect(f"rule/r{rank}", rank, 0.1) for rank in range(1, 7)]
    late = row("late", "intent", [*others, suspect("intent/c", 7, 0.01)], culprits=["intent/c"])
    kept = suspected.brief(late)
    stage = suspected.main_stage(late)
    assert [each["rank"] for each in kept[stage]] == [1, 2, 3, 7]
    assert "directly" not in kept
    assert "spectral" not in kept
