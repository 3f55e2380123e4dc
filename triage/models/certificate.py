"""Certificates: what was looked at before a bundle was called solvable, and what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Domain, Environment
from triage.models.result import Result, Witness

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class CertificateQuerySet(models.QuerySet["Certificate"]):
    def visible_to(self, user: User | AnonymousUser) -> CertificateQuerySet:
        """Those of the environments of domains that a user may read."""
        return self.filter(environment__domain__in=Domain.objects.visible_to(user))


class Certificate(models.Model):
    """Immutable, and bound to a bundle: of an environment that has become another one it says nothing."""

    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="certificates"
    )
    bundle = models.CharField(max_length=64)
    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="certificates")
    recipe = models.CharField(max_length=64)
    """Digest of panel, checks with versions, limits and engine."""
    checks: models.JSONField[dict[str, int]] = models.JSONField()
    """Stage → the version of it that ran."""
    agents: models.JSONField[dict[str, str]] = models.JSONField()
    """Agent of the panel → its digest; which of them made an attempt, the result's episodes say."""
    engine: models.JSONField[dict[str, Any]] = models.JSONField()
    """What executed the bundle: our format number and the interpreters' versions."""
    unobserved: models.JSONField[list[dict[str, str]]] = models.JSONField(default=list)
    """What the tool servers hid: `[{what, why}]`; `triage.unobserved` adds what else was not looked at."""
    witness = models.CharField(max_length=10, choices=Witness.choices)
    created = models.DateTimeField(auto_now_add=True)

    objects = CertificateQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["environment", "result"], name="certified_once")
        ]

    def __str__(self) -> str:
        return f"certificate {self.pk}"
