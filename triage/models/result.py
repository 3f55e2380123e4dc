"""Results: what checking one bundle by one recipe showed; shared by key between rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Domain

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Status(models.TextChoices):
    """How a check ends, decided in the order error, broken, solvable, unproven."""

    ERROR = "error"
    BROKEN = "broken"
    SOLVABLE = "solvable"
    UNPROVEN = "unproven"


class Witness(models.TextChoices):
    """How strong the proof of solvability is."""

    NONE = ""
    PLAN = "plan"
    SEARCH = "search"
    AGENT = "agent"


class ResultQuerySet(models.QuerySet["Result"]):
    def visible_to(self, user: User | AnonymousUser) -> ResultQuerySet:
        """The results of checks, of trials and of attributions that a user may read."""
        visible = Domain.objects.visible_to(user)
        mine = [
            Result.objects.filter(**{f"{what}__in": visible}).order_by().values("pk")
            for what in (
                "checks__environment__domain",
                "outcomes__environment__domain",
                "outcomes_without__environment__domain",
                "attributions__fault__domain",
            )
        ]
        return self.filter(pk__in=mine[0].union(*mine[1:]))


class Result(models.Model):
    """Immutable; its findings and episodes hang on it. Errors of ours are never stored here."""

    key = models.CharField(primary_key=True, max_length=64)
    """Digest of bundle and recipe."""
    bundle = models.CharField(max_length=64, db_index=True)
    status = models.CharField(max_length=10, choices=Status.choices)
    witness = models.CharField(max_length=10, choices=Witness.choices, blank=True)
    seconds = models.FloatField()
    unobserved: models.JSONField[list[dict[str, str]]] = models.JSONField(default=list)
    """What could not be looked at: `[{what, why}]`."""
    times: models.JSONField[dict[str, list[float]]] = models.JSONField(default=dict)
    """As `worlds.check.CheckResult.times`: agent, or stage, → seconds of each time."""
    facts: models.JSONField[dict[str, Any] | None] = models.JSONField(null=True)
    """What took part in the reference's attempt (`triage.facts`); None = nobody asked yet."""
    episodes = models.ManyToManyField("triage.Episode", related_name="results")
    created = models.DateTimeField(auto_now_add=True)

    objects = ResultQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.status} {self.key[:12]}"
