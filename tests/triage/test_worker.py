"""Real Celery workers: killed, flushed, hanging; nothing is lost and nothing is done twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from celery import current_app

from tests.triage.shop import Shop
from tests.triage.trying import FORGETS, WRITES
from triage import review, waiting
from triage.cancellation import cancel
from triage.models import Check, Episode, Finding, Proposal, Repair, Result, Round
from triage.models.check import State
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.rounds import create_round, summary
from triage.scope import Scope

pytestmark = pytest.mark.django_db(transaction=True)

Start = Callable[..., "subprocess.Popen[bytes]"]

PONDER = 1_000_000
"""Rounds that take a tool a good part of a second: long enough to be caught at it."""


HURRY = {"ENVCURATE_LEASE_SECONDS": "2", "ENVCURATE_RECONCILE_SECONDS": "1"}


@pytest.fixture
def worker(services: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """Starts workers with beat, whose leases run out after two seconds; kills what is left of them."""
    current_app.control.purge()
    started: list[subprocess.Popen[bytes]] = []

    def start(**hurry: str) -> subprocess.Popen[bytes]:
        schedule = tmp_path / f"schedule-{len(started)}"
        command = [sys.executable, "-m", "celery", "-A", "envcurate", "worker", "--beat"]
        command += ["--schedule", str(schedule), "--concurrency", "2", "--loglevel", "WARNING"]
        with (tmp_path / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env=os.environ | services | HURRY | hurry,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        kill(process)
    print((tmp_path / "worker.log").read_text()[-5000:])  # shown when a test fails


def kill(process: "subprocess.Popen[bytes]") -> None:
    """SIGKILL for a worker and its children, as when the machine is short of memory."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def finished(made: Round) -> Round:
    until(lambda: Round.objects.filter(pk=made.pk, finished__isnull=False).exists())
    made.refresh_from_db()
    return made


def assert_once(made: Round) -> None:
    """Every check ended in a result, each stored once with its episodes."""
    assert set(made.checks.values_list("state", flat=True)) == {State.DONE}
    assert Result.objects.count() == made.checks.count()
    assert Episode.objects.count() == 5 * made.checks.count()  # the refuser has two attempts
    assert all(result.episodes.count() == 5 for result in Result.objects.all())


def test_workers_run_a_round_and_a_second_one_finds_all_known(
    shop: Shop, worker: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 60.0)  # on a busy machine, a worker starts slowly
    for number in range(10):
        shop.sound(f"task-{number}")
    shop.refused("broken")
    made = create_round(None)
    worker()
    waiting.wait(made, lambda _: None)
    numbers = summary(finished(made))
    assert (numbers["solvable"], numbers["broken"], numbers["errors"]) == (10, 1, 0)
    assert_once(made)
    codes = Finding.objects.order_by("code").values_list("code", flat=True)
    assert list(codes) == ["goal-unreachable", "plan-refused"]
    again = create_round(None)
    assert again.finished is not None
    assert set(again.checks.values_list("attempt", "was_known")) == {(0, True)}


def test_a_worker_killed_in_mid_round_loses_and_doubles_nothing(shop: Shop, worker: Start) -> None:
    for number in range(12):
        shop.sound(f"task-{number}", rounds=PONDER)
    made = create_round(None)
    first = worker()
    mine = Check.objects.filter(round=made)
    until(
        lambda: mine.filter(state=State.DONE).count() >= 2 and mine.filter(state="running").exists()
    )
    kill(first)
    assert mine.filter(state=State.QUEUED).exists()
    caught = set(mine.filter(state=State.RUNNING).values_list("pk", flat=True))
    assert caught
    ended = dict(mine.filter(state=State.DONE).values_list("pk", "finished"))
    worker()
    finished(made)
    assert_once(made)
    assert set(mine.filter(attempt=2).values_list("pk", flat=True)) == caught
    assert dict(mine.filter(pk__in=ended).values_list("pk", "finished")) == ended


def test_a_flushed_broker_loses_nothing(shop: Shop, worker: Start) -> None:
    for number in range(6):
        shop.sound(f"task-{number}")
    made = create_round(None)
    current_app.control.purge()
    worker()
    finished(made)
    assert_once(made)
    assert set(made.checks.values_list("attempt", flat=True)) == {1}


def test_a_check_that_hangs_ends_as_an_error_and_the_others_as_they_should(
    shop: Shop, worker: Start
) -> None:
    shop.sound("hangs", rounds=PONDER, calls=150)
    shop.sound("a")
    shop.sound("b")
    made = create_round(None)
    worker(ENVCURATE_TASK_SECONDS="3", ENVCURATE_LEASE_SECONDS="4")
    finished(made)
    ended = dict(made.checks.values_list("environment__slug", "state"))
    assert ended == {"hangs": State.ERROR, "a": State.DONE, "b": State.DONE}
    row = made.checks.get(state=State.ERROR)
    assert row.attempt == 3
    assert "lost in each of three attempts" in row.error
    assert not row.result
    assert summary(made)["solvability"] == 1.0


def test_a_round_cancelled_while_workers_run_it_is_over_at_once_and_stays_so(
    shop: Shop, worker: Start
) -> None:
    for number in range(12):
        shop.sound(f"task-{number}", rounds=PONDER)
    shop.sound("hangs", rounds=PONDER, calls=150)
    made = create_round(None)
    worker()
    mine = Check.objects.filter(round=made)
    until(
        lambda: mine.filter(state=State.DONE).count() >= 2 and mine.filter(state="running").exists()
    )
    cancel(None, made)
    assert made.finished is not None
    ended = dict(mine.values_list("pk", "state"))
    assert set(ended.values()) == {State.DONE, State.CANCELLED}
    results = Result.objects.count()
    assert results == mine.filter(state=State.DONE).count() == summary(made)["environments"]
    Check.objects.filter(environment__slug="hangs").delete()
    again = create_round(None, Scope(environments=[f"task-{number}" for number in range(12)]))
    finished(again)  # the same workers go on, those too whose check was dropped
    assert set(again.checks.values_list("state", flat=True)) == {State.DONE}
    ended = {pk: state for pk, state in ended.items() if pk in mine.values_list("pk", flat=True)}
    assert dict(mine.values_list("pk", "state")) == ended
    assert Result.objects.count() == 12
    waiting.wait(made, lambda _: None)


def test_waiting_without_a_worker_ends_with_what_to_start(
    shop: Shop, services: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 1.5)
    shop.sound("a")
    made = create_round(None)
    try:
        with pytest.raises(
            waiting.NobodyWorks, match=r"start one with `celery -A envcurate worker"
        ):
            waiting.wait(made, lambda _: None)
        assert made.checks.get().state == State.QUEUED
    finally:
        current_app.control.purge()


def test_where_it_is_wanted_workers_search_for_repairs_after_a_round_and_try_what_they_find(
    shop: Shop, worker: Start
) -> None:
    for number in range(8):
        shop.sound(f"s{number}")
    worker(ENVCURATE_PROPOSE="after-rounds", ENVCURATE_LEASE_SECONDS="60")
    finished(create_round(None))
    shop.component("pen", FORGETS)
    finished(create_round(None))
    until(lambda: Proposal.objects.filter(state=ProposalState.WAITING).exists(), 120)
    held = Repair.objects.get()
    assert (held.state, held.author) == (JobState.DONE, None)
    best = review.best_of(held.fault)
    assert best is not None
    assert best.repair == held
    assert best.changes.get().body.parsed() == WRITES
