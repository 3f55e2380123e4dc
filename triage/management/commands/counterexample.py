"""`manage.py counterexample`: say that a verdict is wrong, or take that back."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError, person
from triage.counterexamples import CounterexampleInvalid, make, retire, with_state
from triage.models import Counterexample
from triage.named import episode_by_key

REWARDS = {"pass": 1, "fail": 0}


class Command(BaseCommand):
    help = (
        "Say that an episode should have passed, or failed: `counterexample EPISODE pass|fail`; "
        "or take a counterexample back: `counterexample retire ID`. Needs --as USER."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", metavar="EPISODE|retire", help="an episode's key, or `retire`")
        parser.add_argument("then", metavar="pass|fail|ID", help="what it should have done")
        parser.add_argument("--reason", required=True, metavar="T", help="why, in a sentence")
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> dict[str, Any]:
        author = person(actor, "a counterexample")
        what, then, reason = options["what"], options["then"], options["reason"]
        try:
            if what == "retire":
                row = _named(then, author)
                retire(author, row, reason)
            elif then not in REWARDS:
                raise UsageError(f"{then}: an episode should pass or fail, nothing else")
            else:
                row = make(author, episode_by_key(what, author), REWARDS[then], reason)
        except CounterexampleInvalid as error:
            raise CommandError(str(error)) from error
        found = with_state(Counterexample.objects.filter(pk=row.pk)).get()
        return {"counterexample": row.pk, "environment": str(row.environment), "state": found.state}

    def show(self, document: dict[str, Any]) -> None:
        self.stdout.write(
            "counterexample {counterexample} of {environment}: {state}".format(**document)
        )


def _named(number: str, author: User) -> Counterexample:
    rows = Counterexample.objects.visible_to(author)
    found = rows.filter(pk=int(number)).first() if number.isdecimal() else None
    if found is None:
        raise UsageError(f"retire {number}: there is no counterexample of that number")
    return found
