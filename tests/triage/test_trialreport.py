"""What a trial showed in numbers, and the order of several."""

from __future__ import annotations

from typing import Any

import pytest

from tests.triage.shop import Shop
from tests.triage.trying import FORGETS, WRITES, forgetful, proposed
from triage.candidates import texts
from triage.heldout import is_held_out
from triage.models import Trial
from triage.trialreport import edit_size, rank_key
from triage.trials import attempt, run_inline

BEST = {"fixed": 5, "held_out_fixed": 2, "cured": 5, "regressed": 0, "edit_size": 2}
WORSE: list[dict[str, Any]] = [
    {"edit_size": 3},
    {"cured": 4},
    {"fixed": 4},
    {"fixed": 9, "held_out_fixed": 1},
    {"fixed": 9, "held_out_fixed": 9, "regressed": 1},
]
"""Each worse than the one before, whatever else is better."""


def ranked(shop: Shop, report: dict[str, Any], authority: str = "a clause") -> Trial:
    mine = proposed(None, {shop.server: FORGETS}, authority)
    trial = attempt(None, [mine], queue=False)
    trial.report = {**BEST, **report}
    return trial


def test_trials_are_ranked_by_what_matters_most(shop: Shop) -> None:
    reports = [{}, *WORSE]
    worst_first = [
        *(ranked(shop, {"fixed": 99, flag: True}) for flag in ("redefines", "weakens")),
        ranked(shop, {"fixed": 99}, authority=""),
        *(ranked(shop, report) for report in reversed(reports)),
    ]
    assert sorted(worst_first[2:], key=rank_key) == worst_first[:1:-1]
    assert sorted(worst_first, key=rank_key)[-2:] == worst_first[:2]


@pytest.mark.parametrize(
    ("before", "after", "size"),
    [
        ("a\nb\n", "a\nb\n", 0),
        ("a\nb\n", "a\nc\n", 2),
        ("a\n", "a\nb\nb\n", 2),
        ("a\nb", "b\na", 0),
    ],
)
def test_an_edit_is_as_large_as_the_lines_that_differ(before: str, after: str, size: int) -> None:
    assert edit_size([(before, after)]) == size


def test_what_is_compared_is_what_a_file_would_say(shop: Shop) -> None:
    mine = proposed(None, {shop.server: FORGETS})
    trial = attempt(None, [mine], queue=False)
    ((before, after),) = texts(trial.changes)
    assert before.strip() == WRITES.source.strip()
    assert after.strip() == FORGETS.source.strip()


def test_the_half_that_was_held_out_is_counted_apart(shop: Shop) -> None:
    slugs = [f"task-{number}" for number in range(6)]
    hidden = [slug for slug in slugs if is_held_out(slug)]
    assert 0 < len(hidden) < len(slugs)
    trial = run_inline(
        attempt(None, [proposed(forgetful(shop, *slugs), {shop.server: WRITES})], queue=False)
    )
    assert trial.report["held_out"] == len(hidden)
    assert trial.report["held_out_fixed"] == len(hidden)
    assert trial.report["held_out_cured"] == len(hidden)
    assert trial.report["seconds"] > 0
