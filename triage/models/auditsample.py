"""Audit samples: certified environments drawn at random, to be read by people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Domain, Environment

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class AuditVerdict(models.TextChoices):
    """What a person who read an environment says of it."""

    UNREAD = ""
    SOUND = "sound"
    DEFECTIVE = "defective"


class AuditSampleQuerySet(models.QuerySet["AuditSample"]):
    def visible_to(self, user: User | AnonymousUser) -> AuditSampleQuerySet:
        """Those with an item that a user may read."""
        items = AuditItem.objects.visible_to(user)
        return self.filter(pk__in=items.order_by().values("sample"))


class AuditSample(models.Model):
    """A draw: the same seed draws the same of the same environments."""

    name = models.SlugField(max_length=80, unique=True)
    seed = models.PositiveIntegerField()
    size = models.PositiveIntegerField()
    """Items drawn."""
    created = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    objects = AuditSampleQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class AuditItemQuerySet(models.QuerySet["AuditItem"]):
    def visible_to(self, user: User | AnonymousUser) -> AuditItemQuerySet:
        """Those of the environments of domains that a user may read."""
        return self.filter(environment__domain__in=Domain.objects.visible_to(user))


class AuditItem(models.Model):
    """One environment of a sample, as it was when it was drawn, and what a person says of it."""

    sample = models.ForeignKey(AuditSample, on_delete=models.CASCADE, related_name="items")
    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="audit_items"
    )
    bundle = models.CharField(max_length=64)
    stratum = models.CharField(max_length=80)
    """The domain's slug."""
    population = models.PositiveIntegerField()
    """Certified environments in the stratum when it was drawn."""
    verdict = models.CharField(max_length=10, choices=AuditVerdict.choices, blank=True)
    note = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(null=True)

    objects = AuditItemQuerySet.as_manager()

    class Meta:
        ordering = ["sample", "id"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "environment"], name="sampled_once")
        ]

    def __str__(self) -> str:
        return f"item {self.pk} of {self.sample}"
