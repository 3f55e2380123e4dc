"""`manage.py round`: check environments, and print what came of it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import connection

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError
from components.models.component import GIVEN, OURS
from triage.bar import Bar
from triage.cancellation import RoundOver, cancel
from triage.errors import error_texts
from triage.models import Check, Round
from triage.models.check import State
from triage.rounds import Counts, Summary, create_round, progress, summary
from triage.scope import STATUSES, NothingToCheck, RoundInvalid, Scope
from triage.table import aligned
from triage.tasks import close_rounds
from triage.waiting import NobodyWorks, wait
from triage.work import work_off, worker_name
from worlds.counted import counted

SORTS = {OURS: "our environments", GIVEN: "published ones"}


class Command(BaseCommand):
    help = (
        "Check environments in a round, by the workers or in this process, and print its numbers: by the labels, "
        "acceptances and counterexamples that stand now, as the pages show them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--domain",
            action="append",
            default=[],
            help="a domain's slug; may be repeated; default: all",
        )
        parser.add_argument(
            "--environment",
            action="append",
            default=[],
            metavar="DOMAIN/SLUG",
            help="an environment, by its slug alone where that is enough, or a pattern with * and ?; may be repeated",
        )
        parser.add_argument(
            "--status",
            action="append",
            default=[],
            choices=STATUSES,
            help="only those that stand so now; may be repeated",
        )
        parser.add_argument("--agents", metavar="A,B", help="who acts; default: all")
        parser.add_argument("--sample", type=int, metavar="N", help="check only N environments")
        parser.add_argument("--seed", type=int, default=0, help="draws the sample; default: 0")
        parser.add_argument(
            "--inline", action="store_true", help="work in this process, without workers"
        )
        parser.add_argument(
            "--no-search",
            action="store_true",
            help="look for no other way where a plan leads nowhere: much faster where much is broken",
        )
        parser.add_argument(
            "--cancel",
            type=int,
            metavar="ID",
            help="end this running round instead of starting one",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> Summary:
        if options["cancel"] is not None:
            return _cancelled(actor, options)
        made = _create(actor, options)
        self.stderr.write(_begun(made))
        try:
            with Bar(self.stderr) as bar:
                if options["inline"]:
                    _work_off(made, bar)
                wait(made, bar.show)
        except NobodyWorks as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            self.stderr.write(_interrupted(actor, made, is_inline=options["inline"]))
            raise
        close_rounds()
        made.refresh_from_db()
        if made.cancelled:
            raise CommandError(_told(made))
        return summary(made)

    def show(self, document: Summary) -> None:
        errors = [
            f"{counted(count, 'error')}: {said}" for said, count in error_texts(document["round"])
        ]
        made = Round.objects.get(pk=document["round"])
        lines = _lines(document) if made.cancelled is None else _left(made, document)
        self.stdout.write("\n".join([*lines, *errors]))

    def trouble(self, document: Summary) -> str | None:
        if not document["errors"] or document["errors"] < document["environments"]:
            return None
        said, _ = error_texts(document["round"])[0]
        return f"round {document['round']}: every check ended in error: {said}"


def _begun(made: Round) -> str:
    now = progress(made)
    total, left = now["total"], now["total"] - now["done"]
    return f"{made}: {counted(total, 'environment')}, {left or 'none'} to check"


def _cancelled(actor: Actor, options: dict[str, Any]) -> Summary:
    """The numbers of the round that `--cancel` ended."""
    rounds = Round.objects.all() if actor is None else Round.objects.visible_to(actor)
    made = rounds.filter(pk=options["cancel"]).first()
    if made is None:
        raise UsageError(f"--cancel {options['cancel']}: there is no round of that number")
    try:
        cancel(actor, made)
    except RoundOver as error:
        raise CommandError(str(error)) from error
    return summary(made)


def _interrupted(actor: Actor, made: Round, *, is_inline: bool) -> str:
    """What became of a round whose command was interrupted: nobody else works one off that was inline."""
    if not is_inline:
        return f"{made} goes on; to end it: manage.py round --cancel {made.pk}"
    connection.close_if_unusable_or_obsolete()
    try:
        cancel(actor, made)
    except RoundOver as error:
        return str(error)
    return _told(made)


def _told(made: Round) -> str:
    total = made.checks.count()
    done = total - made.checks.filter(state=State.CANCELLED).count()
    who = made.cancelled_by.get_username() if made.cancelled_by else "the command line"
    return f"{made} was cancelled by {who} after {done} of {counted(total, 'check')}"


def _scope(options: dict[str, Any]) -> Scope:
    return Scope(
        domains=options["domain"],
        environments=options["environment"],
        statuses=options["status"],
        sample=options["sample"],
        seed=options["seed"],
    )


def _create(actor: Actor, options: dict[str, Any]) -> Round:
    sample = options["sample"]
    if sample is not None and sample < 1:
        raise UsageError(f"--sample {sample}: give the number of environments to check, at least 1")
    names = [name.strip() for name in (options["agents"] or "").split(",") if name.strip()]
    try:
        return create_round(
            actor,
            _scope(options),
            names,
            searches=not options["no_search"],
            queue=not options["inline"],
        )
    except NothingToCheck as error:
        raise CommandError(str(error)) from error
    except RoundInvalid as error:
        raise UsageError(str(error)) from error


def _work_off(made: Round, bar: Bar) -> None:
    """Run the checks here, by the same claims as workers do."""
    waiting = Check.objects.unfinished().filter(round=made).order_by("pk")
    for _ in work_off(list(waiting.values_list("pk", flat=True)), worker_name()):
        bar.show(progress(made))


def _lines(document: Summary) -> list[str]:
    """The summary, for people."""
    rates = [[agent, _percent(rate)] for agent, rate in document["solve_rate"].items()]
    codes = [[code, str(count)] for code, count in document["findings"].items()]
    sorts, environments = document["by_authority"], counted(document["environments"], "environment")
    return [
        f"round {document['round']}: {environments} in {document['seconds']:.1f} s",
        _solvability(document),
        *(f"{SORTS[name]}: {_solvability(part)}" for name, part in sorts.items() if len(sorts) > 1),
        *aligned(["solve rate", ""], [*rates, ["floor", _percent(document["floor"])]]),
        *(aligned(["finding", "count"], codes) if codes else ["no findings"]),
    ]


def _solvability(counts: Summary | Counts) -> str:
    errors = counts["errors"]
    return (
        f"solvability {_percent(counts['solvability'])} "
        f"({counts['solvable']} of {counts['environments'] - errors}); {counts['broken']} broken, "
        f"{counts['unproven']} unproven, {counted(errors, 'error')}"
    )


def _left(made: Round, document: Summary) -> list[str]:
    """What a cancelled round came to: numbers only where there are any."""
    dropped = made.checks.filter(state=State.CANCELLED).count()
    kept = made.checks.count() - dropped
    line = f"{made} is cancelled: {counted(dropped, 'check')} dropped, {kept} kept"
    return [line, *(_lines(document) if kept else [])]


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{rate:.1%}"
