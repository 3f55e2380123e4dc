"""Findings: pieces of evidence of a defect, as a check reported them."""

from __future__ import annotations

from typing import Any

from django.db import models

from components.models import Component, Version
from components.models.body import Kind
from triage.models.result import Result


class Severity(models.TextChoices):
    """Blocking = a replayed contradiction; warning = a guess about meaning; advice = an opinion."""

    BLOCKING = "blocking"
    WARNING = "warning"
    ADVICE = "advice"


class Finding(models.Model):
    """One finding of one result; `fingerprint` is the same for the same defect wherever it shows."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=40, db_index=True)
    severity = models.CharField(max_length=10, choices=Severity.choices)
    kind = models.CharField(max_length=12, choices=Kind.choices, blank=True)
    component = models.ForeignKey(
        Component, null=True, on_delete=models.CASCADE, related_name="findings"
    )
    version = models.ForeignKey(Version, null=True, on_delete=models.CASCADE, related_name="+")
    place = models.CharField(max_length=400)
    symbol = models.CharField(max_length=400)
    fingerprint = models.CharField(max_length=16, db_index=True)
    message = models.TextField()
    evidence: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)

    class Meta:
        ordering = ["result", "severity", "code", "id"]

    def __str__(self) -> str:
        return f"{self.code} at {self.place}"
