"""The prover on every environment of the calendars, and on a sample of the published tasks, none with a plan."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.pinning import pin
from agents.search import prove
from benchmarks.report import publish
from components.tau2 import folder, installed_data
from worlds.bundle import Bundle
from worlds.library import read
from worlds.toolsession import ToolSession
from worlds.world import World

LIBRARY = Path(__file__).parent.parent / "library"
EVERY = 20
"""Of the published tasks every twentieth."""


def calendars() -> list[Bundle]:
    """The calendars' environments, pinned as in the library, those of the outside server too."""
    found = read(LIBRARY / "meetings")[0]
    return [found.bundle(spec) for spec in found.all_environments()]


def published(domain: str) -> list[Bundle]:
    """A sample of a published domain's tasks, pinned by their plans."""
    tasks = folder(domain, installed_data(domain), LIBRARY)
    specs = tasks.all_environments()[::EVERY]
    return [tasks.bundle(spec, pin(tasks.bundle(spec))) for spec in specs]


def bare(bundle: Bundle) -> Bundle:
    """The same environment without a plan."""
    return replace(bundle, intent=bundle.intent.model_copy(update={"plans": {}}))


def row(domain: str, bundle: Bundle) -> dict[str, Any]:
    """What is proved of one environment when its plan is taken away."""
    start = time.perf_counter()
    with ToolSession() as session:
        found = prove(World(bare(bundle)), session)
    return {
        "domain": domain,
        "intent": bundle.manifest.intent.slug,
        "records": bundle.manifest.records.slug,
        "toolserver": bundle.manifest.toolservers[0].slug,
        "seed": bundle.manifest.seed,
        "solved": found.episode is not None,
        "calls": found.calls,
        "depth": found.depth,
        "seconds": round(time.perf_counter() - start, 2),
        "why": found.why,
    }


def headline(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Shares solved, and what it took, by domain."""
    found: dict[str, Any] = {}
    by_domain: dict[str, list[dict[str, Any]]] = {}
    for each in rows:
        by_domain.setdefault(each["domain"], []).append(each)
    for domain, mine in by_domain.items():
        intents = {each["intent"] for each in mine}
        solved = {each["intent"] for each in mine if each["solved"]}
        found[f"{domain}: environments solved"] = f"{sum(e['solved'] for e in mine)} of {len(mine)}"
        found[f"{domain}: share"] = round(sum(each["solved"] for each in mine) / len(mine), 3)
        found[f"{domain}: intents solved"] = f"{len(solved)} of {len(intents)}"
        idle = sum(each["solved"] and not each["calls"] for each in mine)
        found[f"{domain}: of these without any call"] = idle
        found[f"{domain}: calls, median"] = statistics.median(each["calls"] for each in mine)
        found[f"{domain}: seconds, median"] = statistics.median(each["seconds"] for each in mine)
        found[f"{domain}: stopped by time"] = sum(bool(each["why"]) for each in mine)
    return found


def main() -> None:
    """Search everywhere, and print what was reached."""
    start = time.perf_counter()
    rows = [row("meetings", bundle) for bundle in calendars()]
    for domain in ("retail", "airline"):
        rows += [row(f"τ² {domain}", bundle) for bundle in published(domain)]
    publish("search", time.perf_counter() - start, headline(rows), rows)


if __name__ == "__main__":
    main()
