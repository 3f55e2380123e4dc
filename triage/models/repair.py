"""Repairs: searches for what would mend a fault, and what was tried on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.utils import timezone

from components.models import Domain
from triage.models.fault import Fault
from triage.models.job import Job, JobState
from triage.models.proposal import Proposal

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class RepairQuerySet(models.QuerySet["Repair"]):
    def visible_to(self, user: User | AnonymousUser) -> RepairQuerySet:
        """Those of faults of the domains that a user may read."""
        return self.filter(fault__domain__in=Domain.objects.visible_to(user))


class Repair(Job):
    """The job that lets proposers look at one fault, tries what they say, and proposes the best of it. Its `done` and
    `total` are candidates."""

    PRIORITY = 9
    """Searches take long, and nobody waits for those that were begun by themselves: checks overtake them."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="repairs")
    seconds = models.FloatField(default=30.0)
    """That the search may take, at most; trials of what it proposes come on top."""
    spent = models.FloatField(default=0.0)
    """Seconds that it took."""
    takes_back = models.BooleanField(default=True)
    """Whether earlier versions may be proposed."""
    borrows = models.BooleanField(default=True)
    """Whether other components of the domain may be borrowed from, or stand in."""
    looked_at: models.JSONField[list[int]] = models.JSONField(default=list)
    """Environments (ids) that proposers saw, or on which candidates were tried: none judges what comes of it."""
    counts: models.JSONField[dict[str, int]] = models.JSONField(default=dict)
    """Fate → how many candidates ended so (`Fate`)."""

    objects = RepairQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"repair {self.pk}"

    @property
    def seconds_left(self) -> float | None:
        """That the search may still take, at most; None where it does not run."""
        if self.started is None or self.state != JobState.RUNNING:
            return None
        taken = self.spent + (timezone.now() - self.started).total_seconds()
        return max(0.0, self.seconds - taken)


class Fate(models.TextChoices):
    """What became of a candidate. In the order in which candidates are weeded out."""

    INVALID = "invalid"
    """It cannot be used as it stands: a check of its text refuses it."""
    FAILING = "failing"
    """The plan still fails with it."""
    UNCURED = "uncured"
    """The fault still shows, or another one does instead."""
    REGRESSING = "regressing"
    """It breaks an environment that is sound."""
    OUTRANKED = "outranked"
    """It works as far as it was tried; others rank above it."""
    PROPOSED = "proposed"
    UNTRIED = "untried"
    """The time was up before its turn came."""


class Alternative(models.Model):
    """A candidate of a repair, and why it lost, or that it was proposed. Those that came furthest are kept."""

    repair = models.ForeignKey(Repair, on_delete=models.CASCADE, related_name="alternatives")
    rank = models.PositiveSmallIntegerField()
    """From 1: those that came furthest first."""
    proposer = models.CharField(max_length=40)
    says = models.CharField(max_length=400)
    """What it would do, as a sentence."""
    components: models.JSONField[list[str]] = models.JSONField(default=list)
    """`KIND/SLUG` of what it would change."""
    diff = models.TextField(blank=True)
    """Unified, of the files as they would be written; cut where it is long."""
    authority = models.TextField(blank=True)
    likelihood = models.FloatField(default=0.0)
    """What its proposer thought of it, in (0, 1]."""
    fate = models.CharField(max_length=10, choices=Fate.choices)
    because = models.TextField(blank=True)
    """Where and how it lost, in a sentence."""
    cured: models.JSONField[list[str]] = models.JSONField(default=list)
    """Environments (slugs) that show the fault no longer with it, of those on which it was tried."""
    proposal = models.ForeignKey(
        Proposal, null=True, on_delete=models.SET_NULL, related_name="alternatives"
    )
    """What was made of it."""

    class Meta:
        ordering = ["repair", "rank"]

    def __str__(self) -> str:
        return f"{self.says} ({self.fate})"
