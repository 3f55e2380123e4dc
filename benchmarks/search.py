"""The prover on the environments of the library, and on a sample of the published tasks, none with a plan.

`--every N` takes every N-th environment of the library alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from agents.pinning import pin
from agents.search import prove
from benchmarks.report import publish
from components.tau2 import folder, installed_data
from worlds.bundle import Bundle
from worlds.commands.prove import without_plan
from worlds.library import complete_domains, read
from worlds.toolsession import ToolSession
from worlds.world import World

LIBRARY = Path(__file__).parent.parent / "library"
PROCESSES = 2
SECONDS = 600.0
"""So that calls end a search and not the clock, however loaded the machine is."""
EVERY = 20
"""Of the published tasks every twentieth."""


def ours() -> Iterator[tuple[str, Bundle]]:
    """Every environment of the library with its domain, pinned as there, those of outside servers too."""
    for found in read(LIBRARY, complete_domains(LIBRARY)):
        for spec in found.all_environments():
            yield found.slug, found.bundle(spec)


def published() -> Iterator[tuple[str, Bundle]]:
    """A sample of the published tasks, pinned by their plans."""
    for domain in ("retail", "airline"):
        tasks = folder(domain, installed_data(domain), LIBRARY)
        for spec in tasks.all_environments()[::EVERY]:
            yield f"τ² {domain}", tasks.bundle(spec, pin(tasks.bundle(spec)))


def row(domain: str, bundle: Bundle) -> dict[str, Any]:
    """What is proved of one environment when its plan is taken away."""
    start = time.perf_counter()
    with ToolSession() as session:
        found = prove(World(without_plan(bundle)), session, seconds=SECONDS)
    return {
        "domain": domain,
        "intent": bundle.manifest.intent.slug,
        "records": bundle.manifest.records.slug,
        "toolservers": "+".join(ref.slug for ref in bundle.manifest.toolservers),
        "seed": bundle.manifest.seed,
        "solved": found.episode is not None,
        "calls": found.calls,
        "depth": found.depth,
        "seconds": round(time.perf_counter() - start, 2),
        "why": found.why,
    }


def reached(domain: str, mine: list[dict[str, Any]]) -> dict[str, Any]:
    """The share of a domain that is solved, and what it took."""
    solved = [each for each in mine if each["solved"]]
    return {
        "domain": domain,
        "environments": len(mine),
        "solved": len(solved),
        "share": round(len(solved) / len(mine), 3),
        "intents": len({each["intent"] for each in mine}),
        "intents_solved": len({each["intent"] for each in solved}),
        "without_any_call": sum(not each["calls"] for each in solved),
        "calls_median": statistics.median(each["calls"] for each in mine),
        "seconds_median": statistics.median(each["seconds"] for each in mine),
        "stopped_by_time": sum(bool(each["why"]) for each in mine),
    }


def part(number: int, every: int) -> list[tuple[int, dict[str, Any]]]:
    """The rows of each `PROCESSES`-th environment that is looked at, with their place in the whole."""
    chosen = list(enumerate([*islice(ours(), 0, None, every), *published()]))
    return [(place, row(domain, bundle)) for place, (domain, bundle) in chosen[number::PROCESSES]]


def headline(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The share of the library that is solved."""
    mine = [each for each in rows if not each["domain"].startswith("τ²")]
    solved = sum(each["solved"] for each in mine)
    count = sum(each["environments"] for each in mine)
    return {"environments": count, "solved": solved, "share": round(solved / count, 3)}


def main() -> None:
    """Search everywhere, and print what was reached."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--every", type=int, default=1, metavar="N")
    every = arguments.parse_args().every
    start = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        parts = pool.starmap(part, [(number, every) for number in range(PROCESSES)], chunksize=1)
    found = [each for _, each in sorted(chain(*parts), key=itemgetter(0))]
    grouped = groupby(found, itemgetter("domain"))
    rows = [reached(domain, list(mine)) for domain, mine in grouped]
    seconds = time.perf_counter() - start
    publish("search", seconds, {"every": every, **headline(rows)}, rows, searched=found)


if __name__ == "__main__":
    main()
