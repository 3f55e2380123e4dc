"""Repairs are searched for by themselves after a round, where the installation wants that."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django.fixtures import Settings

from components.models import AuditEntry
from tests.triage.api.desk import Desk
from triage import repairing, tasks
from triage.models import Fault, Proposal, Repair, Round
from triage.models.fault import FaultStatus
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.repairing import after_round, wanting


@pytest.fixture
def desk(db: None, settings: Settings) -> Desk:
    settings.ENVCURATE_PROPOSE = "after-rounds"
    made = Desk()
    Fault.objects.exclude(pk=made.fault.pk).delete()
    Repair.objects.all().delete()
    return made


def again(desk: Desk) -> Round:
    """The next round that shows the fault."""
    made = Round.objects.create(recipe="", finished=timezone.now(), gathered=timezone.now())
    Fault.objects.filter(pk=desk.fault.pk).update(last_round=made)
    return made


@pytest.mark.parametrize("status", [FaultStatus.NEW, FaultStatus.ONGOING, FaultStatus.REGRESSED])
def test_for_each_open_blocking_fault_that_it_showed(desk: Desk, status: str) -> None:
    Fault.objects.update(status=status)
    (made,) = after_round(desk.round)
    assert (made.fault, made.author, made.state) == (desk.fault, None, JobState.QUEUED)
    assert AuditEntry.objects.filter(action="fault.repair", actor=None).count() == 1


def test_once_a_round(desk: Desk) -> None:
    assert len(after_round(desk.round)) == 1
    assert after_round(desk.round) == []
    Repair.objects.update(state=JobState.DONE)
    assert after_round(desk.round) == []
    assert len(after_round(again(desk))) == 1


def test_a_search_that_runs_still_is_enough_for_the_next_round(desk: Desk) -> None:
    after_round(desk.round)
    assert after_round(again(desk)) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"status": FaultStatus.FIXED},
        {"status": FaultStatus.ARCHIVED},
        {"is_blocking": False},
        {"last_round": None},
    ],
)
def test_not_for_others(desk: Desk, changed: dict[str, Any]) -> None:
    Fault.objects.update(**changed)
    assert after_round(desk.round) == []


def test_not_where_something_is_proposed_that_nobody_decided_on(desk: Desk) -> None:
    row = Proposal.objects.create(domain=desk.shop.domain, fault=desk.fault, title="Mend it")
    assert after_round(desk.round) == []
    Proposal.objects.filter(pk=row.pk).update(state=ProposalState.REJECTED)
    assert len(after_round(desk.round)) == 1


def test_not_where_nobody_wants_it_or_the_round_is_not_gathered(
    desk: Desk, settings: Settings
) -> None:
    Round.objects.update(gathered=None)
    desk.round.refresh_from_db()
    assert after_round(desk.round) == []
    settings.ENVCURATE_PROPOSE = ""
    assert after_round(again(desk)) == []


def test_the_task_that_closes_rounds_begins_it_and_one_that_cannot_stands_in_no_others_way(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    again(desk)
    other = Round.objects.create(recipe="", finished=timezone.now(), gathered=timezone.now())
    real = repairing.after_round

    def trip(made: Round) -> list[Repair]:
        if made == other:
            raise RuntimeError("something else")
        return real(made)

    monkeypatch.setattr(repairing, "after_round", trip)
    for _ in range(2):
        tasks.close_rounds()
    assert Repair.objects.count() == 1


def test_what_was_gathered_long_ago_is_not_begun_when_the_setting_comes(desk: Desk) -> None:
    Round.objects.update(gathered=timezone.now() - timedelta(hours=1))
    tasks.close_rounds()
    assert not Repair.objects.exists()


def test_workers_know_the_job_and_checks_overtake_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[tuple[list[Any], int]] = []
    monkeypatch.setattr(
        current_app, "send_task", lambda _, said, priority: sent.append((said, priority))
    )
    with django_capture_on_commit_callbacks(execute=True):
        (made,) = after_round(desk.round)
    assert sent == [(["repair", made.pk], 9)]
    assert tasks.JOBS["repair"] == (Repair, repairing.work)


def test_wanting_are_open_faults_without_a_proposal_or_a_search(desk: Desk, reviewer: User) -> None:
    assert list(wanting(Fault.objects.all())) == [desk.fault]
    held = repairing.repair(reviewer, desk.fault, queue=False)
    assert not wanting(Fault.objects.all())
    Repair.objects.filter(pk=held.pk).update(state=JobState.DONE)
    assert list(wanting(Fault.objects.all())) == [desk.fault]
