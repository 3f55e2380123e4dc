"""The audit log: every write that a person or a command made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models.domain import Domain

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    def visible_to(self, user: User | AnonymousUser) -> AuditQuerySet:
        """The entries of the domains that a user may read, and those of no domain."""
        visible = models.Q(domain__in=Domain.objects.visible_to(user))
        return self.filter(visible | models.Q(domain=None)) if user.is_active else self.none()


class AuditEntry(models.Model):
    """Who did what to what; written in the transaction of the act, never changed."""

    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    action = models.CharField(max_length=60)
    """`library.load`, `version.create`, `round.create`, …"""
    domain = models.ForeignKey(Domain, null=True, on_delete=models.CASCADE)
    target = models.CharField(max_length=300)
    """What it was done to, in words: `tau2-retail/toolserver/retail v2`, `round 7`."""
    detail: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
