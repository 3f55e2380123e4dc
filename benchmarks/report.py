"""The document that every benchmark prints and keeps beside itself."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
LOAD = os.getloadavg()[0]
"""Processes that wanted a core in the minute before we began."""


def machine() -> dict[str, Any]:
    """What this ran on; machines are shared, so compare ratios within one run."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load_before": round(LOAD, 1),
        "python": platform.python_version(),
    }


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """The median time of one run of `work`."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def publish(
    name: str, seconds: float, headline: dict[str, Any], rows: list[dict[str, Any]]
) -> None:
    """Print the document and keep it as `benchmarks/NAME.json`."""
    document = {
        "name": name,
        "machine": machine(),
        "seconds": round(seconds, 2),
        "headline": headline,
        "rows": rows,
    }
    text = json.dumps(document, indent=2)
    (FOLDER / f"{name}.json").write_text(text + "\n")
    print(text)
