"""A round over everything, then the same again with nothing changed; on a PostgreSQL in a home of its own.

`--copies N` loads the library's meetings N times more under other names, to see how rounds grow.
"""

from __future__ import annotations

import argparse
import io
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.home import scratch_home
from benchmarks.report import publish

LIBRARY = Path(__file__).parent.parent / "library"
REPEATS = 5


def main() -> None:
    """Load, run a first round in this process, then the unchanged one several times."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--copies", type=int, default=0, metavar="N")
    copies = arguments.parse_args().copies
    started = time.perf_counter()
    with scratch_home():
        load(copies)
        first = timed_round()
        again = sorted((timed_round() for _ in range(REPEATS)), key=lambda row: row["seconds"])
        rows = [
            {"round": "first, in one process", **first},
            *({"round": "unchanged", **row} for row in again),
        ]
        listed = standings()
    headline = {
        "environments": first["environments"],
        "first_ms_per_environment": first["ms_per_environment"],
        "unchanged_ms_per_environment": again[REPEATS // 2]["ms_per_environment"],
        "unchanged_worst_ms_per_environment": again[-1]["ms_per_environment"],
        "standing_ms_per_environment": listed,
    }
    publish("roundspeed", time.perf_counter() - started, headline, rows)


def load(copies: int = 0) -> None:
    """The whole library, copies of its meetings, and every published τ² domain."""
    from django.core.management import call_command

    from components.load import load as load_folders
    from components.tau2 import PUBLICATIONS
    from worlds.library import complete_domains, read

    call_command("migrate", verbosity=0, interactive=False)
    folders = read(LIBRARY, complete_domains(LIBRARY))
    meetings = next(folder for folder in folders if folder.slug == "meetings")
    named = [replace(meetings, slug=f"meetings-{number}") for number in range(copies)]
    load_folders([*folders, *named], None, source="benchmark")
    for domain in PUBLICATIONS:
        call_command("import_tau2", domain=domain, stdout=io.StringIO())


def timed_round() -> dict[str, Any]:
    """One round from the wish to its numbers; what waits is worked off here."""
    from triage.models import Check, Round
    from triage.rounds import create_round, summary
    from triage.work import work_off

    start = time.perf_counter()
    made = create_round(None, queue=False)
    created = time.perf_counter()
    waiting = Check.objects.unfinished().filter(round=made).order_by("pk")
    for _ in work_off(list(waiting.values_list("pk", flat=True)), "benchmark"):
        pass
    Round.objects.close()
    worked = time.perf_counter()
    scope = summary(made)["environments"]
    end = time.perf_counter()
    return {
        "environments": scope,
        "known": made.checks.filter(was_known=True).count(),
        "seconds": round(end - start, 4),
        "creating": round(created - start, 4),
        "working": round(worked - created, 4),
        "summary": round(end - worked, 4),
        "ms_per_environment": round((end - start) / scope * 1e3, 3),
    }


def standings() -> float:
    """Milliseconds an environment to tell where every one stands, as lists ask for it."""
    from components.models import Environment
    from triage.standing import with_standing

    start = time.perf_counter()
    scope = len(with_standing(Environment.objects.all()).values_list("pk", "status"))
    return round((time.perf_counter() - start) / scope * 1e3, 3)


if __name__ == "__main__":
    main()
