"""`manage.py review`: decide on a proposal, or approve by itself what nothing stands against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from components.actor import Actor
from components.commands import Command as BaseCommand
from components.commands import UsageError, person
from components.models import Version
from triage.models import Proposal
from triage.models.proposal import ProposalState
from triage.proposals import AlreadyDecided, Conflict, ProposalInvalid
from triage.review import Automatic, Stale, approve, auto, defer, reject
from worlds.counted import counted


class Command(BaseCommand):
    help = (
        "Decide on a proposal: `review ID approve|reject|defer`; or approve of each fault the best proposal that "
        "nothing stands against: `review --auto`. Needs --as USER."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("proposal", type=int, nargs="?", metavar="ID", help="a proposal's id")
        parser.add_argument("act", choices=["approve", "reject", "defer"], nargs="?")
        parser.add_argument("--auto", action="store_true", help="of every open fault, the best")
        parser.add_argument("--comment", default="", metavar="T", help="why; needed to reject")
        parser.add_argument(
            "--override",
            default="",
            metavar="T",
            help="why to approve in spite of regressions, weakening, drift or a given component",
        )
        super().add_arguments(parser)

    def work(self, actor: Actor, **options: Any) -> Any:
        by = person(actor, "a review")
        proposal, act = options["proposal"], options["act"]
        if (None in (proposal, act)) is not options["auto"] or (options["auto"] and proposal):
            raise UsageError("give ID and approve, reject or defer; or --auto alone")
        if act == "reject" and not options["comment"].strip():
            raise UsageError("reject needs --comment T: say why the proposal is wrong")
        if options["override"] and act != "approve":
            raise UsageError("--override goes with approve: nothing else needs one")
        try:
            if options["auto"]:
                return [_told_of(one) for one in auto(by)]
            return self._one(by, _named(proposal, by), options)
        except (AlreadyDecided, Conflict, ProposalInvalid, Stale) as error:
            raise CommandError(str(error)) from error

    def show(self, document: Any) -> None:
        if isinstance(document, list):
            done = sum(not one["refused"] for one in document)
            for one in document:
                self._line(one)
            self.stdout.write(f"{counted(done, 'proposal')} approved")
        else:
            self._line(document)

    def _line(self, told: dict[str, Any]) -> None:
        made = ", ".join(f"{one['component']} v{one['version']}" for one in told["versions"])
        why = made or told.get("refused", "")
        self.stdout.write(
            f"proposal {told['proposal']} {told['state']}" + (f": {why}" if why else "")
        )

    def _one(self, by: User, row: Proposal, options: dict[str, Any]) -> dict[str, Any]:
        comment = options["comment"]
        if options["act"] == "approve":
            made = approve(by, row, row.revision, comment, options["override"])
            return _told(row, ProposalState.APPROVED, made)
        decide = reject if options["act"] == "reject" else defer
        return _told(row, decide(by, row, row.revision, comment).state, [])


def _named(number: int, by: User) -> Proposal:
    found = Proposal.objects.visible_to(by).filter(pk=number).first()
    if found is None:
        raise UsageError(f"there is no proposal {number}")
    return found


def _told(row: Proposal, state: str, made: Iterable[Version]) -> dict[str, Any]:
    versions = [
        {
            "component": str(version.component),
            "kind": version.component.kind,
            "version": version.number,
        }
        for version in made
    ]
    return {"proposal": row.pk, "state": str(state), "versions": versions}


def _told_of(one: Automatic) -> dict[str, Any]:
    state = one.proposal.state if one.refused else ProposalState.APPROVED
    told = _told(one.proposal, state, one.versions)
    return {**told, "fault": one.fault.pk, "refused": one.refused}
