"""`manage.py counterexamples`: the wrong verdicts that are known, and whether they still are wrong."""

from __future__ import annotations

from typing import Any, TypedDict

from django.core.management.base import CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from triage.counterexamples import with_state
from triage.models import Counterexample
from triage.models.counterexample import Standing
from triage.named import domains_named
from triage.table import aligned
from worlds.counted import counted


class Row(TypedDict):
    """A counterexample, as listed."""

    id: int
    domain: str
    environment: str
    intent: str
    label: str
    name: str
    should: int
    code: str
    severity: str
    state: str
    reason: str
    retired_because: str
    author: str | None
    found: Any


class Command(BaseCommand):
    help = "List counterexamples with where they stand against the environments as they are now."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", help="only of this domain")
        parser.add_argument("--state", choices=Standing.values, help="only those that stand so")
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> list[Row]:
        domains = domains_named(options["domain"], actor)
        rows = with_state(Counterexample.objects.filter(environment__domain__in=domains))
        if options["state"]:
            rows = rows.filter(state=options["state"])
        rows = rows.select_related("environment__domain", "component", "author")
        ordered = rows.order_by("environment__domain__slug", "environment__slug", "pk")
        return [_row(row) for row in ordered]

    def show(self, document: list[Row]) -> None:
        head = ["id", "environment", "state", "code", "by", "should", "reason"]
        cells = [
            [
                str(row["id"]),
                f"{row['domain']}/{row['environment']}",
                row["state"],
                row["code"],
                f"{row['label']} {row['name']}",
                "pass" if row["should"] else "fail",
                _reasons(row),
            ]
            for row in document
        ]
        lines = aligned(head, cells) if cells else []
        self.stdout.write("\n".join([*lines, counted(len(document), "counterexample")]))


def _reasons(row: Row) -> str:
    retired = f"retired: {row['retired_because']}" if row["retired_because"] else ""
    return " · ".join(filter(None, [row["reason"], retired]))


def _row(row: Any) -> Row:
    return Row(
        id=row.pk,
        domain=row.environment.domain.slug,
        environment=row.environment.slug,
        intent=row.component.slug,
        label=row.label,
        name=row.name,
        should=row.should,
        code=row.code,
        severity=row.severity,
        state=row.state,
        reason=row.reason,
        retired_because=row.retired_because,
        author=row.author.get_username() if row.author else None,
        found=row.found,
    )
