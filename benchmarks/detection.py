"""What the checks find of the faults planted in a sound library, and what they complain of where nothing is wrong.

Four sites of every operator in every domain of its half (`benchmarks/split.yaml`), and every fault of the catalogue.
Each faulted domain is loaded into an empty home as version 1 and checked (`benchmarks/faults/verdicts.py`); whether it
is harmful is told by the answer keys and fixed sequences of calls alone (`benchmarks/faults/harm.py`).

    python -m benchmarks.detection [--half development|heldout] [--every N] [--operator NAME]…

`--every N` takes every N-th planted change of each half: a sample. Such runs print, and keep no file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

from benchmarks.faults.answerkeys import LIBRARY
from benchmarks.faults.callers import reached
from benchmarks.faults.catalogue import CatalogueFault, faulted, read_catalogue
from benchmarks.faults.detected import headline, table
from benchmarks.faults.faulted import Refused, planted
from benchmarks.faults.harm import Components, Harm, Sound, all_harms
from benchmarks.faults.mutation import Operator, Original, Site, operators
from benchmarks.faults.split import HALVES, HalfName, read_split
from benchmarks.faults.verdicts import Looked, look
from benchmarks.home import scratch_home
from benchmarks.report import document, publish
from worlds.body import Kind
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.library import LibraryInvalid, read

PROCESSES = 2
Row = dict[str, Any]
FOLDERS = re.compile(r"(?:/[\w.+-]+)+/")


@dataclass(frozen=True)
class Change:
    """Something to be planted: an operator at one of its sites, or a fault of the catalogue."""

    half: HalfName
    domain: str
    name: str
    kind: Kind
    place: str
    is_rewrite: bool
    site: int | None
    """Which of the drawn sites of the operator; None = from the catalogue."""


def changes(half: HalfName) -> list[Change]:
    """All changes of a half, by domain."""
    found = []
    for domain in sorted(read_split().half(half).domains):
        original = Original(read(LIBRARY, [domain])[0])
        for operator in sorted(operators(half).values(), key=lambda each: each.name):
            for number, site in enumerate(operator.drawn(original)):
                place = f"{site.component}: {site.place}"
                found.append(
                    Change(
                        half,
                        domain,
                        operator.name,
                        operator.kind,
                        place,
                        operator.is_rewrite,
                        number,
                    )
                )
        for name, fault in read_catalogue(domain).items():
            kinds = [kind for kind, _ in fault.components()]
            place = ", ".join(fault.culprits)
            found.append(Change(half, domain, name, kinds[0], place, False, None))
    return found


class Bench:
    """Plants changes of one domain, and says what became of each."""

    def __init__(self, half: HalfName, domain: str) -> None:
        self.folder = read(LIBRARY, [domain])[0]
        self.original = Original(self.folder)
        self.sound = Sound(self.folder)
        self.operators = operators(half)
        self.catalogue = read_catalogue(domain)
        self.sites: dict[str, list[Site]] = {}

    def row(self, change: Change) -> Row:
        """Plant a change, look at what the checks say, then at what the keys say."""
        start = time.perf_counter()
        said: Row = {
            "half": change.half,
            "domain": change.domain,
            "name": change.name,
            "kind": change.kind,
            "place": change.place,
            "rewrite": change.is_rewrite,
            "catalogue": change.site is None,
        }
        try:
            looked, harmed, specs = self._tried(change)
        except (Refused, LibraryInvalid) as error:
            looked, specs = Looked(alarms=[f"refused: {error}"]), []
            harmed = Harm("", "", f"it cannot be loaded: {error}")
        return said | {
            "environments": len(specs),
            "harmful": harmed is not None,
            "harm": _told(f"{harmed.environment} {harmed.key}: {harmed.says}") if harmed else "",
            "detected": bool(looked.alarms),
            "alarms": sorted(set(looked.alarms))[:5],
            "errors": [_told(error) for error in looked.errors[:1]],
            "checks": looked.checks,
            "episodes": looked.episodes,
            "calls": looked.calls,
            "seconds_checking": round(looked.seconds, 2),
            "seconds": round(time.perf_counter() - start, 2),
        }

    def _tried(self, change: Change) -> tuple[Looked, Harm | None, list[EnvironmentSpec]]:
        if change.site is None:
            return self._from_catalogue(self.catalogue[change.name])
        return self._mutated(self.operators[change.name], change.site)

    def _mutated(
        self, operator: Operator, number: int
    ) -> tuple[Looked, Harm | None, list[EnvironmentSpec]]:
        if operator.name not in self.sites:
            self.sites[operator.name] = operator.drawn(self.original)
        site = self.sites[operator.name][number]
        slug = site.component.partition("/")[0]
        touches = [site.touches] if site.touches else []
        specs = self.sound.concerned([(operator.kind, slug)], touches)
        content = site.changed()
        tools = self._tools(site.component, content) if operator.kind == "toolserver" else None
        with planted(self.folder, operator.kind, site.component, content) as changed:
            return *self._seen(changed, [(operator.kind, slug)], specs, tools), specs

    def _tools(self, component: str, text: str) -> set[str] | None:
        """The tools that a changed source file of a server can matter to; None = all."""
        slug, sources = component.partition("/")[0], self.original.sources
        mine = {name: each for name, each in sources.items() if name.partition("/")[0] == slug}
        return reached(mine.values(), (mine | {component: text}).values())

    def _from_catalogue(
        self, fault: CatalogueFault
    ) -> tuple[Looked, Harm | None, list[EnvironmentSpec]]:
        specs = self.sound.concerned(fault.components(), fault.touches)
        with faulted(self.folder.slug, [fault]) as changed:
            return *self._seen(changed, fault.components(), specs), specs

    def _seen(
        self,
        changed: DomainFolder,
        components: Components,
        specs: Sequence[EnvironmentSpec],
        tools: Collection[str] | None = None,
    ) -> tuple[Looked, Harm | None]:
        looked = look(changed, specs)
        return looked, next(all_harms(self.sound, changed, components, specs, tools), None)


def _told(text: str) -> str:
    """A text without the folders of this machine."""
    return FOLDERS.sub("", text)


def part(number: int, todo: Sequence[Change]) -> list[tuple[int, Row]]:
    """The rows of each `PROCESSES`-th change, with its place in the whole."""
    from django.core.management import call_command

    rows, benches = [], dict[str, Bench]()
    with scratch_home():
        call_command("migrate", verbosity=0, interactive=False)
        for place, change in list(enumerate(todo))[number::PROCESSES]:
            if change.domain not in benches:
                benches.clear()  # one domain's sound episodes at a time
                benches[change.domain] = Bench(change.half, change.domain)
            rows.append((place, benches[change.domain].row(change)))
            print(f"\r{len(rows) * PROCESSES} of {len(todo)} ", end="", file=sys.stderr, flush=True)
    return rows


def measured(todo: Sequence[Change]) -> list[Row]:
    """What became of changes, in their order."""
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        parts = pool.starmap(part, [(number, todo) for number in range(PROCESSES)], chunksize=1)
    return [row for _, row in sorted(chain(*parts), key=itemgetter(0))]


def main() -> None:
    """Plant everything, print what was found."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", choices=HALVES, help="only this one")
    arguments.add_argument("--every", type=int, default=1, metavar="N")
    arguments.add_argument(
        "--operator", action="append", metavar="NAME", help="only these, or faults of the catalogue"
    )
    options = arguments.parse_args()
    if options.every < 1:
        arguments.error(f"--every {options.every}: give a number from 1 on")
    start = time.perf_counter()
    halves: Sequence[HalfName] = [options.half] if options.half else HALVES
    todo = [change for half in halves for change in changes(half)[:: options.every]]
    if options.operator:
        todo = [change for change in todo if change.name in options.operator]
    if not todo:
        arguments.error(
            f"--operator {', '.join(options.operator)}: nothing of that name is planted"
        )
    found = measured(todo)
    seconds = time.perf_counter() - start
    said = {"every": options.every, **headline(found)}
    if options.half or options.operator or options.every > 1:
        print(
            json.dumps(
                document("detection", seconds, said, table(found), changes=found),
                indent=2,
                ensure_ascii=False,
            )
        )
    else:
        publish("detection", seconds, said, table(found), changes=found)


if __name__ == "__main__":
    main()
