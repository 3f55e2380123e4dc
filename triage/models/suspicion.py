"""Suspicions: episodes that passed in a way that somebody should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Component, Domain, Environment
from triage.models.counterexample import Counterexample
from triage.models.episode import Episode
from triage.models.result import Result

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Reason(models.TextChoices):
    """What is suspicious about a pass."""

    OTHER_EFFECT = "other-effect"
    """It changed something else than the reference."""
    UNREAD = "unread"
    """It used a value that the reference had to read, and nothing had told it."""
    AROUND_GUARD = "around-guard"
    """A guard stopped it, and it passed all the same."""
    WEAKER_AGENT = "weaker-agent"
    """An agent that understands nothing passed, and the reference did not."""


class Reading(models.TextChoices):
    """What a person who read it says of a pass."""

    UNREAD = ""
    RIGHT = "right"
    WRONG = "wrong"


class SuspicionQuerySet(models.QuerySet["Suspicion"]):
    def visible_to(self, user: User | AnonymousUser) -> SuspicionQuerySet:
        """Those in environments of the domains that a user may read."""
        return self.filter(environment__domain__in=Domain.objects.visible_to(user))


class Suspicion(models.Model):
    """One reason to doubt one pass; those of one fingerprint are queued together."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="suspicions")
    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="suspicions")
    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="suspicions"
    )
    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="suspicions")
    """The intent, whose goal let it pass."""
    kind = models.CharField(max_length=20, choices=Reason.choices)
    explanation = models.TextField()
    fingerprint = models.CharField(max_length=16, db_index=True)
    """Of kind, agent and intent."""
    found = models.DateTimeField(auto_now_add=True)
    reading = models.CharField(max_length=10, choices=Reading.choices, blank=True)
    note = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(null=True)
    counterexample = models.ForeignKey(
        Counterexample, null=True, on_delete=models.SET_NULL, related_name="suspicions"
    )
    """What `wrong` made of it."""

    objects = SuspicionQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "episode", "kind"], name="suspected_once"
            )
        ]

    def __str__(self) -> str:
        return f"suspicion {self.pk}"
