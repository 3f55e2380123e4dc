"""Checking the 114 published retail tasks with the whole panel, on one core."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from agents import panel
from agents.pinning import pin
from benchmarks.report import publish
from components.tau2 import folder, installed_data
from worlds.bundle import Bundle
from worlds.check import check

LIBRARY = Path(__file__).parent.parent / "library"


def bundles() -> list[Bundle]:
    """Every published task as a pinned bundle."""
    published = folder("retail", installed_data("retail"), LIBRARY)
    plain = [published.bundle(spec) for spec in published.all_environments()]
    return [
        published.bundle(spec, pin(bundle))
        for spec, bundle in zip(published.all_environments(), plain, strict=True)
    ]


def main() -> None:
    """One pass over all of them; the sandbox's processes are bound to the same core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    ready = bundles()
    agents = panel()
    start = time.perf_counter()
    rows: list[dict[str, Any]] = []
    for bundle in ready:
        result = check(bundle, agents)
        rows.append(
            {
                "environment": bundle.manifest.intent.slug,
                "status": result.status,
                "episodes": len(result.episodes),
                "steps": sum(len(episode.steps) for episode in result.episodes),
                "ms": round(result.seconds * 1e3, 1),
            }
        )
    seconds = time.perf_counter() - start
    headline = {
        "environments": len(rows),
        "seconds": round(seconds, 2),
        "checks_per_second": round(len(rows) / seconds, 1),
    }
    publish("panel", seconds, headline, rows)


if __name__ == "__main__":
    main()
