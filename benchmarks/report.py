"""The document that every benchmark prints and keeps beside itself."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
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


def document(
    name: str, seconds: float, headline: dict[str, Any], rows: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    """What a benchmark says: `{name, machine, seconds, headline: {metric: value}, rows}`, and more lists of its own."""
    return {
        "name": name,
        "machine": machine(),
        "seconds": round(seconds, 2),
        "headline": headline,
        **more,
        "rows": rows,
    }


def keep(said: dict[str, Any], folder: Path = FOLDER) -> None:
    """Keep a document as `benchmarks/NAME.json`; where that cannot be written (an installation), say so."""
    path = folder / f"{said['name']}.json"
    try:
        with NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
        Path(file.name).chmod(0o644)
        Path(file.name).replace(path)  # never half of one, whoever reads or writes it too
    except OSError as error:
        print(f"{path}: {error.strerror}: the figures are printed only", file=sys.stderr)


def kept(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    """The document that a benchmark left; raises FileNotFoundError."""
    said: dict[str, Any] = json.loads((folder / f"{name}.json").read_text())
    return said


def publish(
    name: str, seconds: float, headline: dict[str, Any], rows: list[dict[str, Any]], **more: Any
) -> None:
    """Print a document and keep it; the arguments are those of `document`."""
    said = document(name, seconds, headline, rows, **more)
    keep(said)
    print(json.dumps(said, indent=2, ensure_ascii=False))
