"""Agents as the rounds knew them."""

from __future__ import annotations

from typing import Any

from django.db import models


class AgentProfile(models.Model):
    """An agent by name and digest: the same digest acts the same."""

    name = models.SlugField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    parameters: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
