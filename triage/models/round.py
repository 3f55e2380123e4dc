"""Rounds: one pass of checks over a scope, with a panel of agents."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models.functions import Now

from components.models import Domain

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class RoundQuerySet(models.QuerySet["Round"]):
    def visible_to(self, user: User | AnonymousUser) -> RoundQuerySet:
        """The rounds over at least one domain that a user may read; their numbers are `rounds.summary`'s
        with that user as the actor, which leaves out the checks of other domains."""
        return self.over(Domain.objects.visible_to(user))

    def over(self, domains: models.QuerySet[Domain] | Collection[int]) -> RoundQuerySet:
        """The rounds over at least one of these domains (or ids)."""
        scopes = Round.domains.through.objects.filter(domain__in=domains)
        return self.filter(pk__in=scopes.values("round"))

    def with_domains(self, user: User | AnonymousUser) -> RoundQuerySet:
        """With the domains that a user may read at hand, in one query more."""
        visible = Domain.objects.visible_to(user)
        return self.prefetch_related(models.Prefetch("domains", visible))

    def close(self) -> int:
        """Mark as finished those that have no unfinished check left; returns how many."""
        open_rounds = self.filter(finished=None)
        return open_rounds.exclude(checks__state__in=["queued", "running"]).update(finished=Now())


class Round(models.Model):
    """What was asked for, by whom, and when it was done; its checks hold what came of it."""

    created = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    domains = models.ManyToManyField(Domain, related_name="rounds")
    scope: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """What the environments were chosen by: `{domains: [...], sample: 20 | null, seed: 0}`, and where that was
    asked for `environments`, `statuses`, and a list's `filters` (see `triage.scope`)."""
    panel: models.JSONField[list[str]] = models.JSONField(default=list)
    """The names of the agents that acted."""
    searches = models.BooleanField(default=True)
    """Whether another way is looked for where no plan leads to the goal."""
    recipe = models.CharField(max_length=64)
    """Digest of panel, checks with versions, limits and engine: results are shared within it."""
    finished = models.DateTimeField(null=True)
    gathered = models.DateTimeField(null=True)
    """When its findings were gathered into faults; None = not yet."""
    cancelled = models.DateTimeField(null=True)
    """When somebody ended it before its time (then it is finished too); None = nobody did."""
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """None = the command line, where it was cancelled."""

    objects = RoundQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"round {self.pk}"
