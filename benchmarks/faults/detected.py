"""Shares of what was planted that was found, by half, kind and operator, with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

Row = dict[str, Any]

Z = 1.959964
"""Of a 95% interval."""
KINDS = ("records", "rule", "toolserver", "intent", "domain")


def wilson(part: int, whole: int) -> tuple[float, float] | None:
    """The 95% interval of a share: E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927). None of nothing."""
    if not whole:
        return None
    share, extra = part / whole, Z * Z / whole
    middle = share + extra / 2
    spread = Z * sqrt(share * (1 - share) / whole + extra / whole / 4)
    low, high = (middle - spread) / (1 + extra), (middle + spread) / (1 + extra)
    return max(low, 0.0), min(high, 1.0)


def shares(rows: Iterable[Row]) -> Row:
    """What was found of harmful changes, and complained of in rewrites and in faults that do no harm, of `rows`."""
    mine = list(rows)
    harmful = [row for row in mine if row["harmful"]]
    rewrites = [row for row in mine if row["rewrite"] and not row["harmful"]]
    harmless = [row for row in mine if not row["rewrite"] and not row["harmful"]]
    return {
        **_share("harmful", "detected", harmful),
        **_share("rewrites", "alarms", rewrites),
        "harmless": len(harmless),
        "harmless_alarms": sum(row["detected"] for row in harmless),
    }


def _share(whole: str, part: str, rows: list[Row]) -> Row:
    found = sum(row["detected"] for row in rows)
    bounds = wilson(found, len(rows))
    return {
        whole: len(rows),
        part: found,
        f"{part}_share": round(found / len(rows), 3) if rows else None,
        f"{part}_95": f"{bounds[0]:.3f}–{bounds[1]:.3f}" if bounds else None,
    }


def table(rows: list[Row]) -> list[Row]:
    """A row for each half as a whole and for each kind in it; the catalogue apart."""
    found = []
    for half in dict.fromkeys(row["half"] for row in rows):
        mine = [row for row in rows if row["half"] == half]
        mutants = [row for row in mine if not row["catalogue"]]
        parts = {"operators": mutants}
        parts |= {kind: [row for row in mutants if row["kind"] == kind] for kind in KINDS}
        parts["catalogue"] = [row for row in mine if row["catalogue"]]
        found += [{"half": half, "of": name, **shares(part)} for name, part in parts.items()]
    return found


def by_operator(rows: list[Row]) -> list[Row]:
    """A row for each operator: faults before rewrites, the halves apart."""
    mutants = [row for row in rows if not row["catalogue"]]
    names = sorted({(row["rewrite"], row["half"], row["kind"], row["name"]) for row in mutants})
    return [
        {
            "half": half,
            "kind": kind,
            "operator": name,
            "rewrite": is_rewrite,
            **shares(row for row in mutants if (row["half"], row["name"]) == (half, name)),
        }
        for is_rewrite, half, kind, name in names
    ]


def headline(rows: list[Row]) -> Row:
    """The shares that count, and what they took."""
    said: Row = {}
    for name, half in (("held_out", "heldout"), ("development", "development")):
        mine = shares(row for row in rows if row["half"] == half and not row["catalogue"])
        said |= {f"{name}_detection": mine["detected_share"], f"{name}_alarm": mine["alarms_share"]}
    said["planted"] = len(rows)
    for spent in ("checks", "episodes", "calls"):
        said[spent] = sum(row[spent] for row in rows)
    said["errors"] = sum(bool(row["errors"]) for row in rows)
    said["seconds_checking"] = round(sum(row["seconds_checking"] for row in rows), 1)
    said["seconds_judging"] = round(
        sum(row["seconds"] - row["seconds_checking"] for row in rows), 1
    )
    return said


def missed(rows: Iterable[Row]) -> list[Row]:
    """Harmful changes that nothing spoke of."""
    return [row for row in rows if row["harmful"] and not row["detected"]]
