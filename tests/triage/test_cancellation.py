"""Cancelling a round: who may, what becomes of its checks, and which numbers they are left out of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.utils import timezone

from components.models import AuditEntry, Environment
from tests.conftest import member
from tests.triage.shop import Shop
from triage import claims, tasks
from triage.cancellation import RoundOver, cancel, may_cancel
from triage.models import Check, Result, Round
from triage.models.check import State
from triage.pages import history
from triage.rounds import create_round, progress, summary
from triage.standing import with_standing
from triage.work import work_off
from worlds.check import CheckResult

OUTCOME = CheckResult("solvable", "plan", [], [], 0.1)


@pytest.fixture
def made(shop: Shop) -> Round:
    """A round with six checks: one done and solvable, one in error, one running, three that wait."""
    for number in range(6):
        shop.sound(f"task-{number}")
    made = create_round(None, queue=False)
    first, second, third = ids(made)[:3]
    list(work_off([first], "here"))
    held = claimed([second])
    claims.fail(held, "the disk is full")
    claimed([third])
    return made


def ids(made: Round) -> list[int]:
    return list(made.checks.order_by("pk").values_list("pk", flat=True))


def claimed(waiting: list[int], worker: str = "here") -> claims.Claim:
    held = claims.claim(waiting, worker)
    assert held is not None
    return held


def states(made: Round) -> list[str]:
    return list(made.checks.order_by("pk").values_list("state", flat=True))


def test_what_is_done_stays_and_the_rest_is_cancelled(made: Round) -> None:
    before = Check.objects.get(pk=ids(made)[0])
    assert cancel(None, made) == 4
    assert states(made) == ["done", "error", *["cancelled"] * 4]
    after = Check.objects.get(pk=ids(made)[0])
    assert (after.result_id, after.finished) == (before.result_id, before.finished)
    assert made.finished == made.cancelled is not None
    assert set(made.checks.values_list("lease_until", flat=True)) == {None}
    assert None not in made.checks.values_list("finished", flat=True)


def test_nobody_claims_tells_or_takes_back_what_was_cancelled(
    made: Round, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancel(None, made)
    past = timezone.now() - timedelta(hours=1)
    Check.objects.filter(round=made).update(told=past)
    sent: list[list[int]] = []
    monkeypatch.setattr(tasks.run_checks, "delay", sent.append)
    tasks.reconcile()
    tasks.run_checks(ids(made))
    assert sent == []
    assert states(made).count("cancelled") == 4
    assert claims.claim(ids(made), "here") is None


def test_the_worker_of_a_running_check_comes_too_late(shop: Shop) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    held = claimed(ids(made))
    cancel(None, made)
    assert not claims.finish(held, OUTCOME)
    assert not claims.fail(held, "too late")
    assert not claims.adopt(held)
    assert states(made) == ["cancelled"]
    assert not Result.objects.exists()


def test_cancelled_checks_are_in_no_number(made: Round, viewer: User) -> None:
    cancel(None, made)
    numbers = summary(made)
    assert (numbers["environments"], numbers["solvable"], numbers["errors"]) == (2, 1, 1)
    assert (numbers["broken"], numbers["unproven"]) == (0, 0)
    assert numbers["solvability"] == 1.0
    assert numbers["solve_rate"]["reference"] == 0.5
    assert numbers["floor"] == 0.0
    now = progress(made)
    assert (now["done"], now["total"], now["seconds_left"]) == (2, 2, 0.0)
    (tally,) = history.by_round([made], viewer).values()
    assert (tally.environments, tally.waiting, tally.judged) == (2, 0, 1)
    checks = Check.objects.visible_to(viewer).filter(round=made)
    assert history.by_domain(checks)["notes"].environments == 2
    assert history.by_intent(checks) == (1, 1)


def test_a_round_cancelled_before_anything_was_done_has_no_rates(shop: Shop) -> None:
    shop.sound("a")
    made = create_round(None, queue=False)
    cancel(None, made)
    numbers = summary(made)
    assert (numbers["environments"], numbers["solvability"], numbers["floor"]) == (0, None, None)


def test_an_environment_stands_as_before_where_a_check_was_cancelled(shop: Shop) -> None:
    for slug in ("known", "unknown"):
        shop.sound(slug)
    first = create_round(None, queue=False)
    list(work_off(ids(first)[:1], "here"))
    cancel(None, first)
    cancel(None, create_round(None, panel=["noop"], queue=False))
    standing = {row.slug: row.status for row in with_standing(Environment.objects.all())}
    assert standing == {"known": "solvable", "unknown": "unverified"}
    ended = Check.objects.filter(round=first).with_status()
    statuses: Any = ended  # annotated with a status, which the stubs cannot know
    assert {row.status for row in statuses} == {"solvable", None}


def test_a_round_that_is_over_cannot_be_cancelled(made: Round, shop: Shop) -> None:
    cancel(None, made)
    with pytest.raises(RoundOver, match=rf"round {made.pk} was cancelled before: there is nothing"):
        cancel(None, made)
    list(work_off(ids(other := create_round(None, queue=False)), "here"))
    with pytest.raises(RoundOver, match="is finished: there is nothing left"):
        cancel(None, other)
    assert AuditEntry.objects.filter(action="round.cancel").count() == 1
    other.refresh_from_db()
    assert other.cancelled is None


def test_the_next_round_runs_what_was_cancelled_and_nothing_twice(made: Round) -> None:
    cancel(None, made)
    again = create_round(None, queue=False)
    assert [check.was_known for check in again.checks.order_by("pk")] == [True, *[False] * 5]


def test_each_domain_has_its_own_entry_in_the_audit_log(made: Round, curator: User) -> None:
    other = Shop("more")
    other.sound("x")
    both = create_round(None, queue=False)
    waiting = both.checks.filter(environment__domain=other.domain).values_list("pk", flat=True)
    list(work_off(list(waiting), "here"))
    cancel(curator, both)
    entries = AuditEntry.objects.filter(action="round.cancel").select_related("domain", "actor")
    assert {(str(entry.domain), entry.actor, entry.target) for entry in entries} == {
        ("more", curator, f"round {both.pk}"),
        ("notes", curator, f"round {both.pk}"),
    }
    details = {str(entry.domain): entry.detail for entry in entries}
    assert details == {"more": {"done": 1}, "notes": {"done": 1, "cancelled": 5}}


def test_who_may_run_rounds_over_all_its_domains_may_cancel(
    shop: Shop, curator: User, admin: User, viewer: User, reviewer: User, stranger: User
) -> None:
    shop.sound("a")
    other = Shop("more")
    other.sound("b")
    made = create_round(curator, queue=False)
    starter, insider = member("second", "curator"), member("insider", "curator")
    other.domain.readers.add(group := Group.objects.create(name="insiders"))
    insider.groups.add(group)
    may = {user.username for user in User.objects.all() if may_cancel(user, made)}
    assert may == {"curator", "insider"}
    assert may_cancel(None, made)
    with pytest.raises(PermissionDenied, match=r"viewer may not cancel round.*triage\.add_round"):
        cancel(viewer, made)
    assert not may_cancel(starter, made)
    assert set(states(made)) == {"queued"}
    cancel(insider, made)
    assert made.cancelled_by == insider


def test_who_started_it_may_cancel_it_whatever_they_may_do_by_now(
    shop: Shop, curator: User
) -> None:
    shop.sound("a")
    made = create_round(curator, queue=False)
    curator.groups.clear()
    left = User.objects.get(pk=curator.pk)
    assert may_cancel(left, made)
    left.is_active = False
    assert not may_cancel(left, made)


def test_a_cancellation_costs_as_many_queries_whatever_the_size(
    shop: Shop, django_assert_num_queries: Any
) -> None:
    for size in (1, 12):
        for number in range(size):
            shop.sound(f"task-{size}-{number}")
        made = create_round(None, queue=False)
        with django_assert_num_queries(10):
            cancel(None, made)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """What each returns, run in threads that start together, each with a connection of its own."""
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            gate.wait(timeout=20)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03])
def test_cancelled_while_workers_claim_and_finish_every_check_is_done_or_cancelled(
    shop: Shop, delay: float
) -> None:
    """Whatever the moment: no check is left, none is both, and what a worker was told it stored is there."""
    for number in range(40):
        shop.sound(f"task-{number}")
    made = create_round(None, queue=False)

    def work() -> set[int]:
        stored = set()
        while (held := claims.claim(ids(made), threading.current_thread().name)) is not None:
            if claims.finish(held, OUTCOME):
                stored.add(held.check.pk)
        return stored

    def call_off() -> int:
        time.sleep(delay)
        try:
            return cancel(None, Round.objects.get(pk=made.pk))
        except RoundOver:
            return 0

    def tend() -> set[int]:
        for _ in range(10):
            claims.take_back()
            claims.untold()
            Round.objects.close()
        return set()

    *stored, cancelled = at_once(work, work, work, tend, call_off)
    done = set(made.checks.filter(state=State.DONE).values_list("pk", flat=True))
    assert done == set.union(*stored)
    assert len(done) + cancelled == 40
    assert made.checks.filter(state=State.CANCELLED).count() == cancelled
    assert Result.objects.count() == len(done)
    assert claims.claim(ids(made), "late") is None
    Round.objects.close()
    made.refresh_from_db()
    assert made.finished is not None
    assert (made.cancelled is not None) == bool(cancelled)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_cancel_at_once_one_does(shop: Shop) -> None:
    for number in range(6):
        shop.sound(f"task-{number}")
    made = create_round(None, queue=False)

    def call_off() -> int:
        try:
            return cancel(None, Round.objects.get(pk=made.pk))
        except RoundOver:
            return 0

    assert sorted(at_once(call_off, call_off, call_off)) == [0, 0, 6]
    assert AuditEntry.objects.filter(action="round.cancel").count() == 1


@pytest.mark.django_db(transaction=True)
def test_leases_that_run_out_while_it_is_cancelled_stand_in_nobodys_way(shop: Shop) -> None:
    for number in range(60):
        shop.sound(f"task-{number}")
    made = create_round(None, queue=False)
    for _ in range(60):
        claimed(ids(made))
    Check.objects.filter(round=made).update(lease_until=timezone.now() - timedelta(seconds=1))
    back, caught, more = at_once(
        claims.take_back, lambda: cancel(None, Round.objects.get(pk=made.pk)), claims.take_back
    )
    assert caught == 60
    assert back + more <= 60
    assert set(states(made)) == {"cancelled"}
