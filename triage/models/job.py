"""Jobs: work that takes longer than a request, as rows; what they are for is their subclasses' matter."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class JobState(models.TextChoices):
    """Where a job stands in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """By trouble of ours: nothing is concluded."""
    CANCELLED = "cancelled"


UNFINISHED_JOBS = (JobState.QUEUED, JobState.RUNNING)


class Job(models.Model):
    """A row that workers claim, renew and end (`triage.jobs`); `worker` and `attempt` fence off those who lost it."""

    PRIORITY: ClassVar = 0
    """Of the message that tells of it: with Redis, lower numbers come first, and checks have 0."""

    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.QUEUED)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Who asked for it; None = the command line."""
    cancelled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True)
    finished = models.DateTimeField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    lost = models.PositiveSmallIntegerField(default=0)
    """Workers that were lost over it since it last came further."""
    lease_until = models.DateTimeField(null=True)
    told = models.DateTimeField(null=True)
    """When a message with its id was last sent; None = nobody was told that it waits."""
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Parts of the work that are done, and all of them as far as they are known."""
    error = models.TextField(blank=True)
    """Trouble of ours, when the state is `failed`."""

    class Meta:
        abstract = True

    @property
    def is_unfinished(self) -> bool:
        """Whether it waits or runs."""
        return self.state in UNFINISHED_JOBS

    @property
    def seconds_left(self) -> float | None:
        """How long it will take still, at the pace that it had so far; None where nobody can say."""
        if not (self.started and self.done and self.is_unfinished):
            return None
        return (
            (timezone.now() - self.started).total_seconds() / self.done * (self.total - self.done)
        )
