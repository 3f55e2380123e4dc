"""Jobs: who works on one, whose work counts, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kombu.exceptions import OperationalError as BrokerError

from components.models import Domain
from tests.triage.test_cancellation import at_once
from triage import jobs, tasks
from triage.models import Attribution, Fault, Round
from triage.models.job import UNFINISHED_JOBS, JobState

ENDS = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
Sent = list[tuple[str, list[Any]]]


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The messages that were sent, instead of sending them."""
    messages: Sent = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, args, **_: messages.append((name, args))
    )
    return messages


@pytest.fixture
def job(db: None) -> Attribution:
    return waiting()


def waiting() -> Attribution:
    """A job that waits."""
    domain, _ = Domain.objects.get_or_create(slug="notes")
    fault = Fault.objects.create(domain=domain, code="tool-crash", title="It crashes")
    return Attribution.objects.create(fault=fault, round=Round.objects.create(recipe=""))


def claimed(job: Attribution, worker: str = "one") -> Attribution:
    held = jobs.claim(Attribution, job.pk, worker)
    assert isinstance(held, Attribution)
    return held


def expire(job: Attribution) -> None:
    late = timezone.now() - timedelta(seconds=1)
    Attribution.objects.filter(pk=job.pk, state=JobState.RUNNING).update(lease_until=late)


def now(job: Attribution) -> Attribution:
    return Attribution.objects.get(pk=job.pk)


def steps(count: int) -> jobs.Work:
    def work(_: Attribution) -> Iterator[jobs.Progress]:
        for done in range(1, count + 1):
            yield done, count

    return work


def titled(held: Attribution, title: str) -> None:
    """Something that work writes."""
    Fault.objects.filter(pk=held.fault_id).update(title=title)


# Who has it


def test_a_claimed_job_runs_under_a_lease(job: Attribution) -> None:
    held = claimed(job)
    assert (held.state, held.worker, held.attempt) == (JobState.RUNNING, "one", 1)
    assert held.lease_until is not None
    assert held.lease_until > timezone.now()
    assert jobs.claim(Attribution, job.pk, "two") is None


@pytest.mark.django_db(transaction=True)
def test_of_workers_at_once_one_gets_it() -> None:
    job = waiting()
    got = at_once(
        *(partial(jobs.claim, Attribution, job.pk, f"worker-{number}") for number in range(4))
    )
    (winner,) = [each for each in got if each is not None]
    assert (now(job).worker, now(job).attempt) == (winner.worker, 1)


@pytest.mark.django_db(transaction=True)
def test_of_finishing_and_cancelling_at_once_one_ends_it() -> None:
    job = waiting()
    held = claimed(job)

    def finish() -> str:
        try:
            with jobs.finishing(held):
                titled(held, "finished")
        except jobs.JobLost:
            return "lost"
        return JobState.DONE

    def cancel() -> str:
        try:
            jobs.cancel(None, now(job))
        except jobs.JobOver:
            return "over"
        return JobState.CANCELLED

    ended = at_once(finish, cancel)
    assert now(job).state in ended
    assert ("lost" in ended) is (now(job).state == JobState.CANCELLED)
    assert ("over" in ended) is (now(job).state == JobState.DONE)
    assert (now(job).fault.title == "finished") is (now(job).state == JobState.DONE)


def test_renewing_notes_how_far_it_is_and_lengthens_the_lease(job: Attribution) -> None:
    held = claimed(job)
    expire(job)
    jobs.renew(held, 2, 5)
    assert (now(job).done, now(job).total) == (2, 5)
    assert jobs.take_back(Attribution) == 0


def test_who_lost_the_lease_can_write_nothing(job: Attribution) -> None:
    late = claimed(job, "same")
    expire(job)
    assert jobs.take_back(Attribution) == 1
    assert (now(job).state, now(job).lost, now(job).worker) == (JobState.QUEUED, 1, "")
    second = claimed(job, "same")
    assert second.attempt == 2
    with pytest.raises(jobs.JobLost):
        jobs.renew(late, 9, 9)
    with pytest.raises(jobs.JobLost):
        jobs.note(late, error="too late")
    with pytest.raises(jobs.JobLost), jobs.finishing(late):
        titled(late, "too late")
    assert not jobs.fail(late, "too late")
    assert (now(job).state, now(job).done, now(job).error) == (JobState.RUNNING, 0, "")
    with jobs.finishing(second):
        titled(second, "in time")
    assert (now(job).state, now(job).fault.title) == (JobState.DONE, "in time")


