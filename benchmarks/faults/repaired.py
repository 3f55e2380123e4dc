"""One planted fault after another: who is suspected, what is proposed by itself, and whether that is right."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.faults import weighing
from benchmarks.faults.attributed import ALONE, STANDINS, Bench
from benchmarks.faults.faulted import Refused
from benchmarks.faults.harm import Sound
from benchmarks.faults.judged import Bodies, Judge, Judged
from benchmarks.faults.planting import Fault
from worlds.environments import EnvironmentSpec
from worlds.source import LibraryInvalid

if TYPE_CHECKING:
    from triage import models

Row = dict[str, Any]
STAGES = (ALONE, STANDINS)
"""Without anything sound at hand, which counts; with the sound library as the version before, and siblings."""
SECONDS = 30.0
"""That the search for a repair of one fault may take."""


@dataclass(frozen=True)
class Tried:
    """A proposal as its full trial left it."""

    title: str
    authority: str
    likelihood: float | None
    bodies: Bodies
    left: Sequence[str]
    """Environments that showed the fault, and show it still or are not solvable."""
    report: Mapping[str, Any]
    """Of the trial."""
    is_automatic: bool
    """Whether it may be approved by itself."""

    @property
    def against(self) -> str:
        """What its trial says against it, the first of it; empty where nothing."""
        said = {
            "not all fixed": self.left,
            "regressed": self.report["regressed"],
            "weakens": self.report["weakens"],
            "redefines": self.report["redefines"],
        }
        return next((name for name, is_so in said.items() if is_so), "")


@dataclass(frozen=True)
class Searched:
    """What came of the search for a repair."""

    ended: str
    seconds: float
    """Of the search, with what it had to check before; without trials."""
    seconds_trials: float
    counts: Mapping[str, int]
    """What became of its candidates."""
    tried: Sequence[Tried]
    """The proposals, the best first."""


class Repairer:
    """Has faults of one domain repaired."""

    def __init__(self, bench: Bench, seconds: float = SECONDS) -> None:
        self.bench = bench
        self.seconds = seconds
        self.sound = Sound(bench.planter.folder)

    def row(self, change: Row, stages: Sequence[str] = STAGES) -> Row:
        """Plant what a row of `detection.json` names, alone, and see what is proposed."""
        start = time.perf_counter()
        fault = self.bench.planter.fault(change["name"], change["place"])
        said = {name: change[name] for name in ("half", "domain", "name", "kind", "place")}
        said |= {"catalogue": change["catalogue"], "culprits": fault.names}
        specs = self.bench.drawn(fault)
        said |= {"environments": len(specs)}
        for stage in stages:
            said[stage] = self._stage(fault, specs, has_standins=stage == STANDINS)
        return said | {"seconds": round(time.perf_counter() - start, 2)}

    def _stage(self, fault: Fault, specs: Sequence[EnvironmentSpec], *, has_standins: bool) -> Row:
        try:
            found = self._searched(fault, specs, has_standins=has_standins)
            if found is None:
                return _nothing("nothing shows")
            if not found.tried:
                return _nothing("no proposal") | _told(found)
            with self.bench.planter.planted([fault]) as folder:
                near = self.bench.scene.near(fault.culprits, fault.touches)
                judge = Judge(self.sound, folder, fault.culprits, near)
                judged = [judge.judged(each.bodies) for each in _looked_at(found.tried)]
        except (Refused, LibraryInvalid) as error:
            return _nothing("cannot be loaded") | {"ended": str(error)[:300]}
        return _told(found) | _row(fault, found.tried, judged)

    def _searched(
        self, fault: Fault, specs: Sequence[EnvironmentSpec], *, has_standins: bool
    ) -> Searched | None:
        with self.bench.staged([fault], specs, has_parent=has_standins) as made:
            causes = weighing.gathered(made)
            if not causes:
                return None
            weighing.attributed(causes[0], has_standins=has_standins)
            return searched(causes[0], self.seconds, has_standins=has_standins)


def searched(fault: models.Fault, seconds: float, *, has_standins: bool) -> Searched:
    """Search for a repair of a fault, here, where no worker is told; earlier versions are taken back and siblings
    borrowed from only where `has_standins`."""
    from triage import repairing, review
    from triage.standins import Sources

    sources = Sources(parents=has_standins, siblings=has_standins)
    asked = repairing.repair(None, fault, sources=sources, seconds=seconds, queue=False)
    asked = repairing.run_inline(asked)
    shown = set(weighing.shown(fault))
    return Searched(
        ended=f"{asked.state}: {asked.error}" if asked.error else asked.state,
        seconds=taken(asked),
        seconds_trials=seconds_of_trials(asked),
        counts=dict(asked.counts),
        tried=[_tried(row, shown) for row in review.ranked(fault)],
    )


def seconds_of_trials(asked: models.Repair) -> float:
    """Of all trials of what a search proposed."""
    from triage.models import Trial

    trials = Trial.objects.filter(proposals__repair=asked).distinct()
    return round(sum(taken(each) for each in trials), 2)


def taken(job: models.Repair | models.Trial) -> float:
    """Seconds from its claim to its end; 0 where it did not come to one."""
    if job.started is None or job.finished is None:
        return 0.0
    return round((job.finished - job.started).total_seconds(), 2)


def _tried(row: models.Proposal, shown: Collection[str]) -> Tried:
    from triage.candidates import latest_trial
    from triage.review import is_harmless

    trial = latest_trial(row)
    assert trial is not None  # noqa: S101  # it ranks
    mended = trial.outcomes.filter(after_status="solvable", is_cured=True)
    changes = row.changes.select_related("component", "body").order_by("component_id")
    return Tried(
        title=row.title,
        authority=row.authority,
        likelihood=row.likelihood,
        bodies={(one.component.kind, one.component.slug): one.body.parsed() for one in changes},  # type: ignore[misc]  # a CharField is str
        left=sorted({*shown} - {*mended.values_list("environment__slug", flat=True)}),
        report=trial.report,
        is_automatic=is_harmless(row),
    )


def _row(fault: Fault, tried: Sequence[Tried], judged: Sequence[Judged]) -> Row:
    best, first = tried[0], judged[0]
    automatic = [
        said for each, said in zip(_looked_at(tried), judged, strict=True) if each.is_automatic
    ]
    why = best.against or ("" if first.keys_hold else "keys")
    return {
        "proposals": len(tried),
        "title": best.title,
        "authority": best.authority,
        "likelihood": best.likelihood,
        "components": [f"{kind}/{slug}" for kind, slug in best.bodies],
        "at_fault": {f"{kind}/{slug}" for kind, slug in best.bodies} == set(fault.names),
        "same": first.same,
        "fixed": best.report["fixed"],
        "left": len(best.left),
        "keys_hold": first.keys_hold,
        "calls_agree": first.calls_agree,
        "harm": first.harm,
        "repaired": not why,
        "why": why,
        "automatic": len(automatic),
        "auto_harm": sum(bool(said.broken) for said in automatic),
    }


def _looked_at(tried: Sequence[Tried]) -> list[Tried]:
    return [each for each in tried if each is tried[0] or each.is_automatic]


def _told(found: Searched) -> Row:
    return {
        "ended": found.ended,
        "seconds_search": found.seconds,
        "seconds_trials": found.seconds_trials,
        "candidates": dict(found.counts),
    }


def _nothing(why: str) -> Row:
    """Where nothing was proposed."""
    return {
        "ended": "",
        "seconds_search": None,
        "seconds_trials": None,
        "candidates": {},
        "proposals": 0,
        "title": "",
        "authority": "",
        "likelihood": None,
        "components": [],
        "at_fault": False,
        "same": False,
        "fixed": 0,
        "left": None,
        "keys_hold": None,
        "calls_agree": None,
        "harm": "",
        "repaired": False,
        "why": why,
        "automatic": 0,
        "auto_harm": 0,
    }
