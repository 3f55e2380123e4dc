"""The figures of repairs, from rows made by hand."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.faults import mended

SECRET = "the-held-out-title"


def stage(why: str = "", **more: Any) -> dict[str, Any]:
    """What came of one search; repaired unless it says why not."""
    said: dict[str, Any] = {"repaired": not why, "why": why, "same": False, "calls_agree": None}
    said |= {"title": SECRET, "harm": SECRET, "automatic": 0, "auto_harm": 0}
    return said | {"seconds_search": 4.0, "seconds_trials": 10.0} | more


def row(half: str, kind: str, alone: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"half": half, "domain": "d", "name": f"{kind}-wrong", "kind": kind, "place": SECRET}
    return said | {"catalogue": False, "seconds": 1.0, "alone": alone, "standins": alone, **more}


ROWS = [
    row("heldout", "toolserver", stage(calls_agree=True, same=True, automatic=2)),
    row("heldout", "toolserver", stage(calls_agree=False)),
    row("heldout", "toolserver", stage("keys", calls_agree=False), standins=stage()),
    row("heldout", "rule", stage("regressed", auto_harm=1), catalogue=True),
    row("development", "records", stage("no proposal", seconds_search=None), name="mine"),
]


def test_the_headline_has_the_shares_that_count() -> None:
    said = mended.headline(ROWS)
    assert {
        "faults": 5,
        "held_out_faults": 4,
        "held_out_repaired": 0.5,
        "held_out_repaired_toolserver": 0.667,
        "held_out_repaired_rule": 0.0,
        "held_out_repaired_domain": None,
        "held_out_repaired_standins": 0.75,
        "held_out_agree": 0.5,
        "development_repaired": 0.0,
        "automatic": 4,
        "auto_harm": 2,
        "median_seconds_search": 4.0,
    }.items() <= said.items()


def test_without_the_second_search_there_is_no_share_of_it() -> None:
    quick = [{name: value for name, value in each.items() if name != "standins"} for each in ROWS]
    assert mended.headline(quick)["held_out_repaired_standins"] is None
    assert mended.headline(quick)["held_out_repaired"] == 0.5


def test_the_table_has_each_half_each_kind_and_the_catalogue() -> None:
    found = {(each["half"], each["of"]): each for each in mended.table(ROWS)}
    assert set(found) == {
        ("heldout", "all"),
        ("heldout", "rule"),
        ("heldout", "toolserver"),
        ("heldout", "catalogue"),
        ("development", "all"),
        ("development", "records"),
    }
    servers = found["heldout", "toolserver"]
    assert (servers["repaired"], servers["faults"], servers["as_sound"]) == (2, 3, 1)
    assert (servers["agree"], servers["compared"], servers["repaired_standins"]) == (1, 2, 3)


def test_operators_have_a_row_each_without_the_catalogue() -> None:
    found = [
        (each["half"], each["operator"], each["repaired"]) for each in mended.by_operator(ROWS)
    ]
    assert found == [("development", "mine", 0), ("heldout", "toolserver-wrong", 2)]


def test_reasons_are_counted_by_half_and_search() -> None:
    found = {
        (each["half"], each["stage"], each["why"]): each["faults"] for each in mended.reasons(ROWS)
    }
    assert found["heldout", "alone", "keys"] == found["heldout", "standins", "regressed"] == 1
    assert ("heldout", "standins", "keys") not in found


def test_of_held_out_faults_nothing_but_counts_is_kept() -> None:
    held_out = ROWS[:4]
    kept = [
        mended.headline(held_out),
        mended.table(held_out),
        mended.by_operator(held_out),
        mended.reasons(held_out),
        mended.brief(held_out),
    ]
    assert SECRET not in json.dumps(kept)
    assert mended.brief(ROWS) == ROWS[4:]
