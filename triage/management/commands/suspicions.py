"""`manage.py suspicions`: passes that somebody should look at, those of one cause together."""

from __future__ import annotations

from typing import Any, TypedDict

from django.core.management.base import CommandParser

from components.actor import Actor, demand
from components.commands import Command as BaseCommand
from triage.models import Result, Suspicion
from triage.models.suspicion import Reason
from triage.named import domains_named
from triage.suspicions import LABEL, clusters, scan
from triage.table import aligned
from worlds.counted import counted


class Row(TypedDict):
    """Suspicions of one kind, agent and intent."""

    fingerprint: str
    kind: str
    agent: str
    domain: str
    intent: str
    episodes: int
    environments: int
    unread: int
    right: int
    wrong: int
    explanation: str


class Command(BaseCommand):
    help = "List suspicious passes by kind, agent and intent, those first of which most are unread."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", help="only of this domain")
        parser.add_argument("--kind", choices=Reason.values, help="only of this kind")
        parser.add_argument(
            "--scan", action="store_true", help="look at all stored results again first"
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> list[Row]:
        domains = domains_named(options["domain"], actor)
        if options["scan"]:
            demand(actor, LABEL, "look for suspicious passes")
            mine = Result.objects.filter(checks__environment__domain__in=domains)
            looked_at = scan(mine)
            self.stderr.write(f"looked at {counted(looked_at, 'result')} with a pass to doubt")
        rows = Suspicion.objects.filter(environment__domain__in=domains)
        if options["kind"]:
            rows = rows.filter(kind=options["kind"])
        return [_row(row) for row in clusters(rows)]

    def show(self, document: list[Row]) -> None:
        head = ["cluster", "kind", "agent", "intent", "episodes", "unread", "wrong", "for one"]
        cells = [
            [
                row["fingerprint"],
                row["kind"],
                row["agent"],
                f"{row['domain']}/{row['intent']}",
                str(row["episodes"]),
                str(row["unread"]),
                str(row["wrong"]),
                row["explanation"],
            ]
            for row in document
        ]
        lines = aligned(head, cells) if cells else []
        self.stdout.write("\n".join([*lines, counted(len(document), "cluster")]))


def _row(row: dict[str, Any]) -> Row:
    return Row(
        fingerprint=row["fingerprint"],
        kind=row["kind"],
        agent=row["episode__agent__name"],
        domain=row["component__domain__slug"],
        intent=row["component__slug"],
        episodes=row["episodes"],
        environments=row["environments"],
        unread=row["unread"],
        right=row["right"],
        wrong=row["wrong"],
        explanation=row["explanation"],
    )
