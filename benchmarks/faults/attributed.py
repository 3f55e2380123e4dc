"""One planted fault after another: a round over its domain, what was gathered, and who is suspected of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.faults import weighing
from benchmarks.faults.faulted import Refused
from benchmarks.faults.planting import Fault, Planter
from benchmarks.faults.scene import Scene, checked, forget
from benchmarks.faults.split import HalfName
from worlds.environments import EnvironmentSpec
from worlds.source import LibraryInvalid

if TYPE_CHECKING:
    from triage.models import Round

Row = dict[str, Any]

QUICK = "quick"
"""The ranking as it was gathered: nothing is swapped."""
ALONE = "alone"
"""With edits swapped in alone: no earlier version, no sibling server is there to be swapped in."""
STANDINS = "standins"
"""With the sound library as the version before, and sibling servers."""
STAGES = (QUICK, ALONE, STANDINS)


class Bench:
    """One domain in which faults are planted."""

    def __init__(self, half: HalfName, domain: str) -> None:
        self.planter = Planter(half, domain)
        self.scene = Scene(self.planter.folder)

    @contextmanager
    def staged(
        self, faults: Sequence[Fault], specs: Sequence[EnvironmentSpec], *, has_parent: bool = False
    ) -> Iterator[Round]:
        """A finished round over these environments of the domain with these faults, as version 1, or where it
        `has_parent` as the version after the sound one. Raises Refused and LibraryInvalid."""
        forget()
        components = [each for fault in faults for each in fault.culprits]
        with self.planter.planted(faults) as folder:
            if has_parent:
                self.scene.load(self.planter.folder, components, specs)
                checked()  # an earlier version stands in where something was solvable with it
            self.scene.load(folder, components, specs)
            yield checked()

    def drawn(self, fault: Fault) -> list[EnvironmentSpec]:
        """The environments over which a single fault is looked at."""
        near = self.scene.near(fault.culprits, fault.touches)
        return self.scene.drawn(fault.culprits, near)

    def row(self, change: Row, stages: Sequence[str] = STAGES) -> Row:
        """Plant what a row of `detection.json` names, alone, and see who is suspected."""
        start = time.perf_counter()
        fault = self.planter.fault(change["name"], change["place"])
        said = {name: change[name] for name in ("half", "domain", "name", "kind", "place")}
        said |= {"catalogue": change["catalogue"], "culprits": fault.names}
        try:
            said |= self._looked(fault, self.drawn(fault), stages)
        except (Refused, LibraryInvalid) as error:
            said |= _nothing(stages) | {"error": f"it cannot be loaded: {error}"[:300]}
        return said | {"seconds": round(time.perf_counter() - start, 2)}

    def _looked(self, fault: Fault, specs: Sequence[EnvironmentSpec], stages: Sequence[str]) -> Row:
        said = _nothing(stages) | {"environments": len(specs)}
        with self.staged([fault], specs) as made:
            found = weighing.gathered(made)
            said |= {"failing": weighing.failing(made), "causes": len(found)}
            said["errors"] = weighing.errors(made)[:1]
            if found:
                said |= {
                    "code": found[0].code,
                    "shown": found[0].environments,
                    "directly": weighing.directly(found[0], made),
                    "spectral": weighing.spectral(found[0], made),
                }
                said[QUICK] = weighing.suspects(found[0])
            if found and ALONE in stages:
                said["ended"] = weighing.attributed(found[0], has_standins=False)
                said[ALONE] = weighing.suspects(found[0])
        if found and STANDINS in stages:
            said[STANDINS] = self._with_standins(fault, specs)
        return said

    def _with_standins(self, fault: Fault, specs: Sequence[EnvironmentSpec]) -> list[Row]:
        with self.staged([fault], specs, has_parent=True) as made:
            found = weighing.gathered(made)
            weighing.attributed(found[0], has_standins=True)
            return weighing.suspects(found[0])


def _nothing(stages: Sequence[str]) -> Row:
    """Of a fault of which nothing was seen."""
    none: dict[str, Any] = {stage: [] for stage in stages}
    return none | {
        "error": "",
        "errors": [],
        "environments": 0,
        "failing": [],
        "causes": 0,
        "code": "",
        "shown": 0,
        "directly": {},
        "spectral": {},
        "ended": "",
    }


def features(row: Row) -> Iterator[Row]:
    """What a score may be fitted to: a row for each suspect at each stage, and for a culprit that none names."""
    named = {name: row[name] for name in ("half", "domain", "name", "place", "code", "causes")}
    for stage in (each for each in STAGES if each in row):
        listed = {suspect["component"] for suspect in row[stage]}
        unlisted = [_unlisted(name) for name in row["culprits"] if name not in listed]
        for suspect in [*row[stage], *unlisted]:
            yield {
                **named,
                "stage": stage,
                "suspects": len(row[stage]),
                "kind": suspect["component"].partition("/")[0],
                **suspect,
                "is_true": suspect["component"] in row["culprits"],
            }


def _unlisted(name: str) -> Row:
    zero = dict.fromkeys(("score", "direct", "spectrum"), 0.0)
    return {"component": name, "party": "", "symbol": "", "rank": None, "state": None, **zero}
