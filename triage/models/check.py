"""Checks: all that is run on one environment in one round."""

from __future__ import annotations

from typing import Any

from django.db import models

from components.models import Environment
from triage.models.result import Result
from triage.models.round import Round


class State(models.TextChoices):
    """Where a check stands in its life; what it showed is its result's status."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    ERROR = "error"


class Check(models.Model):
    """A row that workers claim, work on and finish; `worker` and `attempt` fence off those who lost it."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="checks")
    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="checks")
    manifest: models.JSONField[dict[str, Any]] = models.JSONField()
    """The bundle's manifest, as pinned when the round was created."""
    bundle = models.CharField(max_length=64, db_index=True)
    result_key = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    result = models.ForeignKey(Result, null=True, on_delete=models.PROTECT, related_name="checks")
    was_known = models.BooleanField(default=False)
    """Whether the result was there when the round was created."""
    worker = models.CharField(max_length=120, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    """Trouble of ours, when state is error: what happened and where."""

    class Meta:
        ordering = ["round", "environment"]
        constraints = [
            models.UniqueConstraint(fields=["round", "environment"], name="check_once_a_round")
        ]
        indexes = [
            # The queue as workers and the reconciler read it; finished checks are not in it.
            models.Index(
                fields=["lease_until", "id"],
                name="check_unfinished",
                condition=models.Q(state__in=["queued", "running"]),
            )
        ]

    def __str__(self) -> str:
        return f"check of {self.environment} in {self.round}"
