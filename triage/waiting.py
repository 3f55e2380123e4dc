"""Waiting until workers have finished something, and noticing when there are none."""

from __future__ import annotations

import time
from collections.abc import Callable

from celery import current_app
from kombu.exceptions import OperationalError

from triage.models import Round
from triage.rounds import Progress, progress
from worlds.counted import counted

LOOK = 0.2
"""Seconds between looks at the database."""

PATIENCE = 6.0
"""Seconds without progress and without an answer from any worker after which we stop waiting."""


class NobodyWorks(RuntimeError):
    """No worker answers: what was asked for stays queued."""


def wait(made: Round, show: Callable[[Progress], None]) -> None:
    """Return when every check of the round has ended; `show` is called at each look. Raises NobodyWorks."""
    wait_until(
        lambda: progress(made),
        show,
        lambda now: (
            f"{made} stays queued with {counted(now['total'] - now['done'], 'check')}, and is worked off"
        ),
    )


def wait_until(
    look: Callable[[], Progress],
    show: Callable[[Progress], None],
    left: Callable[[Progress], str],
) -> None:
    """Return when `look` says that all is done; `show` is called at each look, `left` says what becomes of the rest
    when no worker is there. Raises NobodyWorks."""
    done, sign = -1, time.monotonic()
    while True:
        now = look()
        show(now)
        if now["done"] == now["total"]:
            return
        if now["done"] != done:
            done, sign = now["done"], time.monotonic()
        elif time.monotonic() - sign > 1 and is_anyone_there():
            sign = time.monotonic()
        elif time.monotonic() - sign > PATIENCE:
            raise NobodyWorks(
                "no worker answers: start one with `celery -A envcurate worker --beat`, or run it here: --inline; "
                f"{left(now)} when a worker is there"
            )
        time.sleep(LOOK)


def is_anyone_there() -> bool:
    """Whether a worker answers within a second, however busy it is."""
    with current_app.connection_for_write() as broker:
        trouble: tuple[type[BaseException], ...] = (
            OperationalError,
            *broker.connection_errors,
            *broker.channel_errors,
        )
        try:
            return bool(current_app.control.ping(timeout=1.0, limit=1, connection=broker))
        except trouble:
            return False  # no broker, no workers
