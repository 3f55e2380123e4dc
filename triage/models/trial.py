"""Trials: a proposal's candidate, or several together, run on what uses the components before anyone approves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Domain, Environment
from triage.models.job import Job
from triage.models.proposal import Proposal
from triage.models.result import Result, Status

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Stage(models.TextChoices):
    """How much of what uses the components is run; each stage takes over what the ones before showed."""

    PROBE = "probe"
    """Environments that show the fault, a few."""
    SAMPLE = "sample"
    """Up to 20 that use a component."""
    FULL = "full"
    """All that use a component."""


class TrialQuerySet(models.QuerySet["Trial"]):
    def visible_to(self, user: User | AnonymousUser) -> TrialQuerySet:
        """Those of proposals in the domains that a user may read."""
        return self.filter(proposals__domain__in=Domain.objects.visible_to(user)).distinct()


class Trial(Job):
    """One candidate, as it was when the trial was asked for."""

    proposals = models.ManyToManyField(Proposal, related_name="trials")
    """One; several = a joint trial."""
    changes: models.JSONField[list[dict[str, Any]]] = models.JSONField(default=list)
    """What was tried: `[{component: id, base: version id, base_body: digest, body: digest}]`, by component."""
    digest = models.CharField(max_length=64, db_index=True)
    """Of `changes`: a trial speaks for a proposal only while they are the same."""
    until = models.CharField(max_length=6, choices=Stage.choices, default=Stage.FULL)
    """The last stage that was asked for."""
    stage = models.CharField(max_length=6, choices=Stage.choices, blank=True)
    """The last stage that is complete; empty = none yet."""
    is_forced = models.BooleanField(default=False)
    """Whether it goes on where the probe shows that nothing is mended."""
    report: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """`triage.trialreport.Report` of the complete stages."""

    objects = TrialQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"trial {self.pk}"


class Move(models.TextChoices):
    """How an environment fares with the candidate."""

    FIXED = "fixed"
    """Not solvable before, solvable after."""
    REGRESSED = "regressed"
    """Solvable before and not after, or broken by something that it was not broken by before."""
    UNCHANGED = "unchanged"
    ERROR = "error"
    """Trouble of ours, before or after: nothing is concluded."""


class Outcome(models.Model):
    """One environment with the candidate beside the same without."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="outcomes")
    environment = models.ForeignKey(Environment, on_delete=models.CASCADE, related_name="outcomes")
    stage = models.CharField(max_length=6, choices=Stage.choices)
    """In which it was run."""
    is_affected = models.BooleanField(default=False)
    """Whether it shows the fault that the proposal is for."""
    is_held_out = models.BooleanField(default=False)
    """Whether it is of the half that no proposer may look at."""
    bundle = models.CharField(max_length=64)
    """With the candidate."""
    before = models.ForeignKey(
        Result, null=True, on_delete=models.SET_NULL, related_name="outcomes_without"
    )
    after = models.ForeignKey(Result, null=True, on_delete=models.SET_NULL, related_name="outcomes")
    before_status = models.CharField(max_length=10, choices=Status.choices)
    after_status = models.CharField(max_length=10, choices=Status.choices)
    move = models.CharField(max_length=10, choices=Move.choices)
    is_cured = models.BooleanField(default=False)
    """Whether it showed the fault before and does not after, solvable or not."""
    accepted_to_rejected = models.PositiveIntegerField(default=0)
    rejected_to_accepted = models.PositiveIntegerField(default=0)
    """Attempts whose verdict changes, between the results before and after; that the reference, which knows the plan,
    is accepted now does not count."""
    rejudged: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """Stored episodes judged anew: `triage.rejudging.Rejudging`."""
    strength_before = models.FloatField(null=True)
    strength_after = models.FloatField(null=True)
    """The share of the pool of wrong episodes that is rejected; None = not measured."""
    weakened: models.JSONField[list[str]] = models.JSONField(default=list)
    """Wrong episodes of the pool that are accepted now and were not before, by name."""
    drift: models.JSONField[list[dict[str, Any]]] = models.JSONField(default=list)
    """`[{what: instruction | binding | effect, before, after}]`"""
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["trial", "id"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "environment"], name="outcome_once")
        ]

    def __str__(self) -> str:
        return f"{self.environment} in {self.trial}"
