"""The handle turned: repairs of every open fault are searched for, some are approved, and a round checks what that
moved; and again, until nothing moves."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.faults.repaired import seconds_of_trials
from components.models import Version
from triage import repairing, review, tasks
from triage.candidates import latest_trial
from triage.models import Check, Fault, Outcome, Proposal, Repair, Round, Trial
from triage.models.job import UNFINISHED_JOBS
from triage.models.result import Status
from triage.moves import Moves, moves
from triage.rounds import create_round, summary
from triage.scope import Scope
from triage.staleness import Stale
from triage.work import work_off, worker_name

if TYPE_CHECKING:
    from triage.trialreport import Report

Row = dict[str, Any]
Decide = Callable[[Sequence[Fault]], list[Proposal]]
"""Approves of what is proposed for open faults, and says what."""

TURNS = 5
"""At most."""
WHY = "On a copy of the published tasks, to see what repairs would move."
LOOK, RECONCILE, STUCK = 0.5, 15.0, 900.0
"""Seconds between looks at what workers do, between looks for what lost workers left, and without progress, after
which nobody waits any longer."""
CALM = 2
"""Looks at which nothing is left."""


@dataclass
class Turned:
    """What came of it."""

    rounds: list[Row] = field(default_factory=list)
    """A row each, with what was searched for and approved after it."""
    approvals: list[Row] = field(default_factory=list)
    seconds_trials: list[float] = field(default_factory=list)
    """Of each fault for which something was tried in full, the seconds of its trials together."""

    @property
    def solvability(self) -> list[float | None]:
        """One a round."""
        return [row["solvability"] for row in self.rounds]


@dataclass(frozen=True)
class Handle:
    """How it is turned."""

    of: str
    domains: Sequence[str]
    decide: Decide
    seconds: float
    """For the search for a repair of each fault."""
    queue: bool = True
    """Whether workers do the work; else it is done here."""

    def turned(self) -> Turned:
        """Rounds and repairs, until nothing moves."""
        said = Turned()
        made = self._round(said)
        for _ in range(TURNS):
            approved = self._repaired(said)
            if not approved:
                break
            earlier, made = made, self._round(said)
            moved = moves(earlier, made, None)
            said.approvals += [self._approval(said, each, moved) for each in approved]
            if not moved.groups:
                break
        return said

    def _round(self, said: Turned) -> Round:
        start = time.perf_counter()
        made = create_round(None, Scope(domains=self.domains), queue=self.queue)
        waiting = Check.objects.unfinished().filter(round=made).order_by("pk")
        if self.queue:
            _wait(waiting.count)
        for _ in work_off(list(waiting.values_list("pk", flat=True)), worker_name()):
            pass
        tasks.close_rounds()
        if self.queue:  # a worker may be gathering it
            _wait(Round.objects.filter(pk=made.pk, gathered=None).count)
        made.refresh_from_db()
        counts = ("environments", "solvable", "broken", "unproven", "errors", "solvability")
        found: Row = dict(summary(made))
        said.rounds.append(
            {
                "of": self.of,
                "round": len(said.rounds) + 1,
                **{name: found[name] for name in counts},
                **known(made),
                "seconds": round(time.perf_counter() - start, 1),
                "faults": len(self._open()),
                "searched": 0,
                "proposed": 0,
                "approved": 0,
                "seconds_repairing": 0.0,
            }
        )
        return made

    def _open(self) -> list[Fault]:
        faults = Fault.objects.open().filter(domain__slug__in=self.domains)
        return list(faults.order_by("-environments", "pk"))

    def _repaired(self, said: Turned) -> list[Proposal]:
        """Search and approve; what was approved."""
        start = time.perf_counter()
        faults = self._open()
        due = [fault for fault in faults if is_due(fault)]
        asked = [
            repairing.repair(None, each, seconds=self.seconds, queue=self.queue) for each in due
        ]
        if self.queue:
            _wait(_unfinished)
        for each in asked if not self.queue else ():
            repairing.run_inline(each)
        taken = [seconds_of_trials(each) for each in asked]
        said.seconds_trials += [seconds for seconds in taken if seconds]
        approved = self.decide(faults)
        said.rounds[-1] |= {
            "searched": len(asked),
            "proposed": Fault.objects.filter(proposals__repair__in=asked).distinct().count(),
            "approved": len(approved),
            "seconds_repairing": round(time.perf_counter() - start, 1),
        }
        return approved

    def _approval(self, said: Turned, row: Proposal, moved: Moves) -> Row:
        """What an approval moved; `shared` are environments that another one had part in as well."""
        groups = [
            each for each in moved.groups if any(cause.proposal == row for cause in each.causes)
        ]
        trial = latest_trial(row)
        report: Report | Row = trial.report if trial else {}
        return {
            "of": self.of,
            "after_round": len(said.rounds) - 1,
            "domain": row.domain.slug,
            "title": row.title,
            "components": [str(each.component) for each in row.changes.order_by("component_id")],
            "defended_by": row.authority or row.reason,
            "cites": bool(row.authority),
            "redefines": bool(report.get("redefines")),
            "fixed": sum(each.fixed for each in groups),
            "broken": sum(each.broken for each in groups),
            "other": sum(each.other for each in groups),
            "shared": sum(len(each.moves) for each in groups if len(each.causes) > 1),
        }


def known(made: Round) -> Row:
    """How many checks were run, and how many of those that a trial had run before: none of which it showed a witness
    is run again, and the others may be searched."""
    checks = Check.objects.filter(round=made)
    tried = checks.filter(bundle__in=Outcome.objects.filter(after__isnull=False).values("bundle"))
    solved = Outcome.objects.filter(after_status=Status.SOLVABLE).values("bundle")
    return {
        "checks_run": checks.filter(was_known=False).count(),
        "tried_before": tried.count(),
        "tried_run_again": tried.filter(was_known=False, bundle__in=solved).count(),
        "tried_searched": tried.filter(was_known=False).exclude(bundle__in=solved).count(),
    }


def is_due(fault: Fault) -> bool:
    """Whether a search may find what none before did: there was none yet, or a suspect says something else by now."""
    last = fault.repairs.exclude(state__in=UNFINISHED_JOBS).order_by("-pk").first()
    if last is None:
        return True
    suspected = fault.suspects.exclude(component=None).values("component")
    return Version.objects.filter(component__in=suspected, created__gt=last.created).exists()


# Who approves


def automatically(_faults: Sequence[Fault]) -> list[Proposal]:
    """As `review --auto` does."""
    return [each.proposal for each in review.auto(None) if each.versions]


def overriding(faults: Iterable[Fault]) -> list[Proposal]:
    """Of each fault the best proposal that mends something, breaks nothing and weakens no verifier, although what it
    changes mirrors something outside."""
    approved = []
    for fault in faults:
        chosen = next(filter(_breaks_nothing, review.ranked(fault)), None)
        if chosen is None:
            continue
        try:
            review.approve(None, chosen, chosen.revision, override=WHY)
        except (Stale, review.Untried):
            continue  # another approval moved the component: it is searched for anew
        approved.append(chosen)
    return approved


def _breaks_nothing(row: Proposal) -> bool:
    trial = latest_trial(row)
    report = trial.report if trial else {}
    mends = report.get("fixed") or report.get("cured")
    return bool(mends) and not (report["regressed"] or report["weakens"])


# Waiting for workers


def _unfinished() -> int:
    """Searches and trials under way, and searches of which nobody has tried anything yet."""
    models: Sequence[type[Repair | Trial]] = (Repair, Trial)
    waiting = sum(each.objects.filter(state__in=UNFINISHED_JOBS).count() for each in models)
    return waiting + sum(1 for _ in repairing.resting())


def _wait(left: Callable[[], int]) -> None:
    """Until nothing is left, twice: one job may be about to ask for another. Lost messages and workers are mended
    meanwhile, as the beat does."""
    least, sign, mended = sys.maxsize, time.monotonic(), time.monotonic()
    calm = 0
    while calm < CALM:
        count, now = left(), time.monotonic()
        calm = 0 if count else calm + 1
        if count < least:
            least, sign = count, now
        if now - sign > STUCK:
            sys.exit(f"{count} are left, and none ended within {STUCK:.0f} s: see the workers' log")
        if now - mended > RECONCILE:
            mended = now
            tasks.reconcile()
        print(f"\r{count} left ", end="", file=sys.stderr, flush=True)
        time.sleep(LOOK)
