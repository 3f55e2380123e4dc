"""Faults: findings that share a cause, with one identity across rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Domain
from components.models.body import Kind
from triage.models.check import Check
from triage.models.round import Round

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class FaultStatus(models.TextChoices):
    """Where a fault stands, as the newest check of each environment tells."""

    NEW = "new"
    """Seen in one round only."""
    ONGOING = "ongoing"
    FIXED = "fixed"
    """No environment shows it any longer."""
    REGRESSED = "regressed"
    """It was fixed, and is back."""
    ARCHIVED = "archived"
    """Somebody put it aside, with a reason."""


OPEN_FAULTS = (FaultStatus.NEW, FaultStatus.ONGOING, FaultStatus.REGRESSED)


class FaultQuerySet(models.QuerySet["Fault"]):
    def visible_to(self, user: User | AnonymousUser) -> FaultQuerySet:
        """Those of the domains that a user may read."""
        return self.filter(domain__in=Domain.objects.visible_to(user))

    def open(self) -> FaultQuerySet:
        """Those that somebody has yet to mend."""
        return self.filter(status__in=OPEN_FAULTS)


class Fault(models.Model):
    """One cause, as far as is known; its symptoms say by which findings it is known again."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="faults")
    code = models.CharField(max_length=40)
    """Of the findings that show it best."""
    title = models.CharField(max_length=300)
    """What happens, in words that a person understands."""
    status = models.CharField(
        max_length=10, choices=FaultStatus.choices, default=FaultStatus.NEW, db_index=True
    )
    environments = models.PositiveIntegerField(default=0)
    """How many show it now, by their newest check; while it is fixed, how many did last."""
    is_blocking = models.BooleanField(default=True)
    """Whether any of those is broken by it; else it is a warning."""
    first_round = models.ForeignKey(
        Round, null=True, on_delete=models.SET_NULL, related_name="faults_first_seen"
    )
    last_round = models.ForeignKey(
        Round, null=True, on_delete=models.SET_NULL, related_name="faults_last_seen"
    )
    fixed_round = models.ForeignKey(
        Round, null=True, on_delete=models.SET_NULL, related_name="faults_fixed"
    )
    """In which nothing showed it any longer, last."""
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="faults"
    )
    archived_because = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    objects = FaultQuerySet.as_manager()

    class Meta:
        ordering = ["-environments", "id"]

    def __str__(self) -> str:
        return f"fault {self.pk}"


class Symptom(models.Model):
    """A fingerprint by which a fault shows. One fingerprint may be a symptom of several faults: two broken tools
    can make the same plan miss the same goal."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="symptoms")
    fingerprint = models.CharField(max_length=16, db_index=True)
    code = models.CharField(max_length=40)
    kind = models.CharField(max_length=12, choices=Kind.choices, blank=True)
    slug = models.CharField(max_length=120, blank=True)
    symbol = models.CharField(max_length=400)

    class Meta:
        ordering = ["fault", "id"]
        constraints = [
            models.UniqueConstraint(fields=["fault", "fingerprint"], name="symptom_once")
        ]

    def __str__(self) -> str:
        return f"{self.code} at {self.symbol}"


class Sighting(models.Model):
    """A check that showed a fault."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="sightings")
    check_row = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="sightings")
    is_blocking = models.BooleanField(default=True)
    """Whether a blocking finding showed it there."""

    class Meta:
        ordering = ["fault", "check_row"]
        constraints = [models.UniqueConstraint(fields=["fault", "check_row"], name="sighted_once")]

    def __str__(self) -> str:
        return f"{self.fault} in {self.check_row}"


class Comment(models.Model):
    """What somebody says about a fault."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    text = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["fault", "at", "id"]

    def __str__(self) -> str:
        return f"comment on {self.fault}"
