"""`manage.py faults`: findings that share a cause, with who is suspected of it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypedDict

from django.core.management.base import CommandError, CommandParser
from django.db.models import Case, QuerySet, Value, When

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.models.domain import DomainQuerySet
from triage.models import Fault, Round, Sighting, Suspect
from triage.models.fault import FaultQuerySet, FaultStatus
from triage.named import domains_named
from triage.sightings import counting, environments_by_fault, showing
from triage.table import aligned
from worlds.counted import counted

LISTED = (
    FaultStatus.REGRESSED,
    FaultStatus.NEW,
    FaultStatus.ONGOING,
    FaultStatus.FIXED,
    FaultStatus.ARCHIVED,
)
"""Open ones first."""


class Suspected(TypedDict):
    """A suspect, as listed."""

    component: str | None
    """None where it is no component."""
    kind: str
    """The component's, or what it is instead: agent, user, plan, infrastructure."""
    version: int | None
    score: float
    state: str


class Row(TypedDict):
    """A fault, as listed."""

    id: int
    domain: str
    code: str
    title: str
    status: str
    environments: list[str]
    """That show it: in the round that was asked for, or else by their newest check."""
    suspects: list[Suspected]


class Command(BaseCommand):
    help = (
        "List faults, which are findings that share a cause, with the environments that show them and the components "
        "suspected of them. What was dismissed or accepted since a round does not count."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", help="only of this domain")
        parser.add_argument("--status", choices=FaultStatus.values, help="only of this status")
        parser.add_argument(
            "--round", type=int, metavar="N", help="those that this round showed, where it did"
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> list[Row]:
        domains = domains_named(options["domain"], actor)
        if options["round"] is None:
            shown = Fault.objects.filter(domain__in=domains)
            sightings = counting(showing().filter(fault__in=shown))
        else:
            sightings, shown = _seen_in(_round(options["round"], actor), domains)
        if options["status"]:
            shown = shown.filter(status=options["status"])
        return _rows(shown, environments_by_fault(sightings))

    def show(self, document: list[Row]) -> None:
        cells = [
            [
                str(row["id"]),
                row["domain"],
                row["status"],
                str(len(row["environments"])),
                row["code"],
                _first(row["suspects"]),
                row["title"],
            ]
            for row in document
        ]
        head = ["id", "domain", "status", "environments", "code", "suspect", "title"]
        lines = aligned(head, cells) if cells else []
        self.stdout.write("\n".join([*lines, counted(len(document), "fault")]))


def _round(number: int, actor: Actor) -> Round:
    rounds = Round.objects.all() if actor is None else Round.objects.visible_to(actor)
    made = rounds.filter(pk=number).first()
    if made is None:
        raise UsageError(f"--round {number}: there is no round of that number")
    if made.gathered is None:
        raise CommandError(
            f"{made} is not gathered into faults yet: wait until it is finished, and a few seconds more"
        )
    return made


def _seen_in(made: Round, domains: DomainQuerySet) -> tuple[QuerySet[Sighting], FaultQuerySet]:
    seen = Sighting.objects.filter(check_row__round=made, fault__domain__in=domains)
    return counting(seen), Fault.objects.filter(pk__in=seen.order_by().values("fault"))


def _rows(shown: FaultQuerySet, environments: dict[int, list[str]]) -> list[Row]:
    order = Case(*(When(status=each, then=Value(n)) for n, each in enumerate(LISTED)))
    faults = shown.order_by(order, "-is_blocking", "-environments", "pk").select_related("domain")
    suspects = _suspects(shown)
    return [
        Row(
            id=fault.pk,
            domain=fault.domain.slug,
            code=fault.code,
            title=fault.title,
            status=fault.status,
            environments=environments.get(fault.pk, []),
            suspects=suspects[fault.pk],
        )
        for fault in faults
    ]


def _suspects(shown: FaultQuerySet) -> dict[int, list[Suspected]]:
    """Fault → its suspects, the likeliest first."""
    found: dict[int, list[Suspected]] = defaultdict(list)
    rows = Suspect.objects.filter(fault__in=shown.order_by().values("pk"))
    for row in rows.select_related("component", "version"):
        found[row.fault_id].append(
            Suspected(
                component=row.component.slug if row.component else None,
                kind=row.component.kind if row.component else row.party,
                version=row.version.number if row.version else None,
                score=round(row.score, 4),
                state=row.state,
            )
        )
    return found


def _first(suspects: list[Suspected]) -> str:
    if not suspects:
        return "–"
    best = suspects[0]
    if best["component"] is None:
        return best["kind"]
    version = f" v{best['version']}" if best["version"] else ""
    return f"{best['kind']}/{best['component']}{version} {best['score']:.0%}"
