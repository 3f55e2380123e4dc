"""Checks: all that is run on one environment in one round."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When

from components.models import Domain, Environment
from triage.models.counterexample import blocks_check
from triage.models.finding import Finding, Severity
from triage.models.result import Result, ResultQuerySet, Status, Witness
from triage.models.round import Round

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django_stubs_ext import WithAnnotations


class State(models.TextChoices):
    """Where a check stands in its life; what it showed is its result's status."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"


UNFINISHED = (State.QUEUED, State.RUNNING)
FINISHED = (State.DONE, State.ERROR)
"""One that was cancelled is neither: nothing waits for it, and it says nothing of its environment."""


def pardoned() -> ResultQuerySet:
    """Results that are `broken` by their findings alone, as none of the blocking ones counts any longer."""
    counted = Finding.objects.counted().filter(result=OuterRef("pk"), severity=Severity.BLOCKING)
    return Result.objects.filter(~Exists(counted), status=Status.BROKEN)


@cache  # to put it together takes longer than most queries that ask it
def ended_as(*, many: bool = False) -> Case:
    """In SQL: how a check ended (`triage.models.result.Status`), null while it has not or where it was cancelled.

    That is decided, as in `worlds.check.decided`, by the blocking findings that count now, whenever the check
    ran: one number has one meaning everywhere, and a line over rounds moves only where environments changed,
    not where somebody looked. A dismissal therefore moves old points too: it says that they were too low; and a
    person's counterexample that the bundle judges wrongly says that they were too high.
    What a check concluded when it ran stays in `Result.status`.

    With `many`, all pardoned results are found first: twice as fast where many checks share each result.
    """
    one = pardoned().filter(pk=OuterRef("result"))
    is_pardoned = Q(result__in=pardoned()) if many else Exists(one)
    return Case(
        When(state=State.ERROR, then=Value(Status.ERROR.value)),
        When(Q(result__isnull=False) & blocks_check(), then=Value(Status.BROKEN.value)),
        When(~Q(result__status=Status.BROKEN), then=F("result__status")),
        When(~is_pardoned, then=Value(Status.BROKEN.value)),
        When(result__witness=Witness.NONE, then=Value(Status.UNPROVEN.value)),
        When(result__isnull=False, then=Value(Status.SOLVABLE.value)),
        default=None,
        output_field=models.CharField(),
    )


class CheckQuerySet(models.QuerySet["Check"]):
    def visible_to(self, user: User | AnonymousUser) -> CheckQuerySet:
        """The checks of environments of the domains that a user may read."""
        return self.filter(environment__domain__in=Domain.objects.visible_to(user))

    def finished(self) -> CheckQuerySet:
        """Those that ended, well or in error; none that was cancelled."""
        return self.filter(state__in=FINISHED)

    def unfinished(self) -> CheckQuerySet:
        """Those that wait or run."""
        return self.filter(state__in=UNFINISHED)

    def with_status(self, *, many: bool = False) -> models.QuerySet[WithAnnotations[Check]]:
        """Each with `status`: how it ended (`triage.models.result.Status`), None while it has not, or was cancelled.
        `many` as in `ended_as`."""
        return self.annotate(status=ended_as(many=many))

    def for_list(self) -> models.QuerySet[WithAnnotations[Check]]:
        """With status, and all that a row of a table shows, in one query."""
        return self.with_status().select_related("environment__domain", "result", "round")


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
    told = models.DateTimeField(null=True)
    """When a message with this check's id was last sent; None = nobody was told that it waits."""
    finished = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    """Trouble of ours, when state is error: what happened and where."""

    objects = CheckQuerySet.as_manager()

    class Meta:
        ordering = ["round", "environment"]
        constraints = [
            models.UniqueConstraint(fields=["round", "environment"], name="check_once_a_round")
        ]
        indexes = [
            # The queue as workers and the reconciler read it; finished checks are not in it.
            models.Index(
                fields=["round", "id"],
                name="check_unfinished",
                condition=models.Q(state__in=["queued", "running"]),
            ),
            # An environment's newest check of its current bundle, as `triage.standing` finds it.
            models.Index(fields=["environment", "bundle", "-round"], name="check_standing"),
        ]

    def __str__(self) -> str:
        return f"check of {self.environment} in {self.round}"
