"""How workers share out jobs (`triage.models.job.Job`), as they do checks: `triage.claims`.

A job's work is a generator that stores what it has done, yields how far it is, and can be gone on with by anybody
else from what is stored. So a job survives whoever works on it, hands itself on when its time is up, and a
cancelled one ends at its next step.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now
from kombu.exceptions import OperationalError as BrokerError

from components.actor import Actor
from triage.models.job import UNFINISHED_JOBS, Job, JobState
from triage.results import storable

ATTEMPTS = 3
"""Workers that a job may lose before it fails."""
LONGEST_ERROR = 4000
LOST = "its worker was lost three times: it ran into the time limit or took the process down"

Progress = tuple[int, int]
"""Parts done, and all of them."""
Work = Callable[[Any], Iterator[Progress]]

logger = logging.getLogger(__name__)


class JobLost(Exception):
    """The job is somebody else's now, or was cancelled: nothing more may be written for it."""


class JobFailed(Exception):
    """The work cannot be done; says why, to a person."""


class JobOver(ValueError):
    """The job has ended: there is nothing left to cancel."""


def queue(job: Job) -> None:
    """Tell workers of a job when the transaction commits."""
    transaction.on_commit(lambda: tell(type(job), job.pk))


def tell(model: type[Job], pk: int) -> None:
    """Send a message with a job's id. When the broker does not answer, the reconciler tells later."""
    try:
        arguments = [model._meta.model_name, pk]
        current_app.send_task("triage.tasks.run_job", arguments, priority=model.PRIORITY)
    except (BrokerError, OSError) as error:
        logger.warning("the broker does not answer (%s): %s %d waits", error, model.__name__, pk)
    else:
        model._default_manager.filter(pk=pk).update(told=Now())


def claim(model: type[Job], pk: int, worker: str) -> Any | None:
    """The job, claimed and committed; None when it does not wait."""
    with transaction.atomic(durable=True):
        waiting = model._default_manager.filter(pk=pk, state=JobState.QUEUED)
        if not waiting.update(
            state=JobState.RUNNING,
            worker=worker,
            attempt=F("attempt") + 1,
            lease_until=_lease(),
            started=Now(),
        ):
            return None
    return model._default_manager.get(pk=pk)


def renew(held: Job, done: int, total: int) -> None:
    """Note how far a job is, and keep it; who goes on with one begins at what was reached. Raises JobLost.

    Whoever comes further than all before shows that nothing in it kills workers: those lost so far count no longer.
    """
    reached = max(done, held.done)
    lost = {"lost": 0} if done > held.done else {}
    total = max(total, reached)
    if not _mine(held).update(done=reached, total=total, lease_until=_lease(), **lost):
        raise JobLost
    held.done, held.total = reached, total


def note(held: Job, **fields: Any) -> None:
    """Store fields of a job that is ours. Raises JobLost."""
    if not _mine(held).update(**fields):
        raise JobLost
    for name, value in fields.items():
        setattr(held, name, value)


@contextmanager
def finishing(held: Job) -> Iterator[None]:
    """A transaction that ends the job well, with all that is written in it, or writes nothing. Raises JobLost."""
    with transaction.atomic():
        if not _mine(held).update(state=JobState.DONE, finished=Now(), lease_until=None):
            raise JobLost
        held.state = JobState.DONE
        yield


def run(model: type[Job], pk: int, worker: str, work: Work, seconds: float | None = None) -> bool:
    """Claim a job and work on it, at most about `seconds` (then it waits again, and others are told); whether it was
    ours. Raises only when the database went away: then the lease lapses, and it is gone on with."""
    held = claim(model, pk, worker)
    if held is None:
        return False
    began = time.monotonic()
    try:
        for done, total in work(held):
            if held.state != JobState.RUNNING:
                continue
            renew(held, done, total)
            if seconds is not None and time.monotonic() - began > seconds:
                _hand_on(held)
                return True
        if held.state == JobState.RUNNING:
            with finishing(held):
                pass
    except JobLost:
        logger.info("%s %d was cancelled, or taken over", model.__name__, pk)
    except (InterfaceError, OperationalError):
        raise
    except JobFailed as error:
        fail(held, str(error))
    except Exception:  # noqa: BLE001  # whatever it was, the job must not wait for its lease
        fail(held, traceback.format_exc()[-LONGEST_ERROR:])
    return True


def fail(held: Job, error: str) -> bool:
    """End a job by trouble of ours; False when the claim was lost."""
    ended = _mine(held).update(
        state=JobState.FAILED, error=storable(error), finished=Now(), lease_until=None
    )
    return bool(ended)


def _hand_on(held: Job) -> None:
    if _mine(held).update(state=JobState.QUEUED, worker="", lease_until=None, told=None):
        tell(type(held), held.pk)


def cancel(actor: Actor, job: Job) -> None:
    """End a job before its time: what its worker brings later is refused. Raises JobOver."""
    rows = type(job)._default_manager.filter(pk=job.pk, state__in=UNFINISHED_JOBS)
    if not rows.update(
        state=JobState.CANCELLED, cancelled_by=actor, finished=Now(), lease_until=None
    ):
        raise JobOver(f"{job} has ended: there is nothing left to cancel")
    job.refresh_from_db()


def take_back(model: type[Job]) -> int:
    """Put jobs whose lease ran out back into the queue, or end them when that was the last attempt; how many."""
    with transaction.atomic():
        late = model._default_manager.filter(state=JobState.RUNNING, lease_until__lt=Now())
        locked = list(late.select_for_update(skip_locked=True).values_list("pk", "lost"))
        doomed = [pk for pk, lost in locked if lost + 1 >= ATTEMPTS]
        model._default_manager.filter(pk__in=doomed).update(
            state=JobState.FAILED, error=LOST, finished=Now(), lease_until=None
        )
        others = [pk for pk, lost in locked if lost + 1 < ATTEMPTS]
        model._default_manager.filter(pk__in=others).update(
            state=JobState.QUEUED, worker="", lease_until=None, told=None, lost=F("lost") + 1
        )
    return len(locked)


def untold(model: type[Job]) -> list[int]:
    """Jobs that wait and that nobody was told of for the time of a lease; they count as told from now on."""
    with transaction.atomic():
        since = Now() - _seconds()
        waiting = model._default_manager.filter(state=JobState.QUEUED)
        late = waiting.filter(told=None) | waiting.filter(told__lt=since)
        pks = list(late.select_for_update(skip_locked=True).values_list("pk", flat=True))
        model._default_manager.filter(pk__in=pks).update(told=Now())
    return pks


def _mine(held: Job) -> Any:
    return type(held)._default_manager.filter(
        pk=held.pk, state=JobState.RUNNING, worker=held.worker, attempt=held.attempt
    )


def _lease() -> Any:
    return Now() + _seconds()


def _seconds() -> timedelta:
    return timedelta(seconds=settings.ENVCURATE_LEASE_SECONDS)
