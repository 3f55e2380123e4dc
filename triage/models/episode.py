"""Episodes: one attempt by one agent, kept by key and shared between results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from triage.models.agent import AgentProfile
from triage.models.result import Result

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def visible_to(self, user: User | AnonymousUser) -> EpisodeQuerySet:
        """The episodes of checks that a user may read."""
        links = Result.episodes.through.objects.filter(result__in=Result.objects.visible_to(user))
        return self.filter(pk__in=links.values("episode"))

    def for_list(self) -> EpisodeQuerySet:
        """With their agents, without the steps: what a list of attempts shows."""
        return self.select_related("agent").defer("document")


class Episode(models.Model):
    """The columns that lists need, and the whole episode (`worlds.step.Episode`) as JSON."""

    key = models.CharField(primary_key=True, max_length=64)
    """Digest of bundle, agent, seed, attempt and engine."""
    bundle = models.CharField(max_length=64, db_index=True)
    agent = models.ForeignKey(AgentProfile, on_delete=models.PROTECT, related_name="episodes")
    seed = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField()
    reward = models.PositiveSmallIntegerField(null=True)
    """None = not scored, which is never 0."""
    progress = models.FloatField(null=True)
    length = models.PositiveIntegerField()
    """Steps."""
    calls = models.PositiveIntegerField(default=0)
    """Those of the steps that call a tool."""
    document: models.JSONField[dict[str, Any]] = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)

    objects = EpisodeQuerySet.as_manager()

    class Meta:
        ordering = ["agent", "attempt"]

    def __str__(self) -> str:
        return f"{self.agent} on {self.bundle[:12]}"
