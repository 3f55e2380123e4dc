"""`manage.py certificate`: what was looked at before an environment was called solvable."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.models import Environment
from triage.certificates import detailed, document, in_force
from triage.counterexamples import doubts
from triage.errors import in_short
from triage.models import Check, Finding
from triage.models.finding import Severity
from triage.models.result import Status
from triage.named import environment_by_name
from triage.standing import UNVERIFIED, with_standing


class Command(BaseCommand):
    help = "Print the certificate of an environment as it is now: which checks ran, who acted, what was not seen."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "environment",
            metavar="DOMAIN/SLUG",
            help="an environment, by its slug alone where that is enough",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, Any]:
        row = environment_by_name(options["environment"], actor)
        mine = Environment.objects.filter(pk=row.pk)
        found = detailed(in_force(mine)).first()
        if found is None:
            standing = with_standing(mine).get()
            why = _why(standing.status, standing.latest_check)
            raise CommandError(f"{row} has no certificate: it stands {standing.status}, {why}")
        return document(found)

    def show(self, document: dict[str, Any]) -> None:
        self.stdout.write("\n".join(_lines(document)))


def _why(status: str, latest: int | None) -> str:
    """What stands in the way: how its check ended and by what, or that there is a check and no certificate."""
    if status == UNVERIFIED or latest is None:
        return "as there is no check of it as it now is: run a round"
    check = Check.objects.get(pk=latest)
    if status == Status.SOLVABLE:
        return f"but round {check.round_id} made none, by other checks than today's: run a round"
    if status == Status.ERROR:
        return f"as its check in round {check.round_id} ended in trouble of ours: {in_short(check.error)}"
    if status == Status.UNPROVEN:
        return f"as nobody solved it in round {check.round_id}"
    return f"by {_broken_by(check)}"


def _broken_by(check: Check) -> str:
    """The findings that block, and the counterexamples of people that are open."""
    found = Finding.objects.counted().filter(result=check.result, severity=Severity.BLOCKING)
    said = [f"{one.code} at {one.kind}/{one.slug} {one.place}" for one in found]
    people = doubts([check.pk]).get(check.pk, [])
    return "; ".join([*said, *(f"{one} that is open: {one.told}" for one in people)])


def _lines(said: dict[str, Any]) -> list[str]:
    unobserved = [f"  {one['what']}: {one['why']}" for one in said["unobserved"]]
    outdated = ["today's checks are others: run a round"] if said["outdated"] else []
    return [
        f"{said['domain']}/{said['environment']}: solvable, witness {said['witness']}, {said['created']:%Y-%m-%d}",
        f"bundle  {said['bundle']}",
        f"recipe  {said['recipe']}",
        f"checks  {_pairs(said['checks'])}",
        f"agents  {_pairs(_short(said['agents']))}",
        *([f"prover  {_pairs(_short(said['prover']))}"] if said["prover"] else []),
        f"engine  {_pairs(said['engine'])}",
        *(["unobserved", *unobserved] if unobserved else ["unobserved: nothing"]),
        *outdated,
    ]


def _short(digests: dict[str, str]) -> dict[str, str]:
    return {name: digest[:12] for name, digest in digests.items()}


def _pairs(named: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(named.items()))
