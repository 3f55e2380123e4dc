"""What repairs that propose themselves make of a library, round by round.

The library as `make demo` plants it (`benchmarks/demo.yaml`), checked with search as the demo does: repairs of every
open fault are searched for, `review --auto` approves, the next round checks, until nothing moves, five times at most.
Then the published τ² tasks. What they say is *given*, so nothing of it is approved by itself: here, on a copy, the best
proposal of each fault that breaks nothing and weakens nothing is approved with an override, and named with what
defends it.

    python -m benchmarks.rounds [--of demo|tau2] [--domain D]… [--seconds S]

With `--of`, `--domain` (of the demo) or other seconds for each search it prints, and keeps no file.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.demonstration import demonstration
from benchmarks.faults.repaired import SECONDS
from benchmarks.home import scratch_home
from benchmarks.report import document, keep
from benchmarks.workers import running
from components.tau2 import PUBLICATIONS
from worlds.library import complete_domains

if TYPE_CHECKING:
    from benchmarks.turning import Turned

WORKERS = 2
OF = ("demo", "tau2")
Row = dict[str, Any]


def demo(domains: Sequence[str], seconds: float) -> Turned:
    """Turn the handle on the library as the demo plants it."""
    from benchmarks.turning import Handle, automatically
    from components.load import load

    load(demonstration(domains), None, source="library")
    return Handle("demo", domains, automatically, seconds).turned()


def tau2(seconds: float) -> Turned:
    """Turn it on the published tasks."""
    from django.core.management import call_command

    from benchmarks.turning import Handle, overriding

    for published in PUBLICATIONS:
        call_command("import_tau2", domain=published, stdout=io.StringIO())
    domains = [f"tau2-{published}" for published in PUBLICATIONS]
    return Handle("tau2", domains, overriding, seconds).turned()


def headline(found: dict[str, Turned]) -> Row:
    """Solvability, a number a round; and what trials cost and spare."""
    said: Row = {}
    for of, prefix in zip(OF, ("", "tau2_"), strict=True):
        if of not in found:
            continue
        turned = found[of]
        later = turned.rounds[1:]
        taken = turned.seconds_trials
        said |= {
            f"{prefix}solvability": [_rounded(each) for each in turned.solvability],
            f"{prefix}approved": len(turned.approvals),
            f"{prefix}moved": sum(
                row["fixed"] + row["broken"] + row["other"] for row in turned.approvals
            ),
            f"{prefix}checks_run_later": sum(row["checks_run"] for row in later),
            f"{prefix}tried_before": sum(row["tried_before"] for row in later),
            f"{prefix}tried_run_again": sum(row["tried_run_again"] for row in later),
            f"{prefix}trials_of_a_fault_median_seconds": _rounded(statistics.median(taken))
            if taken
            else None,
            f"{prefix}trials_of_a_fault_worst_seconds": _rounded(max(taken)) if taken else None,
        }
    return said


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)


def said(start: float, found: dict[str, Turned]) -> Row:
    """The document."""
    return document(
        "rounds",
        time.perf_counter() - start,
        headline(found),
        [row for each in found.values() for row in each.rounds],
        approvals=[row for each in found.values() for row in each.approvals],
    )


def main() -> None:
    """Load, turn, print."""
    options = _options()
    start = time.perf_counter()
    found: dict[str, Turned] = {}
    with scratch_home():
        from django.core.management import call_command

        call_command("migrate", verbosity=0, interactive=False)
        with running(WORKERS):
            if options.of != "tau2":
                domains = options.domain or complete_domains(LIBRARY)
                found["demo"] = demo(domains, options.seconds)
            if options.of != "demo":
                found["tau2"] = tau2(options.seconds)
    made = said(start, found)
    if not (options.of or options.domain) and options.seconds == SECONDS:
        keep(made)
    print(json.dumps(made, indent=2, ensure_ascii=False))


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--of", choices=OF, help="only this")
    known = complete_domains(LIBRARY)
    arguments.add_argument(
        "--domain", action="append", choices=known, help="of the demo: only these"
    )
    arguments.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help="for each search"
    )
    options = arguments.parse_args()
    if not 0 < options.seconds <= 600:
        arguments.error(f"--seconds {options.seconds:g}: give a number up to 600")
    return options


if __name__ == "__main__":
    main()
