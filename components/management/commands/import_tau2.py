"""`manage.py import_tau2 --domain airline|retail [--data DIR]`: a published τ² domain into the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from components import tau2
from components.actor import Actor
from components.commands import Command as BaseCommand
from components.load import load


class Command(BaseCommand):
    help = "Import a published τ² domain: each task becomes an intent and an environment."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", required=True, choices=list(tau2.PUBLICATIONS))
        parser.add_argument(
            "--data",
            metavar="DIR",
            help="folder with tasks.json, db.json and policy.md (default: the installed package's)",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, int]:
        domain, given = options["domain"], options["data"]
        data = tau2.installed_data(domain) if given is None else Path(given)
        folder = tau2.folder(domain, data, settings.BASE_DIR / "library")
        return load([folder], actor, source="import_tau2").document()

    def show(self, document: dict[str, int]) -> None:
        self.stdout.write(
            "{components} components ({versions_created} new versions), "
            "{environments} environments".format(**document)
        )