def test_the_third_loss_ends_it_with_a_sentence(job: Attribution) -> None:
    for attempt in (1, 2, 3):
        assert claimed(job).attempt == attempt
        expire(job)
        assert jobs.take_back(Attribution) == 1
    assert (now(job).state, now(job).error) == (JobState.FAILED, jobs.LOST)
    assert now(job).finished is not None
    assert jobs.claim(Attribution, job.pk, "four") is None


@pytest.mark.django_db(transaction=True)
def test_two_who_take_back_at_once_take_it_back_once() -> None:
    job = waiting()
    claimed(job)
    expire(job)
    assert sum(at_once(*[partial(jobs.take_back, Attribution)] * 3)) == 1
    assert now(job).lost == 1


def test_fields_of_a_job_that_is_ours_are_stored(job: Attribution) -> None:
    held = claimed(job)
    jobs.note(held, total=7)
    assert (held.total, now(job).total) == (7, 7)


# How it ends


def test_finishing_writes_all_or_nothing(job: Attribution) -> None:
    held = claimed(job)

    def finish() -> None:
        with jobs.finishing(held):
            titled(held, "half of it")
            raise ValueError("no good")

    with pytest.raises(ValueError, match="no good"):
        finish()
    assert (now(job).state, now(job).fault.title) == (JobState.RUNNING, "It crashes")
    assert jobs.fail(held, "no good")


def test_finishing_that_is_lost_rolls_back_what_was_begun(job: Attribution) -> None:
    held = claimed(job)
    jobs.cancel(None, job)

    @transaction.atomic
    def finish() -> None:
        titled(held, "half of it")
        with jobs.finishing(held):
            titled(held, "all of it")

    with pytest.raises(jobs.JobLost):
        finish()
    assert (now(job).state, now(job).fault.title) == (JobState.CANCELLED, "It crashes")


def test_it_runs_to_its_end(job: Attribution) -> None:
    assert jobs.run(Attribution, job.pk, "one", steps(3))
    assert (now(job).state, now(job).done, now(job).total) == (JobState.DONE, 3, 3)
    assert now(job).finished is not None
    assert now(job).lease_until is None
    assert not jobs.run(Attribution, job.pk, "one", steps(3))


def test_cancelled_while_it_runs_nothing_more_is_written(job: Attribution, curator: User) -> None:
    came_to: list[int] = []

    def work(held: Attribution) -> Iterator[jobs.Progress]:
        for done in range(1, 5):
            came_to.append(done)
            if done == 2:
                jobs.cancel(curator, now(held))
            yield done, 4
        with jobs.finishing(held):
            titled(held, "finished")

    assert jobs.run(Attribution, job.pk, "one", work)
    assert came_to == [1, 2]
    row = now(job)
    assert (row.state, row.done, row.fault.title) == (JobState.CANCELLED, 1, "It crashes")
    assert row.cancelled_by == curator
    assert not row.error


def test_one_that_has_ended_is_not_cancelled(job: Attribution) -> None:
    jobs.run(Attribution, job.pk, "one", steps(1))
    with pytest.raises(jobs.JobOver, match=f"attribution {job.pk} has ended"):
        jobs.cancel(None, job)
    assert now(job).state == JobState.DONE


def test_one_that_waits_is_cancelled_and_nobody_gets_it(job: Attribution) -> None:
    jobs.cancel(None, job)
    assert job.state == JobState.CANCELLED
    assert not jobs.run(Attribution, job.pk, "one", steps(1))


def test_when_its_time_is_up_it_is_handed_on_and_loses_nothing(
    job: Attribution, sent: Sent
) -> None:
    assert jobs.run(Attribution, job.pk, "one", steps(3), seconds=0)
    row = now(job)
    assert (row.state, row.worker, row.done, row.lost) == (JobState.QUEUED, "", 1, 0)
    assert sent == [("triage.tasks.run_job", ["attribution", job.pk])]
    assert row.told is not None
    for _ in range(4):  # as often as it likes: that is no loss
        jobs.run(Attribution, job.pk, "two", steps(3), seconds=0)
    assert jobs.run(Attribution, job.pk, "two", steps(3))
    assert (now(job).state, now(job).lost) == (JobState.DONE, 0)


def test_what_cannot_be_done_is_told_to_a_person_and_trouble_to_those_who_mend_it(
    job: Attribution,
) -> None:
    def work(_: Attribution) -> Iterator[jobs.Progress]:
        yield 1, 2
        raise jobs.JobFailed("there is nothing to weigh")

    def breaks(_: Attribution) -> Iterator[jobs.Progress]:
        yield 1, 2
        raise KeyError("a \0 of ours")

    jobs.run(Attribution, job.pk, "one", work)
    assert (now(job).state, now(job).error) == (JobState.FAILED, "there is nothing to weigh")
    other = waiting()
    jobs.run(Attribution, other.pk, "one", breaks)
    assert now(other).state == JobState.FAILED
    assert "Traceback" in now(other).error
    assert len(now(other).error) <= jobs.LONGEST_ERROR


