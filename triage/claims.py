"""Claims: how workers share out checks, so that none is lost and none is done twice.

A check is claimed by one UPDATE, committed before the work. What comes of it is written only while the
claim still stands: same worker, same attempt, not cancelled. A claim whose lease ran out is taken back by
whoever reconciles; its worker may still be at work, and will be refused when it wants to write.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Concat, Now

from triage import counterexamples, results
from triage.certificates import certify
from triage.models import Check, Judgement
from triage.models.check import State
from worlds.check import CheckResult

ATTEMPTS = 3
"""Attempts that a check gets before it ends in error."""

LOST = (
    "its worker was lost in each of three attempts (the last was {worker}): it ran into the time limit "
    "or took the process down; `round --inline` shows what happens"
)

_CLAIM = """
UPDATE triage_check
SET state = 'running', worker = %s, attempt = attempt + 1, lease_until = now() + make_interval(secs => %s)
WHERE id = (
    SELECT id FROM triage_check
    WHERE id = ANY(%s) AND state = 'queued'
    ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING *
"""

_UNTOLD = """
UPDATE triage_check SET told = now()
WHERE id IN (
    SELECT id FROM triage_check
    WHERE state = 'queued' AND (told IS NULL OR told < now() - make_interval(secs => %s))
    ORDER BY id FOR UPDATE SKIP LOCKED
)
RETURNING id, attempt
"""


@dataclass(frozen=True)
class Claim:
    """A check that is this worker's to work on, for as long as its lease."""

    check: Check
    worker: str
    attempt: int


def claim(ids: Collection[int], worker: str) -> Claim | None:
    """One of the checks `ids` that waits, claimed and committed; None when none of them waits."""
    with transaction.atomic(durable=True):
        lease = settings.ENVCURATE_LEASE_SECONDS
        found = list(Check.objects.raw(_CLAIM, [worker, lease, list(ids)]))
    return Claim(found[0], worker, found[0].attempt) if found else None


def finish(held: Claim, outcome: CheckResult, judgements: Sequence[Judgement] = ()) -> bool:
    """Store what a check showed and end it; False, and nothing is written, when the claim was lost."""
    with transaction.atomic():
        ended = _end(held, state=State.DONE, result_id=held.check.result_key)
        if ended:
            results.store_of_check(held.check, outcome)
            _store_beside(held, judgements)
    return ended


def adopt(held: Claim, judgements: Sequence[Judgement] = ()) -> bool:
    """End a check whose result somebody else has stored; False when the claim was lost."""
    with transaction.atomic():
        ended = _end(held, state=State.DONE, result_id=held.check.result_key)
        if ended:
            _store_beside(held, judgements)
    return ended


def _store_beside(held: Claim, judgements: Sequence[Judgement]) -> None:
    """What belongs to the environment rather than to the result, which others share."""
    counterexamples.store_judgements(judgements)
    certify(held.check.round, Check.objects.filter(pk=held.check.pk))


def fail(held: Claim, error: str) -> bool:
    """End a check by trouble of ours, from which nothing is concluded; False when the claim was lost."""
    return _end(held, state=State.ERROR, error=results.storable(error))


def _end(held: Claim, **fields: object) -> bool:
    mine = Check.objects.filter(
        pk=held.check.pk, state=State.RUNNING, worker=held.worker, attempt=held.attempt
    )
    return mine.update(finished=Now(), lease_until=None, **fields) == 1


@transaction.atomic
def take_back() -> int:
    """Put checks whose lease ran out back into the queue, or end them when that was their last attempt.

    Returns how many. Those that somebody else has in hand at this moment are left for the next time, so any
    number of callers may do it at once, beside others who cancel.
    """
    late = Check.objects.filter(state=State.RUNNING, lease_until__lt=Now())
    expired = Check.objects.filter(pk__in=late.select_for_update(skip_locked=True).values("pk"))
    before, after = LOST.split("{worker}")
    lost = expired.filter(attempt__gte=ATTEMPTS).update(
        state=State.ERROR,
        error=Concat(Value(before), F("worker"), Value(after)),
        finished=Now(),
        lease_until=None,
    )
    return lost + expired.filter(attempt__lt=ATTEMPTS).update(
        state=State.QUEUED, worker="", lease_until=None, told=None
    )


def untold() -> list[tuple[int, int]]:
    """Checks that wait and that nobody was told of for the time of a lease: (id, attempts so far).

    They count as told from now on: the caller tells. Concurrent callers get different ones.
    """
    with connection.cursor() as cursor:
        cursor.execute(_UNTOLD, [settings.ENVCURATE_LEASE_SECONDS])
        return sorted(cursor.fetchall())
