"""What all rows of a τ² domain break as they stand, whether a task touches them or not."""

from __future__ import annotations

from typing import Any

from worlds.bundle import Bundle
from worlds.recordcheck import all_record_findings
from worlds.world import World

SHOWN = 3
"""Rows that are named of many."""


def resting(domain: str, bundle: Bundle) -> list[dict[str, Any]]:
    """Each invariant, field or reference that rows at rest break, with how many, and the first of them."""
    found: dict[str, list[str]] = {}
    tables: dict[str, str] = {}
    for item in all_record_findings(World(bundle)):
        table, key = item.evidence["table"], item.evidence["key"]
        rows = found.setdefault(item.symbol, [])
        if f"{table}/{key}" not in rows[-1:]:  # one row may break a field in several places
            rows.append(f"{table}/{key}")
        tables[item.symbol] = table
    texts = {each.id: each.text for each in bundle.domain.invariants}
    return [
        {
            "domain": domain,
            "symbol": symbol,
            "text": texts.get(symbol.rpartition(" ")[2], ""),
            "rows": len(places),
            "of": len(bundle.records.tables[tables[symbol]]),
            "first": places[:SHOWN],
        }
        for symbol, places in sorted(found.items())
    ]
