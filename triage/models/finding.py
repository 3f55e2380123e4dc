"""Findings: pieces of evidence of a defect, as a check reported them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Component, Version
from components.models.body import Kind
from triage.models.result import Result

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Severity(models.TextChoices):
    """Blocking = a replayed contradiction; warning = a guess about meaning; advice = an opinion."""

    BLOCKING = "blocking"
    WARNING = "warning"
    ADVICE = "advice"


class FindingQuerySet(models.QuerySet["Finding"]):
    def visible_to(self, user: User | AnonymousUser) -> FindingQuerySet:
        """The findings of checks that a user may read."""
        return self.filter(result__in=Result.objects.visible_to(user))

    def worst_first(self) -> FindingQuerySet:
        """Blocking before warnings before advice, and as the check reported them."""
        ranks = [
            models.When(severity=severity, then=models.Value(rank))
            for rank, severity in enumerate(Severity)
        ]
        return self.alias(rank=models.Case(*ranks)).order_by("result", "rank", "id")

    def for_list(self) -> FindingQuerySet:
        """Worst first, with the component and version blamed, in one query."""
        return self.worst_first().select_related("component__domain", "version")


class Finding(models.Model):
    """One finding of one result; `fingerprint` is the same for the same defect wherever it shows."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=40, db_index=True)
    severity = models.CharField(max_length=10, choices=Severity.choices)
    kind = models.CharField(max_length=12, choices=Kind.choices, blank=True)
    slug = models.CharField(max_length=120, blank=True)
    """Of the component blamed, as reported: a finding outlives the component's row."""
    component = models.ForeignKey(
        Component, null=True, on_delete=models.SET_NULL, related_name="findings"
    )
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    place = models.CharField(max_length=400)
    symbol = models.CharField(max_length=400)
    fingerprint = models.CharField(max_length=16, db_index=True)
    message = models.TextField()
    evidence: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ["result", "id"]

    def __str__(self) -> str:
        return f"{self.code} at {self.place}"
