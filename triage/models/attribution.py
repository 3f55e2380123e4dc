"""Attribution: who is suspected of a fault, how strongly, and by what evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Component, Domain, Environment, Version
from triage.models.fault import Fault
from triage.models.job import Job
from triage.models.result import Result
from triage.models.round import Round

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class AttributionQuerySet(models.QuerySet["Attribution"]):
    def visible_to(self, user: User | AnonymousUser) -> AttributionQuerySet:
        """Those of faults of the domains that a user may read."""
        return self.filter(fault__domain__in=Domain.objects.visible_to(user))


class Attribution(Job):
    """The job that weighs one fault's suspects thoroughly: with coverage, and by swapping each alone."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="attributions")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="attributions")
    """Whose results it rests on."""
    tried: models.ManyToManyField[Result, Swap] = models.ManyToManyField(
        Result, through="Swap", related_name="attributions"
    )
    """What the swaps showed."""

    objects = AttributionQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"attribution {self.pk}"


class Swap(models.Model):
    """One environment with a suspect swapped: what it was made of, and what that showed."""

    attribution = models.ForeignKey(Attribution, on_delete=models.CASCADE, related_name="swaps")
    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="swaps")
    environment = models.ForeignKey(
        Environment, null=True, on_delete=models.CASCADE, related_name="swaps"
    )
    manifest: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """As checked, with the stand-in; empty = nobody wrote it down."""

    class Meta:
        ordering = ["attribution", "id"]

    def __str__(self) -> str:
        return f"swap {self.pk} of {self.attribution}"


class SuspectState(models.TextChoices):
    """What swapping a suspect alone showed."""

    UNTESTED = ""
    """Nobody swapped it yet."""
    CONFIRMED = "confirmed"
    """With an independently sound one in its place failing environments pass, and no other swap does that."""
    CONSISTENT = "consistent"
    """Nothing speaks against it, and nothing proves it."""
    CLEARED = "cleared"
    """Failing environments fail as before without it."""
    UNTESTABLE = "untestable"
    """There is nothing sound to put in its place."""


class Party(models.TextChoices):
    """What a suspect is."""

    COMPONENT = "component"
    AGENT = "agent"
    USER = "user"
    """The simulated one."""
    PLAN = "plan"
    """The control itself: the reference's way, where the goal can be reached otherwise."""
    INFRASTRUCTURE = "infrastructure"


class Suspect(models.Model):
    """One party that may have caused a fault; those of a fault are replaced together."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="suspects")
    attribution = models.ForeignKey(
        Attribution, null=True, on_delete=models.CASCADE, related_name="suspects"
    )
    """Which weighed it; None = the round's own results alone."""
    rank = models.PositiveSmallIntegerField()
    """From 1 on; those of a tie share theirs."""
    party = models.CharField(max_length=14, choices=Party.choices, default=Party.COMPONENT)
    component = models.ForeignKey(
        Component, null=True, on_delete=models.CASCADE, related_name="suspected_of"
    )
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    symbol = models.CharField(max_length=400, blank=True)
    """Where in the component: function, condition, table.field, clause; empty = nobody knows."""
    score = models.FloatField()
    """Probability that it is at fault, in [0, 1]: a calibrated one."""
    direct = models.FloatField(default=0.0)
    """The share of the fault's findings that point here, in [0, 1]."""
    spectrum = models.FloatField(default=0.0)
    """Ochiai's coefficient of its most suspicious part, in [0, 1]."""
    state = models.CharField(max_length=10, choices=SuspectState.choices, blank=True)
    evidence: models.JSONField[list[dict[str, Any]]] = models.JSONField(default=list)
    """Sentences, each with what it cites: `[{sort, text, cites}]`. Sort is `direct`, `spectrum`, `counterfactual` or
    `version`; cites is one of `{finding: id}`, `{episode: key, step: n}`, `{result: key}`, `{version: id, line: n}`,
    `{environment: id}`, `{}`."""
    question = models.TextField(blank=True)
    """Of a tie: what would break it."""

    class Meta:
        ordering = ["fault", "rank", "-score", "id"]

    def __str__(self) -> str:
        return f"{self.component or self.party} suspected of {self.fault}"
