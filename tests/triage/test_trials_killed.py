"""A trial whose worker is killed: somebody else goes on with it, and nothing is lost or done twice."""

from __future__ import annotations

import pytest

from tests.triage.shop import SOURCE, Shop
from tests.triage.test_worker import PONDER, Start, kill, until, worker
from tests.triage.trying import proposed
from triage.models import Episode, Result, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.trials import attempt
from worlds.toolserver_body import ToolServerBody

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 8

LEASE = {"ENVCURATE_LEASE_SECONDS": "8"}
"""Longer than one environment takes with and without the candidate, on a busy machine too."""

__all__ = ["worker"]  # a fixture


def test_a_worker_killed_in_mid_trial_loses_and_doubles_nothing(
    shop: Shop,
    worker: Start,
) -> None:
    for number in range(MANY):
        shop.sound(f"task-{number}", rounds=PONDER // 4)
    mine = proposed(None, {shop.server: ToolServerBody(source=SOURCE + "\n\nLEFT = 1\n")})
    trial = attempt(None, [mine])
    first = worker(**LEASE)
    mine_now = Trial.objects.filter(pk=trial.pk)
    until(lambda: trial.outcomes.count() >= 2 and mine_now.get().state == JobState.RUNNING)
    kill(first)
    kept = dict(trial.outcomes.values_list("environment", "pk"))
    stored = dict(Result.objects.values_list("pk", "created"))
    assert 2 <= len(kept) < MANY
    worker(**LEASE)
    until(lambda: not mine_now.get().is_unfinished, 120)
    trial.refresh_from_db()
    assert (trial.state, trial.error) == (JobState.DONE, "")
    mine.refresh_from_db()
    assert (trial.stage, trial.attempt) == (Stage.FULL, 2)
    now = dict(trial.outcomes.values_list("environment", "pk"))
    assert len(now) == MANY
    assert kept.items() <= now.items()
    assert stored.items() <= dict(Result.objects.values_list("pk", "created")).items()
    assert Result.objects.count() == 2 * MANY
    assert Episode.objects.count() == 5 * Result.objects.count()
    assert trial.report["environments"] == trial.report["unchanged"] == MANY
    assert mine.state == ProposalState.WAITING
