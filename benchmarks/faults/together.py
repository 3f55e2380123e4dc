"""Several faults in one domain at once: whether each is found for itself, by a cause that names its component first."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from benchmarks.faults import weighing
from benchmarks.faults.attributed import Bench
from benchmarks.faults.faulted import Refused
from benchmarks.faults.planting import Fault, go_together
from benchmarks.faults.ranking import places, standing
from benchmarks.faults.scene import SEED
from worlds.environments import EnvironmentSpec
from worlds.source import LibraryInvalid

Row = dict[str, Any]
Own = Mapping[tuple[str, str, str], list[str]]
"""Domain, name and place of a fault → the environments that it breaks alone."""

SIZES = {5: 3, 12: 2}
"""Faults at once → sets of so many in each domain."""
MOST = 120
"""Environments of a set."""


def sets(domains: Iterable[tuple[str, str]]) -> list[Row]:
    """What is to be drawn: a row for each set of each domain, given with its half."""
    return [
        {"half": half, "domain": domain, "size": size, "number": number}
        for half, domain in domains
        for size, count in SIZES.items()
        for number in range(count)
    ]


def drawn(bench: Bench, given: Row, changes: Sequence[Row]) -> list[Fault]:
    """The faults of a set, of those that `changes` (rows of `detection.json`) name; fewer where no more go together."""
    lot = random.Random(f"{SEED} {given['domain']} {given['size']} {given['number']}")  # noqa: S311
    chosen: list[Fault] = []
    for change in lot.sample(changes, len(changes)):
        fault = bench.planter.fault(change["name"], change["place"])
        if all(go_together(fault, other) for other in chosen) and _fits(bench, [*chosen, fault]):
            chosen.append(fault)
        if len(chosen) == given["size"]:
            break
    return chosen


def _fits(bench: Bench, faults: Sequence[Fault]) -> bool:
    try:
        with bench.planter.planted(faults):
            return True
    except (Refused, LibraryInvalid):
        return False


def row(bench: Bench, given: Row, changes: Sequence[Row], own: Own, *, swaps: bool) -> Row:
    """Plant a set and see which of its faults are found; `swaps` as of thorough attribution."""
    start = time.perf_counter()
    faults = drawn(bench, given, changes)
    domain = given["domain"]
    shown = {
        fault: own.get((domain, fault.name, fault.place)) or _alone(bench, fault)
        for fault in faults
    }
    specs = _specs(bench, faults, shown)
    with bench.staged(faults, specs) as made:
        causes = []
        for cause in weighing.gathered(made):
            if swaps:
                weighing.attributed(cause, has_standins=False)
            suspects = weighing.suspects(cause)
            causes.append(
                {"code": cause.code, "shown": weighing.shown(cause), "suspects": suspects}
            )
        failing = weighing.failing(made)
    return given | {
        "members": [member(fault, shown[fault], causes) for fault in faults],
        "causes": causes,
        "environments": len(specs),
        "failing": len(failing),
        "seconds": round(time.perf_counter() - start, 2),
    }


def _alone(bench: Bench, fault: Fault) -> list[str]:
    """The environments that a fault breaks when nothing else is wrong."""
    with bench.staged([fault], bench.drawn(fault)) as made:
        return weighing.failing(made)


def _specs(
    bench: Bench, faults: Sequence[Fault], shown: Mapping[Fault, Sequence[str]]
) -> list[EnvironmentSpec]:
    """Of each fault some environments that it breaks, and the draw of all."""
    by_slug = {spec.slug: spec for spec in bench.planter.folder.all_environments()}
    each = MOST // 2 // len(faults)
    near = {slug: by_slug[slug] for fault in faults for slug in islice(shown[fault], each)}
    culprits = [culprit for fault in faults for culprit in fault.culprits]
    return bench.scene.drawn(culprits, list(near.values()), MOST)


def member(fault: Fault, shown: Sequence[str], causes: Sequence[Row]) -> Row:
    """One fault of a set: how surely the best of the causes that share an environment with it names it first, how
    many causes share one, and how many name it first alone."""
    mine = [cause for cause in causes if set(shown) & set(cause["shown"])]
    ranked = [standing(places(cause["suspects"]), fault.names) for cause in mine]
    firsts = [each.among(1) if each else 0.0 for each in ranked]
    return {
        "name": fault.name,
        "place": fault.place,
        "culprits": fault.names,
        "alone": len(shown),
        "first": round(max(firsts, default=0.0), 3),
        "overlapping": len(mine),
        "naming": sum(first == 1 for first in firsts),
    }


def table(rows: Sequence[Row]) -> list[Row]:
    """By half and size: how many of the faults were found first, and how many causes there were for them. `hidden`
    shared no environment with any cause; `split` are named first by more than one."""
    found = []
    for half, size in sorted({(row["half"], row["size"]) for row in rows}):
        mine = [row for row in rows if (row["half"], row["size"]) == (half, size)]
        members = [each for row in mine for each in row["members"]]
        found.append(
            {
                "half": half,
                "at_once": size,
                "sets": len(mine),
                "faults": len(members),
                "first": round(sum(each["first"] for each in members) / len(members), 3),
                "hidden": sum(not each["overlapping"] for each in members),
                "split": sum(each["naming"] > 1 for each in members),
                "causes": sum(len(row["causes"]) for row in mine),
            }
        )
    return found


def brief(row: Row) -> Row:
    """A set as it is kept: what became of each fault, and how many causes there were."""
    return row | {"causes": len(row["causes"])}
