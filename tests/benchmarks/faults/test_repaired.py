"""One planted fault, what is proposed for it by itself, and whether that is right."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.attribution import faults
from benchmarks.faults.attributed import ALONE, STANDINS, Bench
from benchmarks.faults.repaired import Repairer, Tried

FEW = 4
NAME = "goal-vacuous"


@pytest.fixture(scope="module")
def change() -> dict[str, Any]:
    rows = [row for row in faults("development") if row["domain"] == "helpdesk"]
    return next(row for row in rows if row["name"] == NAME)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench that looks at few environments."""
    made = Bench("development", "helpdesk")
    every = made.drawn
    monkeypatch.setattr(made, "drawn", lambda fault: every(fault)[:FEW])
    return made


@pytest.mark.django_db(transaction=True)
def test_the_sound_version_before_is_taken_back_and_is_right(
    bench: Bench, change: dict[str, Any]
) -> None:
    row = Repairer(bench, seconds=20.0).row(change, (STANDINS,))
    said = row[STANDINS]
    assert (row["name"], row["environments"], said["ended"]) == (NAME, FEW, "done")
    assert (said["repaired"], said["why"]) == (True, "")
    assert said["components"] == row["culprits"]
    assert (said["at_fault"], said["keys_hold"], said["harm"]) == (True, True, "")
    assert said["calls_agree"] is None
    assert (said["automatic"], said["auto_harm"]) == (0, 0)  # of an intent nothing is
    assert sum(said["candidates"].values()) > 0


@pytest.mark.django_db(transaction=True)
def test_without_time_nothing_is_proposed_and_the_row_has_the_same_columns(
    bench: Bench, change: dict[str, Any]
) -> None:
    row = Repairer(bench, seconds=1e-6).row(change, (ALONE,))
    said = row[ALONE]
    assert (said["repaired"], said["why"], said["proposals"]) == (False, "no proposal", 0)
    assert said["keys_hold"] is said["calls_agree"] is said["left"] is None


CLEAN = {"regressed": 0, "weakens": False, "redefines": False}


@pytest.mark.parametrize(
    ("left", "report", "against"),
    [
        ([], {}, ""),
        (["a"], {"regressed": 1}, "not all fixed"),
        ([], {"regressed": 1, "weakens": True}, "regressed"),
        ([], {"weakens": True, "redefines": True}, "weakens"),
        ([], {"redefines": True}, "redefines"),
    ],
)
def test_the_first_thing_against_a_proposal_is_told(
    left: list[str], report: dict[str, Any], against: str
) -> None:
    tried = Tried("title", "", 0.5, {}, left, CLEAN | report, is_automatic=False)
    assert tried.against == against
