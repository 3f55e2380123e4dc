"""How well attribution names who is at fault, of the harmful faults that the checks detect (`detection.json`).

Each is planted again in a part of its domain, alone in the home as version 1; a round is run, its findings are gathered
into causes, and the one in most environments is attributed (`benchmarks/faults/attributed.py`).

    python -m benchmarks.attribution [--half development|heldout] [--every N] [--operator NAME]…

`--every N` takes every N-th fault of each half: a sample. Such runs print, and keep no file. `--fit` prints what a
score may be fitted to, a line for each suspect, of the development half alone. `--home DIR` keeps what was checked for
the next run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.faults.attributed import QUICK, STAGES, Bench, features
from benchmarks.faults.split import HALVES, HalfName
from benchmarks.home import scratch_home
from benchmarks.report import document, kept

PROCESSES = 2
Row = dict[str, Any]


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


def part(
    number: int, todo: Sequence[Row], stages: Sequence[str], home: Path | None
) -> list[tuple[int, Row]]:
    """The rows of each `PROCESSES`-th fault, with its place in the whole."""
    from django.core.management import call_command

    rows, benches = [], dict[str, Bench]()
    with scratch_home(home / str(number) if home else None):
        call_command("migrate", verbosity=0, interactive=False)
        for place, change in list(enumerate(todo))[number::PROCESSES]:
            if change["domain"] not in benches:
                benches.clear()  # one domain's pins at a time
                benches[change["domain"]] = Bench(change["half"], change["domain"])
            rows.append((place, benches[change["domain"]].row(change, stages)))
            print(f"\r{len(rows) * PROCESSES} of {len(todo)} ", end="", file=sys.stderr, flush=True)
    return rows


def measured(todo: Sequence[Row], stages: Sequence[str], home: Path | None) -> list[Row]:
    """Who is suspected of faults, in their order."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        asked = [(number, todo, stages, home) for number in range(PROCESSES)]
        parts = pool.starmap(part, asked, chunksize=1)
    return [row for _, row in sorted(chain(*parts), key=itemgetter(0))]


def main() -> None:
    """Plant everything, print who was suspected."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", choices=HALVES, help="only this one")
    arguments.add_argument("--every", type=int, default=1, metavar="N")
    arguments.add_argument(
        "--operator", action="append", metavar="NAME", help="only these, or faults of the catalogue"
    )
    arguments.add_argument("--quick", action="store_true", help="swap nothing")
    arguments.add_argument("--fit", action="store_true", help="print features; development only")
    arguments.add_argument("--home", type=Path, metavar="DIR", help="keep what was checked there")
    options = arguments.parse_args()
    if options.every < 1:
        arguments.error(f"--every {options.every}: give a number from 1 on")
    if options.fit and options.half != "development":
        arguments.error("--fit: a score is fitted to --half development alone")
    start = time.perf_counter()
    halves: Sequence[HalfName] = [options.half] if options.half else HALVES
    todo = [row for half in halves for row in faults(half)[:: options.every]]
    if options.operator:
        todo = [row for row in todo if row["name"] in options.operator]
    if not todo:
        arguments.error(
            f"--operator {', '.join(options.operator)}: no detected fault of that name is planted"
        )
    found = measured(todo, (QUICK,) if options.quick else STAGES, options.home)
    if options.fit:
        for row in found:
            for line in features(row):
                print(json.dumps(line, ensure_ascii=False))
        return
    seconds = time.perf_counter() - start
    print(json.dumps(document("attribution", seconds, {}, [], faults=found), indent=2))


if __name__ == "__main__":
    main()
