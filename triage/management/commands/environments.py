"""`manage.py environments`: where each environment stands, and what was found in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, NotRequired, TypedDict

from django.core.management.base import CommandParser

from components.actor import Actor, visible_domains
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.models import Environment
from components.models.domain import DomainQuerySet
from triage.counterexamples import doubts
from triage.errors import in_short
from triage.models import Check, Counterexample, Finding
from triage.models.check import State
from triage.models.finding import MARKS
from triage.models.result import Status
from triage.standing import UNVERIFIED, with_standing
from triage.table import aligned
from worlds.counted import counted
from worlds.findings import CODES


class Found(TypedDict):
    """A finding, as listed."""

    code: str
    severity: str
    """That it has now."""
    component: str
    kind: str
    message: str
    place: str
    id: int
    """As `manage.py label` takes it."""
    not_counted: list[str]
    """Why: accepted, dismissed, demoted."""


class Doubt(TypedDict):
    """A counterexample of a person that makes an environment broken, as listed."""

    id: int
    """As `manage.py counterexample retire` takes it."""
    code: str
    should: int
    """The reward that the episode should have had."""
    reason: str
    author: str | None
    message: str


class Row(TypedDict):
    """An environment, as listed."""

    environment: str
    domain: str
    status: str
    findings: list[Found]
    counterexamples: list[Doubt]
    error: NotRequired[str]
    """Why the check ended in error, of those that stand so."""


class Command(BaseCommand):
    code: str | None = None
    """The one code that was asked for."""
    help = (
        "List environments with the status and the findings of the last check of their current bundle, and the "
        "counterexamples of people that break them. Findings count as labels stand now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", help="only of this domain")
        parser.add_argument(
            "--status", choices=[*Status.values, UNVERIFIED], help="only of this status"
        )
        parser.add_argument(
            "--code",
            choices=list(CODES),
            metavar="CODE",
            help="only those with a finding, or such a counterexample, of this code",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> list[Row]:
        domains = visible_domains(actor)
        if options["domain"]:
            domains = domains.filter(slug=options["domain"])
            if not domains:
                raise UsageError(f"--domain {options['domain']}: there is no domain of that name")
        self.code = options["code"]
        rows = _rows(domains, options["status"])
        return [row for row in rows if not self.code or self.code in _codes(row)]

    def show(self, document: list[Row]) -> None:
        cells = [
            [f"{row['domain']}/{row['environment']}", row["status"], *finding]
            for row in document
            for finding in _cells(row, self.code)
        ]
        head = ["environment", "status", "finding", "severity", "code", "component", "message"]
        self.stdout.write("\n".join([*aligned(head, cells), _tally(document)]))


def _rows(domains: DomainQuerySet, status: str | None) -> list[Row]:
    scope = Environment.objects.filter(domain__in=domains)
    standing = with_standing(scope).order_by("domain__slug", "slug")
    if status:
        standing = standing.filter(status=status)
    rows = list(standing.values_list("slug", "domain__slug", "status", "latest_check"))
    checks = [check for _, _, _, check in rows if check]
    found, errors, people = _found(checks), _errors(checks), doubts(checks)
    listed = []
    for slug, domain, status, check in rows:
        row = Row(
            environment=slug,
            domain=domain,
            status=status,
            findings=found.get(check, []),
            counterexamples=[_doubt(one) for one in people.get(check, [])],
        )
        if check in errors:
            row["error"] = errors[check]
        listed.append(row)
    return listed


def _errors(checks: list[int]) -> dict[int | None, str]:
    """Check → why it ended in error, of those that did."""
    ended = Check.objects.filter(pk__in=checks, state=State.ERROR)
    return dict(ended.values_list("pk", "error"))


def _found(checks: list[int]) -> dict[int | None, list[Found]]:
    """Check → its findings, the worst first."""
    found: dict[int | None, list[Found]] = defaultdict(list)
    rows: Any = Finding.objects.worst_first().filter(result__checks__in=checks)
    fields = ("id", "code", "weight", "slug", "kind", "message", "place", *MARKS)
    for check, *values in rows.values_list("result__checks", *fields):
        key, code, severity, slug, kind, message, place, *marks = values
        found[check].append(
            Found(
                code=code,
                severity=severity,
                component=slug,
                kind=kind,
                message=message,
                place=place,
                id=key,
                not_counted=[
                    name.removeprefix("is_")
                    for name, is_marked in zip(MARKS, marks, strict=True)
                    if is_marked
                ],
            )
        )
    return found


def _doubt(one: Counterexample) -> Doubt:
    return Doubt(
        id=one.pk,
        code=one.code,
        should=one.should,
        reason=one.reason,
        author=one.author.get_username() if one.author else None,
        message=f"{one}: {one.told}",
    )


def _codes(row: Row) -> set[str]:
    found = {finding["code"] for finding in row["findings"]}
    return found | {one["code"] for one in row["counterexamples"]}


def _cells(row: Row, code: str | None) -> list[list[str]]:
    """A line a finding or counterexample, of `code` if one was asked for; name and status are repeated, so that lines
    can be searched."""
    if not row["findings"] and not row["counterexamples"]:
        return [["", "", "", "", in_short(row["error"]) if "error" in row else ""]]
    people = [
        ["", "blocking", one["code"], "", one["message"]]
        for one in row["counterexamples"]
        if code in (None, one["code"])
    ]
    return people + [
        [
            str(found["id"]),
            " ".join([*found["not_counted"], found["severity"]]),
            found["code"],
            f"{found['kind']}/{found['component']}",
            found["message"],
        ]
        for found in row["findings"]
        if code in (None, found["code"])
    ]


def _tally(document: list[Row]) -> str:
    counts = Counter(row["status"] for row in document)
    parts = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return f"{counted(len(document), 'environment')}: {parts}" if document else "no environments"
