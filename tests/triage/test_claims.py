"""Claims: who works on a check, and whose results count."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from tests.triage.shop import Shop
from triage import claims
from triage.models import Check, Finding, Result
from triage.models.check import State
from triage.rounds import create_round
from worlds.check import CheckResult
from worlds.findings import finding

OUTCOME = CheckResult("solvable", "plan", [], [], 0.1)


@pytest.fixture
def queued(shop: Shop) -> list[int]:
    """Six checks that wait."""
    for number in range(6):
        shop.sound(f"task-{number}")
    made = create_round(None, queue=False)
    return list(made.checks.order_by("pk").values_list("pk", flat=True))


def claimed(ids: list[int], worker: str = "one") -> claims.Claim:
    held = claims.claim(ids, worker)
    assert held is not None
    return held


def expire(check: Check) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Check.objects.filter(pk=check.pk).update(lease_until=past)


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What `work(number)` returns in threads that start together, each with a connection of its own."""
    gate = threading.Barrier(count)

    def run(number: int) -> Any:
        try:
            connection.ensure_connection()
            gate.wait(timeout=20)
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_a_claim_names_worker_attempt_and_lease(queued: list[int]) -> None:
    held = claimed(queued)
    row = Check.objects.get(pk=queued[0])
    assert (row.state, row.worker, row.attempt) == (State.RUNNING, "one", 1)
    assert row.lease_until is not None
    assert row.lease_until > timezone.now() + timedelta(seconds=60)
    assert (held.check.pk, held.attempt) == (row.pk, 1)


def test_claims_go_through_the_ids_and_end(queued: list[int]) -> None:
    got = [claimed(queued[:3]).check.pk for _ in range(3)]
    assert got == queued[:3]
    assert claims.claim(queued[:3], "one") is None


@pytest.mark.django_db(transaction=True)
def test_workers_at_once_claim_each_check_once(queued: list[int]) -> None:
    def claim_all(number: int) -> list[int]:
        got = []
        while (held := claims.claim(queued, f"worker-{number}")) is not None:
            got.append(held.check.pk)
        return got

    got = at_once(4, claim_all)
    assert sorted(chain.from_iterable(got)) == queued
    assert set(Check.objects.values_list("attempt", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_a_claim_is_not_held_up_by_a_row_that_another_claims(queued: list[int]) -> None:
    """The first of the ids is locked by an open transaction: the second is claimed meanwhile."""
    with transaction.atomic():
        Check.objects.select_for_update().get(pk=queued[0])
        assert at_once(1, lambda _: claimed(queued).check.pk) == [queued[1]]


def test_finishing_stores_the_result_and_ends_the_check(queued: list[int]) -> None:
    held = claimed(queued)
    assert claims.finish(held, OUTCOME)
    row = Check.objects.get(pk=held.check.pk)
    assert (row.state, row.lease_until, row.result_id) == (State.DONE, None, row.result_key)
    assert row.finished is not None


def test_a_late_finisher_is_refused_and_leaves_nothing(queued: list[int]) -> None:
    late = claimed(queued[:1], "late")
    expire(late.check)
    assert claims.take_back() == 1
    second = claimed(queued[:1], "second")
    assert second.attempt == 2
    broken = CheckResult("broken", "", [], [], 0.1)
    assert not claims.finish(late, broken)
    assert not claims.fail(late, "too late")
    assert not Result.objects.exists()
    assert claims.finish(second, OUTCOME)
    assert Result.objects.get().status == "solvable"
    assert not claims.finish(late, broken)


def test_an_error_that_says_what_no_text_can_hold_is_kept_all_the_same(queued: list[int]) -> None:
    assert claims.fail(claimed(queued), "it last said: \0 and \ud800")
    assert Check.objects.get(state=State.ERROR).error == "it last said: \ufffd and \ufffd"


def test_the_same_worker_is_refused_too_once_it_holds_a_later_attempt(queued: list[int]) -> None:
    first = claimed(queued[:1], "same")
    expire(first.check)
    claims.take_back()
    second = claimed(queued[:1], "same")
    assert not claims.finish(first, OUTCOME)
    assert claims.finish(second, OUTCOME)


def test_a_lease_that_still_runs_is_left_alone(queued: list[int]) -> None:
    held = claimed(queued)
    assert claims.take_back() == 0
    assert Check.objects.get(pk=held.check.pk).state == State.RUNNING


def test_the_third_lost_attempt_ends_in_an_error_that_says_so(queued: list[int]) -> None:
    for attempt in (1, 2, 3):
        held = claimed(queued[:1], f"worker-{attempt}")
        assert held.attempt == attempt
        expire(held.check)
        assert claims.take_back() == 1
    row = Check.objects.get(pk=queued[0])
    assert row.state == State.ERROR
    assert "lost in each of three attempts (the last was worker-3)" in row.error
    assert row.finished is not None
    assert claims.claim(queued[:1], "four") is None


@pytest.mark.django_db(transaction=True)
def test_two_who_take_back_at_once_take_back_each_check_once(queued: list[int]) -> None:
    for _ in queued:
        expire(claimed(queued).check)
    assert sum(at_once(3, lambda _: claims.take_back())) == len(queued)
    assert set(Check.objects.values_list("state", "attempt")) == {(State.QUEUED, 1)}


def test_those_nobody_was_told_of_are_handed_out_once(queued: list[int]) -> None:
    assert claims.untold() == []
    old = timezone.now() - timedelta(seconds=100)
    Check.objects.filter(pk=queued[0]).update(told=None)
    Check.objects.filter(pk=queued[1]).update(told=old, attempt=2)
    assert claims.untold() == [(queued[0], 0), (queued[1], 2)]
    assert claims.untold() == []


@pytest.mark.django_db(transaction=True)
def test_two_who_store_the_same_result_at_once_store_it_once(queued: list[int]) -> None:
    """Two environments with one bundle, checked side by side."""
    Check.objects.filter(pk=queued[1]).update(result_key=Check.objects.get(pk=queued[0]).result_key)
    one = finding("goal-vacuous", "intent", "x", place="goal", symbol="goal", message="m")
    outcome = CheckResult("broken", "", [one, one], [], 0.1)
    held = [claimed(queued[:2], "one"), claimed(queued[:2], "two")]
    assert at_once(2, lambda number: claims.finish(held[number], outcome)) == [True, True]
    assert Result.objects.count() == 1
    assert Finding.objects.count() == 2
