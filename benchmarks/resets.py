"""What a reset costs as the records grow: the overlay beside a deep-copied dict."""

from __future__ import annotations

import copy
import time
from typing import Any

from benchmarks.report import median_seconds, publish
from worlds.domain import Domain
from worlds.records import Base, Records
from worlds.recordset import Recordset

SIZES = (100, 1_500, 10_000, 100_000)
WRITES = 10
DOMAIN = Domain.parse({"tables": {"orders": {"key": "id"}}})


def rows(count: int) -> list[dict[str, Any]]:
    """Rows about as large as an order of a shop."""
    return [
        {
            "id": f"o{number}",
            "status": "pending",
            "items": [{"sku": f"s{number}-{k}", "price": 9.5, "options": {"c": k}} for k in "abc"],
        }
        for number in range(count)
    ]


def overlay_episode(base: Base) -> None:
    """A reset and ten writes."""
    records = Records(base)
    for number in range(WRITES):
        row = records.get("orders", f"o{number}")
        if row is not None:
            records.put("orders", f"o{number}", {**row, "status": "cancelled"})


def copied_episode(tables: dict[str, dict[str, Any]]) -> None:
    """The same on a deep copy of everything."""
    state = copy.deepcopy(tables)
    for number in range(WRITES):
        state["orders"][f"o{number}"]["status"] = "cancelled"


def measure(count: int) -> dict[str, Any]:
    """One size: the median of the two ways, in milliseconds."""
    recordset = Recordset.parse({"tables": {"orders": rows(count)}})
    base = Base(DOMAIN, recordset)
    plain = {"orders": {row["id"]: row for row in rows(count)}}
    overlay = median_seconds(lambda: overlay_episode(base), 200)
    copied = median_seconds(lambda: copied_episode(plain), 3)
    return {
        "rows": count,
        "overlay_ms": round(overlay * 1e3, 4),
        "deep_copy_ms": round(copied * 1e3, 3),
        "ratio": round(copied / overlay),
    }


def main() -> None:
    """Measure every size."""
    start = time.perf_counter()
    measured = [measure(count) for count in SIZES]
    growth = measured[-1]["overlay_ms"] / measured[0]["overlay_ms"]
    headline = {
        "reset_growth_100_to_100000_rows": round(growth, 2),
        "deep_copy_over_overlay_1500_rows": measured[1]["ratio"],
    }
    publish("resets", time.perf_counter() - start, headline, measured)


if __name__ == "__main__":
    main()
