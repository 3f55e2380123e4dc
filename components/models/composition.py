"""Compositions: stored matrices that environments are made from."""

from __future__ import annotations

from typing import Any

from django.db import models

from components.models.domain import Domain


class Composition(models.Model):
    """`{intents: [...] | "*", rules: [...], records: [...], toolservers: [[...]], seeds: [...]}`."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="compositions")
    slug = models.SlugField(max_length=120)
    matrix: models.JSONField[dict[str, Any]] = models.JSONField()

    class Meta:
        ordering = ["domain", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "slug"], name="composition_named_once")
        ]

    def __str__(self) -> str:
        return f"{self.domain}/{self.slug}"
