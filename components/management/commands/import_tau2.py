"""`manage.py import_tau2 --domain airline|retail [--data DIR]`: a published τ² domain into the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from components import tau2
from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.load import load
from worlds.counted import counted


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
        data = tau2.installed_data(domain) if given is None else _published(Path(given))
        folder = tau2.folder(domain, data, settings.BASE_DIR / "library")
        return load([folder], actor, source="import_tau2", repins=True).document()

    def show(self, document: dict[str, int]) -> None:
        self.stdout.write(
            f"{counted(document['components'], 'component')} "
            f"({counted(document['versions_created'], 'new version')}), "
            f"{counted(document['environments'], 'environment')}"
        )


def _published(data: Path) -> Path:
    """The folder that `--data` names, if it holds what a published domain does."""
    for name in tau2.FILES:
        if not (data / name).is_file():
            raise UsageError(
                f"--data {data}: there is no file {name} in it; a published domain is {', '.join(tau2.FILES)}"
            )
    return data
