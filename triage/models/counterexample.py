"""Counterexamples: episodes whose verdict is wrong, kept with the intent to be judged again on later versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models

from components.models import Component, Domain, Environment, Version
from components.models.json import ExactJSONField
from worlds.relations import RELATIONS

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class Source(models.TextChoices):
    """Who says that the verdict is wrong; only a person's counterexample blocks."""

    RELATION = "relation"
    PERSON = "person"


class Standing(models.TextChoices):
    """Where a counterexample stands against a bundle."""

    OPEN = "open"
    """The verdict is still wrong."""
    CLOSED = "closed"
    """Judged as it should be."""
    NOT_APPLICABLE = "not-applicable"
    """It no longer replays."""
    RETIRED = "retired"
    """Somebody took it back, with a reason."""


class CounterexampleQuerySet(models.QuerySet["Counterexample"]):
    def visible_to(self, user: User | AnonymousUser) -> CounterexampleQuerySet:
        """Those of the environments of domains that a user may read."""
        return self.filter(environment__domain__in=Domain.objects.visible_to(user))

    def kept(self) -> CounterexampleQuerySet:
        """Those that nobody retired."""
        return self.filter(retired=None)


class Counterexample(models.Model):
    """Actions and the reward that they should have, in one environment; where it stands is in its judgements."""

    component = models.ForeignKey(
        Component, on_delete=models.CASCADE, related_name="counterexamples"
    )
    """The intent, whose goal judges wrongly."""
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    """The intent's when it was found."""
    environment = models.ForeignKey(
        Environment, on_delete=models.CASCADE, related_name="counterexamples"
    )
    bundle = models.CharField(max_length=64)
    """In which it was found."""
    digest = models.CharField(max_length=64)
    document = ExactJSONField()
    """`worlds.counterexample.Counterexample`"""
    label = models.CharField(max_length=10, choices=Source.choices)
    name = models.CharField(max_length=80)
    """The relation's, or who it was that acted."""
    should = models.PositiveSmallIntegerField()
    """The reward that it should have."""
    reason = models.TextField(blank=True)
    """Why, in the words of the person who says so, or of the relation's finding."""
    episode = models.CharField(max_length=64, blank=True)
    """The key of the episode that it was made from."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    found = models.DateTimeField(auto_now_add=True)
    retired = models.DateTimeField(null=True)
    retired_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    retired_because = models.TextField(blank=True)

    objects = CounterexampleQuerySet.as_manager()

    class Meta:
        ordering = ["environment", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "digest"], name="counterexample_kept_once"
            )
        ]

    def __str__(self) -> str:
        return f"counterexample {self.pk}"

    @property
    def code(self) -> str:
        """What it is a case of: a relation's own code, else what a person says it is."""
        if self.label == Source.RELATION and self.name in RELATIONS:
            return RELATIONS[self.name].code
        return "goal-narrow" if self.should else "goal-blind"

    @property
    def doubter(self) -> str:
        """Who says so, of a person's."""
        return self.author.get_username() if self.author else "the command line"

    @property
    def told(self) -> str:
        """A person's in a sentence: who says of whose episode that it should have ended otherwise, and why."""
        ended = "passed" if self.should else "failed"
        return f"{self.doubter} says that {self.name} should have {ended}: {self.reason}"

    @property
    def severity(self) -> str:
        """What it weighs while it is open: a relation may be mistaken, a person has read it."""
        return "blocking" if self.label == Source.PERSON else "warning"


class Judgement(models.Model):
    """How a bundle judges a counterexample: one row a pair, and only the last is kept."""

    counterexample = models.ForeignKey(
        Counterexample, on_delete=models.CASCADE, related_name="judgements"
    )
    bundle = models.CharField(max_length=64)
    key = models.CharField(max_length=64, blank=True)
    """As an episode's key, of the counterexample's play here; empty = taken over, to be played at the next check."""
    state = models.CharField(max_length=14, choices=Standing.choices)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["counterexample", "bundle"], name="counterexample_judged_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.counterexample}: {self.state}"


def blocks_check() -> models.Exists:
    """In SQL, on checks: whether the bundle checked is known to judge a person's counterexample wrongly."""
    return models.Exists(
        Judgement.objects.filter(
            state=Standing.OPEN,
            bundle=models.OuterRef("bundle"),
            counterexample__environment=models.OuterRef("environment"),
            counterexample__label=Source.PERSON,
            counterexample__retired=None,
        )
    )
