"""`manage.py library load | dump | format DIR`: component files into the database, out of it, and tidied."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from components.actor import Actor, visible_domains
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.dump import dump
from components.load import LoadReport, load
from components.models.body import Kind
from worlds.counted import counted
from worlds.library import DomainFolder, format_folders, read, write


class Command(BaseCommand):
    help = "Load component files, dump them, or bring them to their canonical form."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["load", "dump", "format"])
        parser.add_argument("folder", metavar="DIR", help="a library, or the folder of one domain")
        parser.add_argument(
            "--domain", action="append", metavar="D", help="only this domain (may be repeated)"
        )
        parser.add_argument(
            "--prune", action="store_true", help="with load: delete what the files no longer have"
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, int]:
        folder, domains = options["folder"], options["domain"]
        if isinstance(domains, str):  # as call_command may be given it
            domains = [domains]
        if options["prune"] and options["act"] != "load":
            raise UsageError("--prune goes with load: dump and format leave nothing over")
        if options["act"] == "load":
            folders = read(folder, domains)
            return load(folders, actor, source="library", prune=options["prune"]).document()
        if options["act"] == "format":
            return _report(format_folders(folder, domains))
        return _report(_dumped(actor, Path(folder), domains))

    def show(self, document: dict[str, int]) -> None:
        self.stdout.write(
            f"{counted(document['domains'], 'domain')}, {counted(document['components'], 'component')} "
            f"({counted(document['versions_created'], 'new version')}), "
            f"{counted(document['environments'], 'environment')}"
        )


def _dumped(actor: Actor, root: Path, slugs: list[str] | None) -> list[DomainFolder]:
    """The domains, written to `root`/<domain>/."""
    domains = visible_domains(actor).filter(components__kind=Kind.DOMAIN)
    known = list(domains.values_list("slug", flat=True))
    for slug in slugs or ():
        if slug not in known:
            raise UsageError(f"no domain {slug!r}; there is {', '.join(known) or 'none'}")
    chosen = domains if slugs is None else domains.filter(slug__in=slugs)
    folders = [dump(domain) for domain in chosen]
    for folder in folders:
        write(folder, root)
    return folders


def _report(folders: Iterable[DomainFolder]) -> dict[str, int]:
    report = LoadReport()
    for folder in folders:
        report.domains += 1
        report.components += sum(1 for _ in folder.files())
        report.environments += len(folder.all_environments())
    return report.document()
