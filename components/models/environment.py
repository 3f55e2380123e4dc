"""Environments: an intent, rules in order, one records set, tool servers, a seed; at current versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models.component import Component
from components.models.composition import Composition
from components.models.domain import Domain
from components.models.json import ExactJSONField

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class EnvironmentQuerySet(models.QuerySet["Environment"]):
    def visible_to(self, user: User | AnonymousUser) -> EnvironmentQuerySet:
        """The environments of the domains that a user may read."""
        return self.filter(domain__in=Domain.objects.visible_to(user))


class Environment(models.Model):
    """A simulated workplace, named; it follows the current versions of its parts."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="environments")
    slug = models.CharField(max_length=300)
    seed = models.PositiveIntegerField(default=0)
    composition = models.ForeignKey(
        Composition, null=True, on_delete=models.CASCADE, related_name="environments"
    )
    """None = written out by hand."""
    components: models.ManyToManyField[Component, Part] = models.ManyToManyField(
        Component, through="Part", related_name="environments"
    )
    pin = models.ForeignKey("Pin", null=True, on_delete=models.RESTRICT, related_name="+")

    objects = EnvironmentQuerySet.as_manager()

    class Meta:
        ordering = ["domain", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "slug"], name="environment_named_once")
        ]

    def __str__(self) -> str:
        return f"{self.domain}/{self.slug}"


class Part(models.Model):
    """A component's place in an environment: its kind says which, position orders rules and tool servers."""

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="parts")
    component = models.ForeignKey(Component, on_delete=models.RESTRICT, related_name="parts")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["environment", "component__kind", "position"]
        constraints = [
            models.UniqueConstraint(fields=["environment", "component"], name="part_used_once")
        ]

    def __str__(self) -> str:
        return f"{self.environment} uses {self.component}"


class Pin(models.Model):
    """Slot binding and expected effect, fixed when the environment was composed. A new one is a reviewed act, but where
    others publish a task anew: its import makes one."""

    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="pins")
    binding = ExactJSONField(default=dict)
    """Slot → key."""
    effect = ExactJSONField(null=True)
    """A diff (see `worlds.diff`) with fresh keys masked, or None."""
    reason = models.TextField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"pin of {self.environment}"
