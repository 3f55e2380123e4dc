"""Proposals: one to three components that would say something else, tried and reviewed before they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Body, Component, Domain, Version
from triage.models.fault import Fault

if TYPE_CHECKING:
    from django.contrib.auth.models import User

MOST_CHANGES = 3


class ProposalKind(models.TextChoices):
    REPAIR = "repair"
    EVOLUTION = "evolution"


class ProposalState(models.TextChoices):
    """Where a proposal stands."""

    DRAFT = "draft"
    """Written, not tried as it stands."""
    TRYING = "trying"
    """A trial waits or runs."""
    WAITING = "waiting"
    """Tried in full: a person may decide."""
    DEFERRED = "deferred"
    """Somebody wants to decide later."""
    APPROVED = "approved"
    REJECTED = "rejected"
    STALE = "stale"
    """A component has moved on since: it is to be tried again on what there is now."""
    FAILED = "failed"
    """Its trial failed, or showed that it mends nothing."""


DECIDED = (ProposalState.APPROVED, ProposalState.REJECTED)
"""No way leads out of these."""


class ProposalQuerySet(models.QuerySet["Proposal"]):
    def visible_to(self, user: User | AnonymousUser) -> ProposalQuerySet:
        """Those of the domains that a user may read."""
        return self.filter(domain__in=Domain.objects.visible_to(user))

    def undecided(self) -> ProposalQuerySet:
        """Those that are neither approved nor rejected."""
        return self.exclude(state__in=DECIDED)


class Proposal(models.Model):
    """What would change, why, and what became of it."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="proposals")
    fault = models.ForeignKey(Fault, null=True, on_delete=models.SET_NULL, related_name="proposals")
    """What it would mend; None = nothing that is known as a fault."""
    kind = models.CharField(
        max_length=10, choices=ProposalKind.choices, default=ProposalKind.REPAIR
    )
    state = models.CharField(
        max_length=10, choices=ProposalState.choices, default=ProposalState.DRAFT, db_index=True
    )
    title = models.CharField(max_length=300)
    reason = models.TextField(blank=True)
    """Why it is right, in its author's words."""
    authority = models.TextField(blank=True)
    """What it rests on, quoted: a clause, docstring, schema line, or a sibling that does it right."""
    revision = models.PositiveIntegerField(default=1)
    """Raised by every edit: who edits or decides says which one was read."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    edited = models.DateTimeField(auto_now_add=True)
    """When what it would change was written last: trials from before are of something else."""
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided = models.DateTimeField(null=True)
    comment = models.TextField(blank=True)
    """What who approved, rejected or deferred it said."""
    repair = models.ForeignKey(
        "triage.Repair", null=True, on_delete=models.SET_NULL, related_name="proposals"
    )
    """Which search wrote it; None = a person did."""
    likelihood = models.FloatField(null=True)
    """How likely its proposer takes it to be the right edit, in (0, 1]; None = a person wrote it."""
    override = models.TextField(blank=True)
    """Why it was approved in spite of what its trial showed; empty = nothing stood against it."""

    objects = ProposalQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        permissions = [("review_proposal", "Can approve, reject and defer proposals")]

    def __str__(self) -> str:
        return f"proposal {self.pk}"

    @property
    def is_decided(self) -> bool:
        """Whether somebody approved or rejected it."""
        return self.state in DECIDED

    def given_components(self) -> list[Component]:
        """Those that it would change although they mirror something outside: only with an override."""
        changes = self.changes.select_related("component__domain")
        return [change.component for change in changes if change.component.is_given]

    def moved(self) -> list[Change]:
        """Its changes whose component says something else by now than what they were written against."""
        changes = self.changes.select_related("component__domain", "component__current__author")
        return [one for one in changes if one.component.current_id != one.base_id]


class Change(models.Model):
    """One component's part of a proposal."""

    proposal = models.ForeignKey(Proposal, on_delete=models.CASCADE, related_name="changes")
    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="changes")
    base = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    """The version that it was written against."""
    body = models.ForeignKey(Body, on_delete=models.PROTECT, related_name="+")
    """What the component would say."""
    version = models.ForeignKey(
        Version, null=True, on_delete=models.SET_NULL, related_name="changes"
    )
    """What the approval made of it."""

    class Meta:
        ordering = ["proposal", "id"]
        constraints = [
            models.UniqueConstraint(fields=["proposal", "component"], name="changed_once")
        ]

    def __str__(self) -> str:
        return f"{self.component} in {self.proposal}"
