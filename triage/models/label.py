"""Labels: whether a finding is right, as a person who looked at it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Count, F, Q
from django.utils import timezone

from components.models import Component, Domain, Version
from triage.precision import ENOUGH, LEAST, Precision

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DEFECT = ("domain_id", "fingerprint", "place", "version_id")
"""What a label is about: one defect, whichever results show it."""


class LabelQuerySet(models.QuerySet["Label"]):
    def visible_to(self, user: User | AnonymousUser) -> LabelQuerySet:
        """The labels in the domains that a user may read."""
        return self.filter(domain__in=Domain.objects.visible_to(user))

    def newest(self) -> LabelQuerySet:
        """One a defect: where authors disagree, the newest counts."""
        ordered = self.order_by(*DEFECT, "-at", "-pk").distinct(*DEFECT)
        return Label.objects.filter(pk__in=ordered.values("pk"))

    def by_code(self) -> Any:
        """A dict for each code, `{code, right, wrong}`, each defect counted once."""
        rows = self.newest().order_by().values("code")
        return rows.annotate(
            right=Count("pk", filter=Q(is_right=True)), wrong=Count("pk", filter=Q(is_right=False))
        )

    def demoted(self) -> Any:
        """The codes that are right too rarely to be more than advice, to be asked for inside another query."""
        rows = self.by_code().alias(labels=F("right") + F("wrong"), hundredfold=F("right") * 100)
        few = rows.filter(labels__gte=LEAST, hundredfold__lt=F("labels") * ENOUGH)
        return few.values("code")

    def precisions(self) -> dict[str, Precision]:
        """Code → its precision, of the codes that anybody labelled; one query."""
        rows = self.by_code().values_list("code", "right", "wrong")
        return {code: Precision(right, wrong) for code, right, wrong in rows}


class Label(models.Model):
    """What one person says of one defect. It outlives the results that showed it, and holds for every finding
    with its fingerprint, place and version, in every round and environment."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="labels")
    code = models.CharField(max_length=40, db_index=True)
    fingerprint = models.CharField(max_length=16)
    place = models.CharField(max_length=400)
    component = models.ForeignKey(
        Component, null=True, on_delete=models.SET_NULL, related_name="labels"
    )
    """The component blamed, and its version; None once they are gone: the label still tells of its code."""
    version = models.ForeignKey(Version, null=True, on_delete=models.SET_NULL, related_name="+")
    is_right = models.BooleanField()
    """Whether there is such a defect; a finding that is labelled wrong is dismissed."""
    reason = models.TextField(blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    """None where the user is gone."""
    at = models.DateTimeField(default=timezone.now)

    objects = LabelQuerySet.as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            # Its index is also how findings look up what was said of them.
            models.UniqueConstraint(
                fields=["fingerprint", "place", "version", "author"], name="label_once_an_author"
            )
        ]

    def __str__(self) -> str:
        return f"{self.code} at {self.place}: {self.word}"

    @property
    def word(self) -> str:
        """`right` or `wrong`."""
        return "right" if self.is_right else "wrong"
