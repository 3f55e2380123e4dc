"""A small shop with a broken pen, as tests of the API propose to mend it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from components.models import Component, Environment
from tests.triage.shop import SOURCE, Shop
from tests.triage.test_moves import FORGETS, checked, forgetful
from triage.candidates import changes_of
from triage.models import Fault, Outcome, Proposal, Sighting, Suspect, Symptom, Trial
from triage.models.job import JobState
from triage.models.proposal import ProposalState
from triage.models.trial import Stage
from triage.proposals import propose
from worlds.canonical import digest
from worlds.toolserver_body import ToolServerBody

MENDED = ToolServerBody(source=SOURCE)
BROKEN = FORGETS


def client_of(user: User) -> APIClient:
    """A client that a user logged in with."""
    client = APIClient()
    client.force_authenticate(user)
    return client


class Desk:
    """Two environments whose pen forgets to save, a gathered round that found it, and the fault."""

    def __init__(self) -> None:
        self.shop = Shop()
        self.environments: list[Environment] = [self.shop.sound(slug) for slug in ("alpha", "beta")]
        self.pen: Component = forgetful(self.shop)
        self.round = checked()
        self.round.gathered = self.round.finished
        self.round.save()
        self.fault = self._fault()

    def _fault(self) -> Fault:
        made = Fault.objects.create(
            domain=self.shop.domain,
            code="plan-misses-goal",
            title="write keeps nothing",
            environments=2,
            first_round=self.round,
            last_round=self.round,
        )
        Symptom.objects.create(
            fault=made,
            fingerprint="f" * 16,
            code=made.code,
            kind="toolserver",
            slug="pen",
            symbol="write",
        )
        Suspect.objects.create(
            fault=made,
            rank=1,
            component=self.pen,
            version=self.pen.current,
            symbol="write",
            score=0.9,
            evidence=[{"sort": "direct", "text": "Both point here.", "cites": {}}],
        )
        Sighting.objects.bulk_create(
            Sighting(fault=made, check_row=check) for check in self.round.checks.all()
        )
        return made

    def proposed(self, author: User | None = None) -> Proposal:
        """A draft that mends the pen."""
        self.pen.refresh_from_db()
        return propose(author, self.shop.domain, [(self.pen, MENDED)], "Save it", fault=self.fault)

    def tried(self, row: Proposal, **report: Any) -> Trial:
        """A full trial that is done and speaks for the proposal, with an outcome an environment."""
        changes = [dict(one) for one in changes_of([row])]
        made = Trial.objects.create(
            changes=changes,
            digest=digest(changes),
            state=JobState.DONE,
            stage=Stage.FULL,
            report=report,
        )
        made.proposals.add(row)
        for environment in self.environments:
            Outcome.objects.create(
                trial=made,
                environment=environment,
                stage=Stage.FULL,
                bundle="b",
                before_status="broken",
                after_status="solvable",
                move="fixed",
            )
        Proposal.objects.filter(pk=row.pk).update(state=ProposalState.WAITING)
        row.refresh_from_db()
        return made
