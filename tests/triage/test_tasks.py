"""What workers are told, and what the reconciler mends."""

from datetime import timedelta
from typing import NoReturn

import pytest
from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from tests.triage.shop import Shop
from triage import claims, faults, tasks
from triage.models import Check, Round
from triage.models.check import State
from triage.rounds import create_round

Sent = list[list[int]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The groups of ids that were told, instead of telling them."""
    messages: Sent = []
    monkeypatch.setattr(tasks.run_checks, "delay", messages.append)
    return messages


@pytest.fixture
def made(shop: Shop) -> Round:
    """A round with three checks that wait and of which workers were told."""
    for slug in "abc":
        shop.sound(slug)
    return create_round(None, queue=False)


def ids(made: Round) -> list[int]:
    return list(made.checks.order_by("pk").values_list("pk", flat=True))


def test_a_task_runs_its_checks_and_closes_the_round(made: Round, sent: Sent) -> None:
    tasks.run_checks(ids(made))
    assert set(made.checks.values_list("state", flat=True)) == {State.DONE}
    made.refresh_from_db()
    assert made.finished is not None
    assert sent == []


def test_a_message_that_comes_twice_does_nothing_the_second_time(made: Round) -> None:
    tasks.run_checks(ids(made))
    before = list(made.checks.values("attempt", "finished", "worker"))
    tasks.run_checks(ids(made))
    assert list(made.checks.values("attempt", "finished", "worker")) == before


def test_a_task_hands_on_what_it_has_no_time_for(
    made: Round, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "BUDGET", 0.0)
    first, *rest = ids(made)
    tasks.run_checks([first, *rest])
    assert made.checks.get(state=State.DONE).pk == first
    assert sent == [rest]


def test_the_reconciler_tells_again_of_those_nobody_knows(made: Round, sent: Sent) -> None:
    tasks.reconcile()
    assert sent == []
    Check.objects.filter(round=made).update(told=timezone.now() - timedelta(seconds=100))
    tasks.reconcile()
    tasks.reconcile()
    assert sent == [ids(made)]


def test_a_lost_check_is_told_again_at_once_and_alone(made: Round, sent: Sent) -> None:
    held = claims.claim(ids(made), "lost")
    assert held is not None
    Check.objects.filter(pk=held.check.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    Check.objects.filter(round=made, state=State.QUEUED).update(told=None)
    tasks.reconcile()
    lost, *others = ids(made)
    assert sent == [others, [lost]]


def test_the_reconciler_closes_a_round_whose_last_check_ended_elsewhere(
    made: Round, sent: Sent
) -> None:
    Check.objects.filter(round=made).update(state=State.ERROR)
    tasks.reconcile()
    made.refresh_from_db()
    assert made.finished is not None


def test_a_round_that_cannot_be_gathered_stands_in_no_others_way(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.sound("a")
    rounds = [create_round(None, queue=False) for _ in "ab"]
    Check.objects.update(state=State.ERROR)
    gather = faults.gather

    def trip(made: Round) -> None:
        if made == rounds[0]:
            raise RuntimeError("something else")
        gather(made)

    monkeypatch.setattr(faults, "gather", trip)
    tasks.close_rounds()
    assert set(Round.objects.exclude(gathered=None)) == {rounds[1]}


def test_when_the_broker_does_not_answer_the_reconciler_tells_later(
    made: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: list[int]) -> NoReturn:
        raise OperationalError("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(tasks.run_checks, "delay", refuse)
        tasks.tell(ids(made))
    sent: Sent = []
    monkeypatch.setattr(tasks.run_checks, "delay", sent.append)
    tasks.reconcile()
    assert sent == [ids(made)]


def test_many_are_told_in_groups(sent: Sent) -> None:
    tasks.tell(range(1, 120))
    assert [pk for group in sent for pk in group] == list(range(1, 120))
    assert max(len(group) for group in sent) <= 50


def test_beat_reconciles_by_the_name_that_the_task_has() -> None:
    (entry,) = current_app.conf.beat_schedule.values()
    assert entry["task"] == tasks.reconcile.name
