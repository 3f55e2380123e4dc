"""Laws of reviewing: whatever is done in whatever order, versions follow each other and decisions stand."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from components.models import AuditEntry, Component, Version
from components.versions import AlreadySays, restore
from tests.triage.repairs import repair, source, tried
from tests.triage.shop import Shop
from triage.models import Proposal
from triage.models.proposal import DECIDED
from triage.proposals import AlreadyDecided, ProposalInvalid, edit
from triage.review import approve, defer, reject
from triage.staleness import Stale

PROPOSALS = 3
DECIDED_FIELDS = ("state", "revision", "decided", "decided_by", "comment", "edited", "title")
EXPECTED = (AlreadyDecided, AlreadySays, ProposalInvalid, Stale)
ACTS = some.tuples(
    some.sampled_from(["approve", "edit", "reject", "defer", "restore", "try"]),
    some.integers(0, PROPOSALS - 1),
)


class Story:
    """A domain with proposals for one component, to which things are done."""

    def __init__(self, number: int, by: User) -> None:
        self.by, self.shop = by, Shop(f"notes-{number}")
        said = [source(f"first {each}") for each in range(PROPOSALS)]
        self.made = [repair(by, self.shop, (self.shop.server, each)) for each in said]
        self.adopted = [Version.objects.get(component=self.shop.server)]
        self.decided: dict[int, Any] = {}
        for each in self.made:
            tried(each)

    def do(self, act: str, which: int, step: int) -> None:
        row = Proposal.objects.get(pk=self.made[which].pk)
        try:
            if act == "approve":
                self.adopted += approve(self.by, row, row.revision)
            elif act == "restore":
                versions = self.adopted
                self.adopted.append(restore(self.by, versions[which % len(versions)], "back"))
            elif act == "edit":
                said = [(self.shop.server, source(f"step {step}"))]
                edit(self.by, row, row.revision, changes=said)
            elif act == "try" and row.state not in DECIDED:
                tried(row)
            elif act in ("reject", "defer"):
                (reject if act == "reject" else defer)(self.by, row, row.revision, "said")
        except EXPECTED:
            pass

    def holds(self) -> None:
        component = Component.objects.get(pk=self.shop.server.pk)
        versions = Version.objects.filter(component=component).order_by("number")
        assert list(versions) == self.adopted
        assert component.current_id == self.adopted[-1].pk
        for number, version in enumerate(versions, 1):
            assert version.number == number
            assert version.parent_id == (versions[number - 2].pk if number > 1 else None)
        noted = AuditEntry.objects.filter(domain=self.shop.domain, action="version.create")
        targets = sorted(noted.values_list("target", flat=True))
        name = f"{self.shop.domain.slug}/toolserver/pen"
        assert targets == sorted(f"{name} v{each.number}" for each in self.adopted[1:])
        self._decisions_stand()

    def _decisions_stand(self) -> None:
        rows = Proposal.objects.filter(domain=self.shop.domain)
        for pk, *said in rows.values_list("pk", *DECIDED_FIELDS):
            bodies = sorted(rows.get(pk=pk).changes.values_list("body", "base", "version"))
            if pk in self.decided:
                assert self.decided[pk] == (said, bodies)
            elif said[0] in DECIDED:
                self.decided[pk] = (said, bodies)


class Numbers:
    """Each example has a domain of its own."""

    last = 0


@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(acts=some.lists(ACTS, max_size=14))
def test_whatever_is_done_versions_follow_each_other_and_decisions_stand(
    curator: User, acts: list[tuple[str, int]]
) -> None:
    Numbers.last += 1
    story = Story(Numbers.last, curator)
    for step, (act, which) in enumerate(acts):
        story.do(act, which, step)
        story.holds()
