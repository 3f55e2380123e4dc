"""How often the proposal that ranks first repairs a planted fault, by half, kind and operator.

Of the held-out half there are counts alone: which fault was not repaired, and what was proposed for it, is nobody's to
see who works on proposers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from benchmarks.faults.attributed import ALONE, STANDINS
from benchmarks.faults.detected import KINDS, wilson

Row = dict[str, Any]
HALVES = {"heldout": "held_out", "development": "development"}
"""Half → how its figures begin in the headline."""


def headline(rows: Sequence[Row]) -> Row:
    """The shares that count, None where nothing was measured."""
    said: Row = {"faults": len(rows)}
    for half, name in HALVES.items():
        mine = [row for row in rows if row["half"] == half]
        figures = shares(mine)
        said |= {f"{name}_faults": len(mine), f"{name}_repaired": figures["share"]}
        said[f"{name}_repaired_95"] = figures["repaired_95"]
        for kind in KINDS:
            of_kind = [row for row in mine if row["kind"] == kind]
            said[f"{name}_repaired_{kind}"] = shares(of_kind)["share"]
        said[f"{name}_repaired_standins"] = shares(mine, STANDINS)["share"]
        said[f"{name}_agree"] = figures["agree_share"]
    stages = [row[stage] for row in rows for stage in (ALONE, STANDINS) if stage in row]
    said["automatic"] = sum(each["automatic"] for each in stages)
    said["auto_harm"] = sum(each["auto_harm"] for each in stages)
    for what in ("search", "trials"):
        taken = [each[f"seconds_{what}"] for each in stages if each[f"seconds_{what}"] is not None]
        said[f"median_seconds_{what}"] = round(median(taken), 1) if taken else None
    return said


def table(rows: Sequence[Row]) -> list[Row]:
    """A row for each half as a whole, each kind in it, and its faults of the catalogue."""
    found = []
    for half in dict.fromkeys(row["half"] for row in rows):
        mine = [row for row in rows if row["half"] == half]
        for of, those in _parts(mine):
            if those:
                found.append({"half": half, "of": of, **shares(those), **_beside(those)})
    return found


def _parts(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    yield "all", list(rows)
    for kind in KINDS:
        yield kind, [row for row in rows if row["kind"] == kind]
    yield "catalogue", [row for row in rows if row["catalogue"]]


def by_operator(rows: Sequence[Row]) -> list[Row]:
    """A row for each operator, the halves apart; without the catalogue, whose faults are planted once each."""
    mutants = [row for row in rows if not row["catalogue"]]
    names = sorted({(row["half"], row["kind"], row["name"]) for row in mutants})
    return [
        {"half": half, "kind": kind, "operator": name, **shares(those), **_beside(those)}
        for half, kind, name in names
        if (those := [row for row in mutants if (row["half"], row["name"]) == (half, name)])
    ]


def shares(rows: Sequence[Row], stage: str = ALONE) -> Row:
    """How many faults are repaired; and of the tool servers that are, how many answer every sequence of calls as the
    sound one does."""
    mine = [row[stage] for row in rows if stage in row]
    repaired = [each for each in mine if each["repaired"]]
    compared = [each["calls_agree"] for each in repaired if each["calls_agree"] is not None]
    bounds = wilson(len(repaired), len(mine))
    return {
        "faults": len(mine),
        "repaired": len(repaired),
        "share": _share(len(repaired), len(mine)),
        "repaired_95": f"{bounds[0]:.3f}–{bounds[1]:.3f}" if bounds else None,
        "as_sound": sum(each["same"] for each in repaired),
        "compared": len(compared),
        "agree": sum(compared),
        "agree_share": _share(sum(compared), len(compared)),
    }


def _beside(rows: Sequence[Row]) -> Row:
    with_standins = shares(rows, STANDINS)
    return {
        "repaired_standins": with_standins["repaired"] if with_standins["faults"] else None,
        "share_standins": with_standins["share"],
    }


def reasons(rows: Sequence[Row]) -> list[Row]:
    """Of each half and stage why faults were not repaired, the commonest reason first."""
    found = []
    for half in dict.fromkeys(row["half"] for row in rows):
        for stage in (ALONE, STANDINS):
            mine = [row[stage] for row in rows if row["half"] == half and stage in row]
            counted = Counter(each["why"] for each in mine if each["why"])
            found += [
                {"half": half, "stage": stage, "why": why, "faults": count}
                for why, count in counted.most_common()
            ]
    return found


def brief(rows: Sequence[Row]) -> list[Row]:
    """The development faults, one by one."""
    return [row for row in rows if row["half"] == "development"]


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
