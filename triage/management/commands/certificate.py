"""`manage.py certificate`: what was looked at before an environment was called solvable."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.models import Environment
from triage.certificates import document, in_force
from triage.named import environment_by_name
from triage.standing import with_standing


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
        found = in_force(mine).select_related("environment__domain").first()
        if found is None:
            status = with_standing(mine).get().status
            raise CommandError(f"{row} has no certificate: it stands {status}{_more(status)}")
        return document(found)

    def show(self, document: dict[str, Any]) -> None:
        self.stdout.write("\n".join(_lines(document)))


def _more(status: str) -> str:
    """What stands in the way of an environment whose check came out well."""
    if status != "solvable":
        return ""
    return ", but a counterexample is open, or its check was before there were certificates: run a round"


def _lines(said: dict[str, Any]) -> list[str]:
    unobserved = [f"  {one['what']}: {one['why']}" for one in said["unobserved"]]
    outdated = ["today's checks are others: run a round"] if said["outdated"] else []
    return [
        f"{said['domain']}/{said['environment']}: solvable, witness {said['witness']}, {said['created']:%Y-%m-%d}",
        f"bundle  {said['bundle']}",
        f"recipe  {said['recipe']}",
        f"checks  {_pairs(said['checks'])}",
        f"agents  {_pairs({name: digest[:12] for name, digest in said['agents'].items()})}",
        f"engine  {_pairs(said['engine'])}",
        *(["unobserved", *unobserved] if unobserved else ["unobserved: nothing"]),
        *outdated,
    ]


def _pairs(named: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(named.items()))
