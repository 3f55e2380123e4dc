"""What our management commands share: `--as USER`, `--json`, and errors as lines with an exit status.

Exit status: 0 done, 1 the work failed, 2 the call was wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError

from components.actor import Actor
from worlds.library import LibraryInvalid, LibraryMissing


class UsageError(CommandError):
    """The call itself was wrong: exit status 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


class Parser(CommandParser):
    """Says what is wrong with an option in one line; Django's says the usage first."""

    def error(self, message: str) -> NoReturn:
        if self.called_from_command_line:
            self.exit(2, f"{self.prog}: {message}\n")
        raise UsageError(message)


class Command(BaseCommand):
    """A command with `--as` and `--json`. Subclasses define `work`, and `show` for people.

    `work` returns one JSON document; whatever it wants to say on the way goes to `self.stderr`.
    """

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.__class__ = Parser  # Django makes it, and cannot be told of which class
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        """Subclasses add theirs and call this one."""
        parser.add_argument("--as", dest="actor", metavar="USER", help="act as this user")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def work(self, actor: Actor, **options: Any) -> Any:
        """Do it, and return the document that `--json` prints."""
        raise NotImplementedError

    def show(self, document: Any) -> None:
        """Print the document for people."""
        raise NotImplementedError

    def trouble(self, document: Any) -> str | None:  # noqa: ARG002  # subclasses look
        """Why the work failed although there is a document to print; None = it did not."""
        return None

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002  # as Django calls it
        with failures():
            document = self.work(**{**options, "actor": actor_named(options["actor"])})
        if options["json"]:
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=str))
        else:
            self.show(document)
        if trouble := self.trouble(document):
            raise CommandError(trouble)

    def execute(self, *args: Any, **options: Any) -> Any:
        """As Django's, but from the command line an error is its message alone, not its class too."""
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            if not getattr(self, "_called_from_command_line", False) or options.get("traceback"):
                raise
            self.stderr.write(str(error))
            sys.exit(error.returncode)


def actor_named(username: str | None) -> Actor:
    """The user that `--as` names; None where it was left out."""
    if username is None:
        return None
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise UsageError(f"--as {username}: there is no active user of that name")
    return user


def person(actor: Actor, what: str) -> User:
    """Who says something; `what` (a label, …) is refused of the command line, which is nobody."""
    if actor is None:
        raise UsageError(f"{what} is what a person says: name one with --as USER")
    return actor


@contextmanager
def failures() -> Iterator[None]:
    """Turn what may go wrong by no fault of ours into a CommandError with a clear line."""
    try:
        yield
    except LibraryMissing as error:
        raise UsageError(str(error)) from error
    except (LibraryInvalid, PermissionDenied) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        if error.filename is None:
            raise
        raise CommandError(f"{error.filename}: {error.strerror}") from error
    except OperationalError as error:
        raise CommandError(f"the database does not answer: {_line(error)}") from error
    except ProgrammingError as error:
        if "does not exist" not in str(error):
            raise
        raise CommandError(
            f"the database lacks a table or column ({_line(error)}): run manage.py migrate"
        ) from error


def _line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
