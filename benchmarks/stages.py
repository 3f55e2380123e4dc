"""What each stage of a check takes, in time and memory, for each domain that comes with Envcurate; and the
164 published τ² tasks, wholly checked, by two processes.

Memory is what Python allocated at most during a stage beyond what stood when it began (`tracemalloc`, in a pass
of its own, since it slows everything down): for rows, indexes and episodes, without the sandbox's processes.
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from agents import panel
from agents.pinning import pin
from agents.search import prove
from benchmarks.panel import LIBRARY
from benchmarks.report import publish
from components.tau2 import folder, installed_data
from worlds.bundle import Bundle
from worlds.check import Watch, check
from worlds.commands.prove import without_plan
from worlds.library import DomainFolder, complete_domains, read
from worlds.solving import Prover
from worlds.toolserver_body import ToolServerBody

PROCESSES = 2
WEIGHED = 10
"""Environments of a domain whose memory is looked at."""
PROVEN = 4
"""Of these, those that are proven without their plans: each takes seconds."""
STAGES = ("static", "agents", "controls", "soundness", "solving")
"""The last runs only where no plan leads: on a few environments, with their plans taken away."""


def folders() -> dict[str, DomainFolder]:
    """Every domain by name."""
    published = {f"tau2-{name}": folder(name, installed_data(name), LIBRARY) for name in TAU2}
    ours = {each.slug: each for each in read(LIBRARY, complete_domains(LIBRARY))}
    return {**ours, **published}


TAU2 = ("retail", "airline")


def bundles(domain: DomainFolder) -> Iterator[Bundle]:
    """The environments of a domain whose tools are our own, pinned."""
    for spec in domain.all_environments():
        bundle = domain.bundle(spec)
        if all(isinstance(body, ToolServerBody) for body in bundle.toolservers):
            yield domain.bundle(spec, bundle.manifest.pin or pin(bundle))


class Weighing(Watch):
    """A watch that also weighs: `peaks` has the bytes of each lap."""

    def __init__(self) -> None:
        super().__init__()
        self.peaks: dict[str, list[int]] = {}

    @contextmanager
    def lap(self, name: str) -> Iterator[None]:
        """Note what a with block took, and allocated at most."""
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        with super().lap(name):
            yield
        self.peaks.setdefault(name, []).append(tracemalloc.get_traced_memory()[1] - before)


def stage_of(lap: str) -> str:
    """A lap's stage: all agents are one."""
    return lap if lap in STAGES else "agents"


def few(ready: Sequence[Bundle]) -> Sequence[Bundle]:
    """Some of them, from all parts of the list."""
    return ready[:: max(1, len(ready) // WEIGHED)]


def times(ready: Sequence[Bundle]) -> dict[str, list[float]]:
    """Stage → seconds of each check in which it ran."""
    found: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for bundle in ready:
        laps = check(bundle, panel()).times
        for stage in STAGES[:-1]:
            found[stage].append(sum(sum(laps[lap]) for lap in laps if stage_of(lap) == stage))
    for bundle in few(ready)[:PROVEN]:
        found["solving"] += check(without_plan(bundle), panel(), prove).times.get("solving", [])
    return found


def peaks(ready: Sequence[Bundle]) -> dict[str, int]:
    """Stage → the most bytes of any of a few checks; what is kept for all is made before."""
    found = dict.fromkeys(STAGES, 0)
    tracemalloc.start()
    for bundle in few(ready):
        _weigh(found, bundle, None)
    for bundle in few(ready)[:PROVEN]:
        _weigh(found, without_plan(bundle), prove)
    tracemalloc.stop()
    return found


def _weigh(found: dict[str, int], bundle: Bundle, prover: Prover | None) -> None:
    watch = Weighing()
    check(bundle, panel(), prover, watch)
    for lap, sizes in watch.peaks.items():
        found[stage_of(lap)] = max(found[stage_of(lap)], *sizes)


def rows(name: str, ready: Sequence[Bundle]) -> Iterator[dict[str, Any]]:
    """A domain's figures, by stage."""
    taken, weighed = times(ready), peaks(ready)
    whole = sum(sum(taken[stage]) for stage in STAGES[:-1])
    for stage, seconds in taken.items():
        yield {
            "domain": name,
            "environments": len(seconds),
            "stage": stage,
            "median_ms": round(statistics.median(seconds) * 1e3, 1),
            "most_ms": round(max(seconds) * 1e3, 1),
            "share": round(sum(seconds) / whole, 2) if stage != "solving" else None,
            "peak_MB": round(weighed[stage] / 1e6, 2),
        }


def check_part(part: int) -> int:
    """Check every `PROCESSES`-th published task, from nothing; how many there were."""
    every = [bundle for name in TAU2 for bundle in bundles(folders()[f"tau2-{name}"])]
    for bundle in every[part::PROCESSES]:
        check(bundle, panel())
    return len(every[part::PROCESSES])


def main() -> None:
    """Stage by stage on one core, then all published tasks at once on two."""
    start = time.perf_counter()
    found = [row for name, domain in folders().items() for row in rows(name, [*bundles(domain)])]
    began = time.perf_counter()
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        tasks = sum(pool.map(check_part, range(PROCESSES)))
    tau2 = time.perf_counter() - began
    headline = {
        "tau2_tasks": tasks,
        "tau2_seconds_all_stages_two_processes": round(tau2, 1),
    }
    publish("stages", time.perf_counter() - start, headline, found)


if __name__ == "__main__":
    main()
