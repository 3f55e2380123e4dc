"""What workers are told. A message carries ids only, and may be lost or come twice."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import InterfaceError
from django.db import OperationalError as DatabaseGone
from django.utils import timezone
from kombu.exceptions import OperationalError

from triage import attribution, claims, faults, jobs, repairing, trials
from triage.models import Attribution, Check, Repair, Round, Trial
from triage.models.check import State
from triage.models.job import Job
from triage.work import work_off, worker_name

GROUP = 20
"""Checks a message: enough to share bodies between them, few enough to spread over processes."""

BUDGET = settings.ENVCURATE_TASK_SECONDS * 2 / 3
"""Seconds after which a task hands on what is left, so that the hard limit finds it done."""

LATELY = timedelta(minutes=10)
"""How long after it was gathered a round is looked at again."""


def shared(held: Trial) -> Iterator[jobs.Progress]:
    """Work on a trial with another worker's help, where there is one: it does well alone."""
    try:
        look_ahead.delay(held.pk)
    except OperationalError as error:
        logger.info("the broker does not answer (%s): nobody helps with %s", error, held)
    yield from trials.work(held)


JOBS: dict[str, tuple[type[Job], jobs.Work]] = {
    "attribution": (Attribution, attribution.work),
    "repair": (Repair, repairing.work),
    "trial": (Trial, shared),
}
"""Model name → the jobs of it, and how they are worked on."""

logger = logging.getLogger(__name__)


@shared_task(name="triage.tasks.run_job")
def run_job(name: str, pk: int) -> None:
    """Work on a job, as far as time allows."""
    model, work = JOBS[name]
    jobs.run(model, pk, worker_name(), work, BUDGET)
    go_on(name, pk)


@shared_task(name="triage.tasks.look_ahead")
def look_ahead(pk: int) -> None:
    """Help with a trial, as far as time allows."""
    trial = Trial.objects.filter(pk=pk).first()
    for _ in trials.look_ahead(trial, BUDGET) if trial is not None else ():
        pass


def go_on(name: str, pk: int) -> None:
    """Have tried what a repair proposed, one after the other while it is worth it."""
    for held in repairing.waiting_on(name, pk):
        repairing.advance(held)


@shared_task(name="triage.tasks.run_checks")
def run_checks(ids: list[int]) -> None:
    """Work off the checks `ids`, as far as time allows."""
    started = time.monotonic()
    for _ in work_off(ids, worker_name()):
        if time.monotonic() - started > BUDGET:
            waiting = Check.objects.filter(pk__in=ids, state=State.QUEUED).order_by("pk")
            tell(list(waiting.values_list("pk", flat=True)))
            break
    close_rounds()


def close_rounds() -> None:
    """Mark finished rounds as such, gather what they found into faults, and have repairs searched for where that is
    wanted. A round of which that cannot be done stays so, and stands in no other's way."""
    Round.objects.close()
    for made in Round.objects.filter(gathered=None).exclude(finished=None).order_by("pk"):
        _attempt(made, faults.gather, "could not be gathered into faults")
    # Whoever gathered a round may have been lost before anything was asked for.
    for made in Round.objects.filter(gathered__gte=timezone.now() - LATELY).order_by("pk"):
        _attempt(made, repairing.after_round, "has no repairs searched for")


def _attempt(made: Round, act: Callable[[Round], object], trouble: str) -> None:
    try:
        act(made)
    except (InterfaceError, DatabaseGone):
        raise
    except Exception:
        logger.exception("%s %s", made, trouble)


@shared_task(name="triage.tasks.reconcile")
def reconcile() -> None:
    """Mend what lost workers and lost messages left behind; harmless at any time, in any number."""
    claims.take_back()
    waiting = claims.untold()
    tell([pk for pk, attempts in waiting if not attempts])
    for pk, attempts in waiting:
        if attempts:
            tell(
                [pk]
            )  # alone: it has the whole time limit to itself, and takes nobody down with it
    for model, _ in JOBS.values():
        jobs.take_back(model)
        for pk in jobs.untold(model):
            jobs.tell(model, pk)
    trials.settle()
    for held in repairing.resting():
        repairing.advance(held)
    close_rounds()


def tell(ids: Sequence[int]) -> None:
    """Send messages with `ids`. When the broker does not answer, the reconciler tells later."""
    try:
        for start in range(0, len(ids), GROUP):
            run_checks.delay(list(ids[start : start + GROUP]))
    except OperationalError as error:
        logger.warning("the broker does not answer (%s): %d checks wait", error, len(ids))
        Check.objects.filter(pk__in=ids, state=State.QUEUED).update(told=None)
