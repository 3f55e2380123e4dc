"""Rounds: one pass of checks over a scope, with a panel of agents."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from components.models import Domain


class Round(models.Model):
    """What was asked for, by whom, and when it was done; its checks hold what came of it."""

    created = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    domains = models.ManyToManyField(Domain, related_name="rounds")
    scope: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """What the environments were chosen by: `{domains: [...], sample: 20}`."""
    panel: models.JSONField[list[str]] = models.JSONField(default=list)
    """The names of the agents that acted."""
    recipe = models.CharField(max_length=64)
    """Digest of panel, checks with versions, limits and engine: results are shared within it."""
    finished = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"round {self.pk}"
