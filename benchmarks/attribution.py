"""How well attribution names who is at fault, of the harmful faults that the checks detect (`detection.json`).

Each is planted again in a part of its domain, alone in the home as version 1; a round is run, its findings are gathered
into causes, and the one in most environments is attributed (`benchmarks/faults/attributed.py`). Then several at once
(`together.py`), and the published τ² tasks (`tau2_blame.py`).

    python -m benchmarks.attribution [--half development|heldout] [--every N] [--operator NAME]… [--sets] [--tau2]

`--every N` takes every N-th fault, or set, of each half: a sample. Such runs print, and keep no file. `--fit` fits the
weights of the score to the development half and prints them (`benchmarks/faults/fitting.py`). `--home DIR` keeps what
was checked for the next run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.faults import fitting, suspected, together
from benchmarks.faults.attributed import QUICK, STAGES, Bench
from benchmarks.faults.split import HALVES, HalfName, read_split
from benchmarks.home import scratch_home
from benchmarks.report import document, keep, kept
from components.tau2 import PUBLICATIONS

PROCESSES = 2
Row = dict[str, Any]
Job = dict[str, Any]
"""A row of `detection.json`, a set as of `together.sets`, or `{"tau2": DOMAIN}`."""


@dataclass(frozen=True)
class Setting:
    """How faults are looked at."""

    stages: Sequence[str] = STAGES
    home: Path | None = None
    """Where what was checked is kept; None = nowhere."""
    own: together.Own = field(default_factory=dict)
    """What is known of single faults."""


def faults(half: HalfName) -> list[Row]:
    """The harmful faults of a half that the checks detect, as rows of `detection.json`; without those that cannot even
    be loaded, which the loader says of the file itself."""
    return [
        row
        for row in kept("detection")["changes"]
        if row["half"] == half
        and row["harmful"]
        and row["detected"]
        and not row["rewrite"]
        and not row["alarms"][0].startswith("refused")
    ]


def sets(half: HalfName) -> list[Row]:
    """The sets of a half that are drawn."""
    return together.sets((half, domain) for domain in sorted(read_split().half(half).domains))


class Worker:
    """Does one job after another, with the bench of one domain at a time: its pins take room."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self._bench: tuple[str, Bench] | None = None

    def row(self, job: Job) -> Row | list[Row] | list[fitting.Example]:
        """What a job shows; of τ² several rows, for a fit examples."""
        if "tau2" in job:
            from benchmarks.faults import tau2_blame

            return tau2_blame.rows(job["tau2"])
        bench = self._at(job["half"], job["domain"])
        if "fit" in job:
            return bench.examples(job)
        if "size" not in job:
            return bench.row(job, self.setting.stages)
        changes = [row for row in faults(job["half"]) if row["domain"] == job["domain"]]
        swaps = self.setting.stages != (QUICK,)
        return together.row(bench, job, changes, self.setting.own, swaps=swaps)

    def _at(self, half: HalfName, domain: str) -> Bench:
        if self._bench is None or self._bench[0] != domain:
            self._bench = domain, Bench(half, domain)
        return self._bench[1]


def part(number: int, todo: Sequence[Job], setting: Setting) -> list[tuple[int, Any]]:
    """What each `PROCESSES`-th job shows, with its place in the whole."""
    from django.core.management import call_command

    rows = []
    with scratch_home(setting.home / str(number) if setting.home else None):
        call_command("migrate", verbosity=0, interactive=False)
        worker = Worker(setting)
        for place, job in list(enumerate(todo))[number::PROCESSES]:
            rows.append((place, worker.row(job)))
            done = min(len(rows) * PROCESSES, len(todo))
            print(f"\r{done} of {len(todo)} ", end="", file=sys.stderr, flush=True)
    return rows


def measured(todo: Sequence[Job], setting: Setting) -> list[Any]:
    """What jobs show, in their order."""
    if not todo:
        return []
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        asked = [(number, todo, setting) for number in range(PROCESSES)]
        parts = pool.starmap(part, asked, chunksize=1)
    return [row for _, row in sorted(chain(*parts), key=itemgetter(0))]


def said(start: float, every: int, rows: list[Row], several: list[Row], tasks: list[Row]) -> Row:
    """The document."""
    return document(
        "attribution",
        time.perf_counter() - start,
        {"every": every, **suspected.headline(rows, several, tasks)},
        suspected.table(rows),
        confirmed=suspected.confirmed(rows),
        calibration=suspected.calibrated(rows),
        reliability=suspected.reliable(rows),
        at_once=together.table(several),
        faults=[suspected.brief(row) for row in rows],
        sets=[together.brief(row) for row in several],
        tau2=tasks,
    )


def own(rows: Sequence[Row]) -> together.Own:
    """The environments that single faults break."""
    return {(row["domain"], row["name"], row["place"]): row["failing"] for row in rows}


def main() -> None:
    """Plant everything, print who was suspected."""
    options = _options()
    start = time.perf_counter()
    halves: Sequence[HalfName] = [options.half] if options.half else HALVES
    setting = Setting((QUICK,) if options.quick else STAGES, options.home)
    parts = {name for name in ("sets", "tau2") if getattr(options, name)}
    singles = [row for half in halves for row in faults(half)[:: options.every]]
    if options.operator:
        singles = [row for row in singles if row["name"] in options.operator]
    if options.fit:
        examples = measured([row | {"fit": True} for row in singles], setting)
        print(json.dumps(fitting.report(list(chain(*examples))), indent=2))
        return
    found = measured([] if parts else singles, setting)
    is_all = not (parts or options.half or options.operator or options.quick or options.every > 1)
    several: list[Row] = []
    if is_all or "sets" in parts:
        asked = [row for half in halves for row in sets(half)[:: options.every]]
        several = measured(asked, Setting(setting.stages, setting.home, own(found)))
    tasks: list[Row] = []
    if is_all or "tau2" in parts:
        tasks = list(chain(*measured([{"tau2": name} for name in PUBLICATIONS], setting)))
    made = said(start, options.every, found, several, tasks)
    if is_all:
        keep(made)
    print(json.dumps(made, indent=2, ensure_ascii=False))


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", choices=HALVES, help="only this one")
    arguments.add_argument("--every", type=int, default=1, metavar="N")
    arguments.add_argument(
        "--operator", action="append", metavar="NAME", help="only these, or faults of the catalogue"
    )
    arguments.add_argument("--sets", action="store_true", help="only several faults at once")
    arguments.add_argument("--tau2", action="store_true", help="only the published tasks")
    arguments.add_argument("--quick", action="store_true", help="swap nothing")
    arguments.add_argument("--fit", action="store_true", help="fit the score; development only")
    arguments.add_argument("--home", type=Path, metavar="DIR", help="keep what was checked there")
    options = arguments.parse_args()
    if options.every < 1:
        arguments.error(f"--every {options.every}: give a number from 1 on")
    if options.fit and (options.half != "development" or options.sets or options.tau2):
        arguments.error("--fit: a score is fitted to single faults of --half development alone")
    known = {row["name"] for half in HALVES for row in faults(half)}
    if unknown := sorted(set(options.operator or ()) - known):
        arguments.error(
            f"--operator {', '.join(unknown)}: no detected fault of that name is planted"
        )
    return options


if __name__ == "__main__":
    main()
