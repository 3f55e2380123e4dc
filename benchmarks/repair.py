"""How often the proposal that ranks first repairs a planted fault, of harmful faults that the checks detect.

Of the faults that `benchmarks.attribution` looks at a hundred are drawn, 70 of the held-out half and 30 of the other,
of each kind as many as of every other as far as there are. Each is planted again, alone in the home as version 1; a
round is run, the cause in most environments attributed, and a repair searched for, for 30 seconds; then its best
proposal is judged by its trial, by answer keys and by fixed sequences of calls (`benchmarks/faults/repaired.py`,
`judged.py`).

    python -m benchmarks.repair [--half development|heldout] [--every N] [--operator NAME]… [--all] [--quick]

Held-out faults are searched twice, the second time with an earlier version and siblings at hand. `--every N` takes
every N-th of those drawn, `--operator` all of a name, drawn or not, `--all` all; `--quick` leaves out the second
search. Such runs print, and keep no file. Of held-out faults there are counts alone, kept or printed. `--home DIR`
keeps what was checked and the rows that were come to, and the next run of the same code goes on from there.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.attribution import faults
from benchmarks.faults import mended
from benchmarks.faults.attributed import ALONE, Bench
from benchmarks.faults.repaired import SECONDS, STAGES, Repairer
from benchmarks.faults.split import HALVES, HalfName
from benchmarks.faults.stratified import drawn
from benchmarks.home import scratch_home
from benchmarks.journal import Journal
from benchmarks.report import document, keep

PROCESSES = 2
SEARCHES: Mapping[HalfName, Sequence[str]] = {"heldout": STAGES, "development": (ALONE,)}
DRAWN: Mapping[HalfName, int] = {"heldout": 70, "development": 30}
Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """How faults are looked at."""

    searches: Mapping[HalfName, Sequence[str]] = field(default_factory=lambda: SEARCHES)
    seconds: float = SECONDS
    home: Path | None = None
    """Where what was checked is kept; None = nowhere."""


def part(number: int, todo: Sequence[Row], setting: Setting) -> list[tuple[int, Row]]:
    """What comes of each `PROCESSES`-th fault, with its place in the whole."""
    from django.core.management import call_command

    rows = []
    known: tuple[str, Repairer] | None = None  # one domain at a time: its pins and keys take room
    journal = Journal(setting.home)
    with scratch_home(setting.home / str(number) if setting.home else None):
        call_command("migrate", verbosity=0, interactive=False)
        for place, change in list(enumerate(todo))[number::PROCESSES]:
            searches = setting.searches[change["half"]]
            asked = {"change": change, "searches": searches, "seconds": setting.seconds}
            if (row := journal.row(asked)) is None:
                if known is None or known[0] != change["domain"]:
                    bench = Bench(change["half"], change["domain"])
                    known = change["domain"], Repairer(bench, setting.seconds)
                row = known[1].row(change, searches)
                journal.add(asked, row)
            rows.append((place, row))
            done = min(len(rows) * PROCESSES, len(todo))
            print(f"\r{done} of {len(todo)} ", end="", file=sys.stderr, flush=True)
    return rows


def measured(todo: Sequence[Row], setting: Setting) -> list[Row]:
    """What comes of faults, in their order."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        asked = [(number, todo, setting) for number in range(PROCESSES)]
        parts = pool.starmap(part, asked, chunksize=1)
    return [row for _, row in sorted(chain(*parts), key=itemgetter(0))]


def said(every: int, setting: Setting, rows: Sequence[Row]) -> Row:
    """The document."""
    return document(
        "repair",
        sum(row["seconds"] for row in rows) / PROCESSES,  # whichever run came to them
        {"every": every, "seconds_allowed": setting.seconds, **mended.headline(rows)},
        mended.table(rows),
        operators=mended.by_operator(rows),
        reasons=mended.reasons(rows),
        faults=mended.brief(rows),
    )


def chosen(options: argparse.Namespace) -> list[Row]:
    """The faults that are planted, as rows of `detection.json`."""
    halves: Sequence[HalfName] = [options.half] if options.half else HALVES
    found = []
    for half in halves:
        every = faults(half)
        if options.operator:
            found += [row for row in every if row["name"] in options.operator][:: options.every]
        else:
            found += (every if options.all else drawn(every, DRAWN[half]))[:: options.every]
    return found


def main() -> None:
    """Plant, have repaired, print what came of it."""
    options = _options()
    searches = dict.fromkeys(HALVES, (ALONE,)) if options.quick else SEARCHES
    setting = Setting(searches, options.seconds, options.home)
    made = said(options.every, setting, measured(chosen(options), setting))
    is_some = options.half or options.operator or options.all or options.quick
    if not is_some and options.every == 1 and options.seconds == SECONDS:
        keep(made)
    print(json.dumps(made, indent=2, ensure_ascii=False))


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", choices=HALVES, help="only this one")
    arguments.add_argument("--every", type=int, default=1, metavar="N")
    arguments.add_argument(
        "--operator", action="append", metavar="NAME", help="only these, or faults of the catalogue"
    )
    arguments.add_argument("--all", action="store_true", help="those that are not drawn, too")
    arguments.add_argument(
        "--quick", action="store_true", help="leave out the second search, with stand-ins"
    )
    arguments.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="S", help="for each search"
    )
    arguments.add_argument("--home", type=Path, metavar="DIR", help="keep what was checked there")
    options = arguments.parse_args()
    if options.every < 1:
        arguments.error(f"--every {options.every}: give a number from 1 on")
    if not 0 < options.seconds <= 600:
        arguments.error(f"--seconds {options.seconds:g}: give a number up to 600")
    halves = [options.half] if options.half else HALVES
    known = {row["name"] for half in halves for row in faults(half)}
    if unknown := sorted(set(options.operator or ()) - known):
        arguments.error(
            f"--operator {', '.join(unknown)}: no detected fault of that name is planted"
        )
    return options


if __name__ == "__main__":
    main()
