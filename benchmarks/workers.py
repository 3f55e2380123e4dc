"""Whole rounds: in one process, through one Celery worker and through two, and one with nothing changed.

Everything is real: PostgreSQL and Valkey in a scratch home of their own, the library's `meetings` and the
published retail tasks, workers of one process each. The two services share the cores with the workers.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.home import scratch_home
from benchmarks.panel import LIBRARY
from benchmarks.report import median_seconds, publish

if TYPE_CHECKING:
    from triage.models import Round

WORKERS = (1, 2)
ROUNDS = 3
WARM = 40
"""Checks by which a new worker meets the bodies that it will need."""
UNCHANGED = 9
"""How often a round with nothing changed is created."""
LONGEST = 600.0


def load_library() -> None:
    """The two domains that come with Envcurate."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False)
    quiet = {"stdout": open(os.devnull, "w")}  # noqa: SIM115, PTH123 - for as long as this process
    call_command("library", "load", str(LIBRARY / "meetings"), **quiet)
    call_command("import_tau2", domain="retail", **quiet)


@contextmanager
def running(workers: int) -> Iterator[None]:
    """So many workers of one process each, all of which answer."""
    from celery import current_app

    log = Path(os.environ["ENVCURATE_HOME"], "log", "workers.log")
    command = [sys.executable, "-m", "celery", "-A", "envcurate", "worker", "--concurrency", "1"]
    command += ["--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--hostname"]
    with log.open("ab") as out:
        started = [
            subprocess.Popen(
                [*command, f"bench-{n}@here"], cwd=LIBRARY.parent, stdout=out, stderr=out
            )
            for n in range(workers)
        ]
    try:
        _until(lambda: len(current_app.control.ping(timeout=0.5) or ()) == workers)
        yield
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(30)


def forget() -> None:
    """Rounds and results, so that all is run again."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE triage_round, triage_result CASCADE")


def through_workers(sample: int | None = None) -> float:
    """Seconds of a round that workers do."""
    from triage.models import Round
    from triage.rounds import create_round
    from triage.scope import Scope

    forget()
    start = time.perf_counter()
    made = create_round(None, Scope(sample=sample))
    _until(lambda: Round.objects.filter(pk=made.pk, finished__isnull=False).exists())
    return _seconds_of_sound(made, start)


def in_this_process() -> float:
    """Seconds of a round that is done here."""
    from triage.models import Check, Round
    from triage.rounds import create_round
    from triage.work import work_off, worker_name

    forget()
    start = time.perf_counter()
    made = create_round(None, queue=False)
    for _ in work_off(list(Check.objects.values_list("pk", flat=True)), worker_name()):
        pass
    Round.objects.close()
    return _seconds_of_sound(made, start)


def _seconds_of_sound(made: Round, start: float) -> float:
    from triage.rounds import summary

    seconds = time.perf_counter() - start
    if errors := summary(made)["errors"]:
        sys.exit(f"{errors} checks ended in error: the figures would mean nothing")
    return seconds


def measure() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The headline, and a row for each number of workers."""
    from components.models import Environment
    from triage.rounds import create_round

    environments = Environment.objects.count()
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):  # in turn, so that what else the machine does meets all alike
        found["this process"].append(in_this_process())
        for workers in WORKERS:
            with running(workers):
                through_workers(sample=WARM)
                found[f"{workers} worker{'s' * (workers > 1)}"].append(through_workers())
    medians = {by: statistics.median(seconds) for by, seconds in found.items()}
    unchanged = median_seconds(lambda: create_round(None), UNCHANGED)
    rows = [
        {
            "by": by,
            "environments": environments,
            "seconds": round(seconds, 2),
            "checks_per_second": round(environments / seconds, 1),
        }
        for by, seconds in medians.items()
    ]
    headline = {
        **{f"checks_per_second, {row['by']}": row["checks_per_second"] for row in rows},
        "two workers over one": round(medians["1 worker"] / medians["2 workers"], 2),
        "unchanged round, ms an environment": round(unchanged * 1e3 / environments, 2),
    }
    return headline, rows


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"it did not happen within {LONGEST:.0f} s: see the workers' log")
        time.sleep(0.02)


def main() -> None:
    """Load, run, publish."""
    start = time.perf_counter()
    with scratch_home():
        load_library()
        headline, rows = measure()
    publish("workers", time.perf_counter() - start, headline, rows)


if __name__ == "__main__":
    main()
