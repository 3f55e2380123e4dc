"""Versions: what a component said, when, by whom and why."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from components.models.body import Body
from components.models.component import Component


class Version(models.Model):
    """One immutable row; restoring an old one makes a new row with the old body."""

    component = models.ForeignKey(Component, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    body = models.ForeignKey(Body, on_delete=models.PROTECT, related_name="versions")
    parent = models.ForeignKey("self", null=True, on_delete=models.RESTRICT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    reason = models.TextField()
    source = models.CharField(max_length=400)
    """Where it came from: `library meetings/intents/book.yaml`, `import_tau2`, `proposal 12`."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["component", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["component", "number"], name="version_numbered_once")
        ]

    def __str__(self) -> str:
        return f"{self.component} v{self.number}"
