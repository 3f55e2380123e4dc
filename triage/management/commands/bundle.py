"""`manage.py bundle`: an environment with its versions pinned."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from components import bundles
from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.models import Environment
from triage.scope import RoundInvalid, environment_named


class Command(BaseCommand):
    help = "Print an environment's current bundle as JSON: its manifest and digest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "environment",
            metavar="DOMAIN/SLUG",
            help="an environment, by its slug alone where that is enough",
        )
        parser.add_argument(
            "--inline", action="store_true", help="with the bodies, so that it stands alone"
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, Any]:
        found = _named(options["environment"], actor)
        manifest = bundles.manifests(Environment.objects.filter(pk=found.pk))[found.pk]
        if options["inline"]:
            return bundles.bundle(manifest).to_json()
        return {"manifest": manifest.model_dump(mode="json"), "digest": manifest.digest}

    def show(self, document: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))


def _named(name: str, actor: Actor) -> Environment:
    try:
        return environment_named(name, actor)
    except RoundInvalid as error:
        raise UsageError(str(error)) from error