def test_when_the_database_goes_away_it_waits_for_its_lease(job: Attribution) -> None:
    def work(_: Attribution) -> Iterator[jobs.Progress]:
        yield 1, 2
        raise OperationalError("server closed the connection")

    with pytest.raises(OperationalError):
        jobs.run(Attribution, job.pk, "one", work)
    assert now(job).state == JobState.RUNNING


# Who is told


def test_workers_are_told_when_the_transaction_commits(
    job: Attribution, sent: Sent, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        jobs.queue(job)
        assert not sent
    assert sent == [("triage.tasks.run_job", ["attribution", job.pk])]
    assert jobs.untold(Attribution) == []


def test_when_the_broker_does_not_answer_the_reconciler_tells_later(
    job: Attribution, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BrokerError("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(current_app, "send_task", refuse)
        jobs.tell(Attribution, job.pk)
    assert now(job).told is None
    tasks.reconcile()
    tasks.reconcile()
    assert sent == [("triage.tasks.run_job", ["attribution", job.pk])]


def test_a_lost_job_is_told_again(job: Attribution, sent: Sent) -> None:
    claimed(job)
    expire(job)
    tasks.reconcile()
    assert sent == [("triage.tasks.run_job", ["attribution", job.pk])]
    assert now(job).state == JobState.QUEUED


# Whatever happens, in whatever order

MOVES = ["claim", "renew", "hand on", "expire", "take back", "cancel", "finish", "fail"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 2)), max_size=25))
def test_whatever_the_order_a_job_ends_once_at_most_and_as_it_ended(
    db: None, moves: list[tuple[str, int]]
) -> None:
    job = waiting()
    held: list[Attribution] = []
    endings: list[str] = []
    for move, which in moves:
        before = now(job)
        if ended := _moved(move, job, held, which):
            endings.append(ended)
        after = now(job)
        assert len(endings) <= 1
        assert after.state == endings[0] if endings else after.state in UNFINISHED_JOBS
        assert (after.finished is not None) is (after.state in ENDS)
        assert (after.lease_until is not None) is (after.state == JobState.RUNNING)
        assert after.lost <= after.attempt
        if before.state in ENDS:
            assert vars(after) | {"_state": 0} == vars(before) | {"_state": 0}
    assert Fault.objects.filter(pk=job.fault_id, title="finished").exists() is (
        endings == [JobState.DONE]
    )


def _moved(move: str, job: Attribution, held: list[Attribution], which: int) -> str:
    """The state in which a move ended the job; empty where it did not."""
    mine = held[-1 - which] if which < len(held) else None
    try:
        if move == "claim" and (got := jobs.claim(Attribution, job.pk, f"worker-{which % 2}")):
            held.append(got)
        elif move == "expire":
            expire(job)
        elif move == "take back":
            jobs.take_back(Attribution)
            return JobState.FAILED if now(job).error == jobs.LOST and _first(job) else ""
        elif move == "cancel":
            jobs.cancel(None, now(job))
            return JobState.CANCELLED
        elif mine is not None:
            return _worked(move, mine)
    except (jobs.JobLost, jobs.JobOver):
        pass
    return ""


def _first(job: Attribution) -> bool:
    """Whether nobody noticed yet that it was lost for good."""
    return bool(Fault.objects.filter(pk=job.fault_id).exclude(title="lost").update(title="lost"))


def _worked(move: str, mine: Attribution) -> str:
    if move == "renew":
        jobs.renew(mine, 1, 2)
    elif move == "hand on":
        jobs._hand_on(mine)
    elif move == "finish":
        with jobs.finishing(mine):
            titled(mine, "finished")
        return JobState.DONE
    elif move == "fail" and jobs.fail(mine, "trouble"):
        return JobState.FAILED
    return ""


def test_who_comes_further_than_all_before_forgets_the_lost_ones(job: Attribution) -> None:
    for done in (1, 2, 3, 4):
        held = claimed(job)
        jobs.renew(held, done, 10)
        assert now(job).lost == 0
        expire(job)
        jobs.take_back(Attribution)
    assert now(job).state == JobState.QUEUED


def test_who_only_comes_as_far_as_others_did_does_not(job: Attribution) -> None:
    for _ in range(jobs.ATTEMPTS):
        held = claimed(job)
        for done in (1, 2):
            jobs.renew(held, done, 10)
        expire(job)
        jobs.take_back(Attribution)
    assert now(job).state == JobState.FAILED
