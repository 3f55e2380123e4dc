"""`make demo`: everything at once, on a machine with nothing but Python."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from envcurate.demo import Demo


class Command(BaseCommand):
    help = "Starts all that is needed, loads the library, runs a round, and serves until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end after the round")

    def handle(self, *args: Any, **options: Any) -> None:
        Demo(self.stdout, once=options["once"]).run()
