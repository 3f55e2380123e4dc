"""One planted fault after another: a round over its domain, what was gathered, and who is suspected of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.faults import fitting, weighing
from benchmarks.faults.faulted import Refused
from benchmarks.faults.harm import Components
from benchmarks.faults.planting import Fault, Planter
from benchmarks.faults.scene import Scene, checked, forget
from benchmarks.faults.split import HalfName
from worlds.environments import EnvironmentSpec
from worlds.source import LibraryInvalid

if TYPE_CHECKING:
    from triage.models import Round
    from triage.weighing import Group, Spectrum

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

    def examples(self, change: Row) -> list[fitting.Example]:
        """What a score may be fitted to: the causes that are found of what a row of `detection.json` names, alone."""
        from components.models import Domain
        from triage.causes import groups
        from triage.observed import observed
        from triage.weighing import Spectrum

        fault = self.planter.fault(change["name"], change["place"])
        with self.staged([fault], self.drawn(fault)) as made:
            observations = observed(made, Domain.objects.get(slug=change["domain"]))
        found = groups(observations)
        whole = sum(len(group) for group in found)
        return [
            _example(change["name"], fault.culprits, group, Spectrum(observations), whole)
            for group in found
        ]


def _example(
    operator: str, culprits: Components, group: Group, spectrum: Spectrum, whole: int
) -> fitting.Example:
    from triage.weighing import features

    found = features(group, spectrum)
    return fitting.Example(
        operator,
        len(group) / whole,
        [fitting.vector(each.component[0], *each.measured()) for each in found],
        [each.component in culprits for each in found],
    )


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
