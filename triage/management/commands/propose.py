"""`manage.py propose`: search for repairs of faults, try what is found, and print it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from django.core.management.base import CommandError, CommandParser
from django.db import connection
from django.db.models import QuerySet

from components.actor import Actor, visible_domains
from components.commands import Command as BaseCommand
from components.commands import UsageError
from triage.bar import Bar
from triage.jobs import JobOver
from triage.models import Fault, Proposal, Repair, Trial
from triage.models.job import UNFINISHED_JOBS, Job, JobState
from triage.models.repair import Fate
from triage.proposaldiff import unified
from triage.ranking import Place, places
from triage.repairing import (
    MOST_SECONDS,
    SECONDS,
    RepairRefused,
    advance,
    cancel,
    repair,
    run_inline,
    wanting,
)
from triage.rounds import Progress
from triage.standins import Sources
from triage.table import aligned
from triage.trials import latest_trial
from triage.waiting import NobodyWorks, wait_until
from worlds.counted import counted


class Changed(TypedDict):
    """What would say something else."""

    component: str
    kind: str
    version: int
    """Against which it was written."""


class Row(TypedDict):
    """A proposal, as listed. Numbers are those of the trial that speaks for it; None = it was not tried."""

    id: int
    fault: int
    changes: list[Changed]
    fixes: int | None
    regressions: int | None
    weakens: bool | None
    redefines: bool | None
    rank: int | None
    """From 1, among those of its fault that can be approved as they are."""
    diff: str
    title: str
    state: str
    authority: str
    likelihood: float | None
    repair: int | None
    """Which search wrote it; None = a person did."""


class Command(BaseCommand):
    help = (
        "Search for repairs of a fault, or of every open fault for which nothing is proposed; try what is found; and "
        "print the proposals of these faults that are not decided, the best of each fault first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--fault", type=int, metavar="ID", help="of this fault, searched anew")
        parser.add_argument(
            "--all", action="store_true", help="of every open fault, searched where nothing is"
        )
        parser.add_argument(
            "--seconds",
            type=float,
            default=SECONDS,
            metavar="N",
            help=f"that a search may take for each fault; default: {SECONDS:g}",
        )
        parser.add_argument("--no-revert", action="store_true", help="no earlier versions")
        parser.add_argument(
            "--no-siblings", action="store_true", help="nothing from other components"
        )
        parser.add_argument(
            "--inline", action="store_true", help="work in this process, without workers"
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> list[Row]:
        faults = _faults(actor, options)
        self.failed: list[str] = []
        asked = self._asked(actor, options, faults)
        try:
            with Bar(self.stderr) as bar:
                if options["inline"]:
                    _run(asked, bar)
                elif asked:
                    wait_until(lambda: _progress(asked), bar.show, lambda _: _left(asked))
        except NobodyWorks as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stderr.write(_interrupted(actor, asked, is_inline=options["inline"]))
            raise
        for held in Repair.objects.filter(pk__in=asked).order_by("pk"):
            self.stderr.write(_told(held))
            if held.state != JobState.DONE:
                self.failed.append(_told(held))
        return _rows(faults)

    def _asked(self, actor: Actor, options: dict[str, Any], faults: Sequence[Fault]) -> list[int]:
        """The searches (ids) that are wanted."""
        asked = []
        for fault in _wanting(faults, is_all=options["all"]):
            try:
                held = repair(
                    actor,
                    fault,
                    sources=Sources(
                        parents=not options["no_revert"], siblings=not options["no_siblings"]
                    ),
                    seconds=options["seconds"],
                    queue=not options["inline"],
                )
            except RepairRefused as error:
                self.failed.append(str(error))
            else:
                asked.append(held.pk)
        return asked

    def show(self, document: list[Row]) -> None:
        head = ["id", "fault", "rank", "fixes", "breaks", "against", "state", "title"]
        lines = aligned(head, [_cells(row) for row in document]) if document else []
        self.stdout.write("\n".join([*lines, counted(len(document), "proposal")]))

    def trouble(self, document: list[Row]) -> str | None:  # what stands is printed too
        return "; ".join(self.failed) or None


def _wanting(faults: Sequence[Fault], *, is_all: bool) -> QuerySet[Fault]:
    """The one that was named; or of all those for which nothing is proposed."""
    rows = Fault.objects.filter(pk__in=[one.pk for one in faults])
    return (wanting(rows) if is_all else rows).order_by("-environments", "pk")


def _faults(actor: Actor, options: dict[str, Any]) -> list[Fault]:
    """Those that the call means, the one in most environments first."""
    if (options["fault"] is None) is not options["all"]:
        raise UsageError("give --fault ID or --all")
    if not 0 < options["seconds"] <= MOST_SECONDS:
        raise UsageError(
            f"--seconds {options['seconds']:g}: give a number above 0, up to {MOST_SECONDS:g}"
        )
    seen = Fault.objects.filter(domain__in=visible_domains(actor))
    if options["all"]:
        return list(seen.open().order_by("-environments", "pk"))
    found = list(seen.filter(pk=options["fault"]))
    if not found:
        raise UsageError(f"--fault {options['fault']}: there is no fault of that number")
    return found


def _run(asked: Sequence[int], bar: Bar) -> None:
    """Search here, by the same claims as workers do."""
    began = time.monotonic()
    for number, pk in enumerate(asked):
        bar.show(_pace(number, len(asked), time.monotonic() - began))
        run_inline(Repair.objects.get(pk=pk))
    if asked:
        bar.show(_pace(len(asked), len(asked), time.monotonic() - began))


def _progress(asked: Sequence[int]) -> Progress:
    """How far searches are, and the trials of what they proposed, which follow one after the other."""
    for held in Repair.objects.filter(pk__in=asked, state=JobState.DONE):
        advance(held)
    trials = Trial.objects.filter(proposals__repair__in=asked).distinct()
    jobs: list[Job] = [*Repair.objects.filter(pk__in=asked), *trials]
    done = sum(
        _parts(one) if not one.is_unfinished else min(one.done, _parts(one) - 1) for one in jobs
    )
    began = min((one.created for one in jobs), default=None)
    newest = max((one.finished or one.started or one.created for one in jobs), default=None)
    seconds = (newest - began).total_seconds() if began and newest else 0.0
    return _pace(done, sum(map(_parts, jobs)), seconds)


def _parts(job: Job) -> int:
    return max(job.total, 1)


def _pace(done: int, total: int, seconds: float) -> Progress:
    rate = done / seconds if seconds > 0 else 0.0
    left = (total - done) / rate if rate else None
    return Progress(done=done, total=total, rate=rate, seconds_left=left)


def _left(asked: Sequence[int]) -> str:
    waiting = Repair.objects.filter(pk__in=asked, state__in=UNFINISHED_JOBS).count()
    verb = "stays queued, and is" if waiting == 1 else "stay queued, and are"
    return (
        f"{counted(waiting, 'search') if waiting == 1 else f'{waiting} searches'} {verb} worked off"
    )


def _interrupted(actor: Actor, asked: Sequence[int], *, is_inline: bool) -> str:
    """What became of searches whose command was interrupted: nobody else works those off that were inline."""
    rows = Repair.objects.filter(pk__in=asked, state__in=UNFINISHED_JOBS).order_by("pk")
    if not is_inline:
        names = ", ".join(map(str, rows)) or "nothing"
        return f"{names} goes on; its page under /repairs/ ends it"
    connection.close_if_unusable_or_obsolete()
    ended = 0
    for held in rows:
        try:
            cancel(actor, held)
            ended += 1
        except JobOver:
            continue
    return f"cancelled what was left: {ended} of {len(asked)}"


def _told(held: Repair) -> str:
    """What came of a search, in a line."""
    if held.state == JobState.FAILED:
        return f"{held} of fault {held.fault_id} failed: {_last_line(held.error)}"
    if held.state == JobState.CANCELLED:
        return f"{held} of fault {held.fault_id} was cancelled"
    fates = ", ".join(f"{n} {fate}" for fate in Fate if (n := held.counts.get(fate)))
    return (
        f"{held} of fault {held.fault_id}, {held.spent:.1f} s: {fates or 'nobody had a candidate'}"
    )


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def _rows(faults: Sequence[Fault]) -> list[Row]:
    ranked = {place.proposal.pk: place for mine in places(faults).values() for place in mine}
    order = {fault.pk: number for number, fault in enumerate(faults)}
    rows = Proposal.objects.undecided().filter(fault__in=order).order_by("pk")
    found = rows.prefetch_related("changes__component__domain", "changes__base")

    def place(row: Proposal) -> tuple[int, int, int]:
        number = ranked[row.pk].number if row.pk in ranked else len(ranked) + 1
        return order[row.fault_id or 0], number, row.pk

    return [_row(row, ranked.get(row.pk)) for row in sorted(found, key=place)]


def _row(row: Proposal, place: Place | None) -> Row:
    trial = place.trial if place else latest_trial(row)
    said = trial.report if trial else {}
    return Row(
        id=row.pk,
        fault=row.fault_id or 0,
        changes=_changes(row),
        fixes=said.get("fixed"),
        regressions=said.get("regressed"),
        weakens=said.get("weakens"),
        redefines=said.get("redefines"),
        rank=place.number if place else None,
        diff=unified(row),
        title=row.title,
        state=row.state,
        authority=row.authority,
        likelihood=row.likelihood,
        repair=row.repair_id,
    )


def _changes(row: Proposal) -> list[Changed]:
    return [
        Changed(component=one.component.slug, kind=one.component.kind, version=one.base.number)
        for one in row.changes.all()
    ]


def _cells(row: Row) -> list[str]:
    against: Iterable[str] = (name for name in ("weakens", "redefines") if row[name])
    return [
        str(row["id"]),
        str(row["fault"]),
        _number(row["rank"]),
        _number(row["fixes"]),
        _number(row["regressions"]),
        ", ".join([*against, *([] if row["authority"] else ["no authority"])]) or "–",
        row["state"],
        row["title"],
    ]


def _number(number: int | None) -> str:
    return "–" if number is None else str(number)
