"""`manage.py benchmark NAME`: measure, and print a document as `make bench` keeps it under `benchmarks/`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from benchmarks import tau2, tau2_text
from benchmarks.names import NAMES
from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.tau2 import PUBLICATIONS
from triage.table import aligned


class Command(BaseCommand):
    help = "Run a benchmark: " + "; ".join(f"{name}: {what}" for name, what in NAMES.items()) + "."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(NAMES)}")
        parser.add_argument(
            "--data",
            type=Path,
            metavar="DIR",
            help="of tau2: a folder with any version of the task files (default: the installed packages')",
        )
        parser.add_argument("--domain", choices=list(PUBLICATIONS), help="of tau2: only this one")
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, Any]:
        name, data, domain = options["name"], options["data"], options["domain"]
        if name not in NAMES:
            raise UsageError(
                f"{name}: there is no benchmark of that name: take one of {', '.join(NAMES)}"
            )
        if name == "tau2":
            return tau2.measure(data, domain, self.stderr.write)
        if data or domain:
            raise UsageError(f"{name}: --data and --domain are for tau2 alone: leave them out")
        return _alone(name)

    def show(self, document: dict[str, Any]) -> None:
        plain = tau2_text.text if document["name"] == "tau2" else _text
        self.stdout.write(plain(document))


def _alone(name: str) -> dict[str, Any]:
    """The document of a benchmark in a process of its own: some make a database and services of their own, and none
    should be slowed down by what Django has loaded."""
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise CommandError(
            f"benchmark {name} ended with status {done.returncode}: see what it said above"
        )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _text(document: dict[str, Any]) -> str:
    headline = [[name, _cell(value)] for name, value in document["headline"].items()]
    rows = document["rows"]
    head = list(rows[0]) if rows else []
    table = aligned(head, [[_cell(row.get(name)) for name in head] for row in rows])
    return "\n".join([*aligned(["metric", "value"], headline), "", *table])


def _cell(value: Any) -> str:
    return "–" if value is None else str(value)
