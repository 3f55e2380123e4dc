"""Findings: pieces of evidence of a defect, as a check reported them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Case, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce, JSONArray, JSONObject

from components.models import Component, Version
from components.models.body import Kind
from triage.models.label import Label, LabelQuerySet
from triage.models.result import Result
from worlds.about import About, Accepted

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

    def with_marks(self) -> FindingQuerySet:
        """Each with `is_accepted`, `is_dismissed`, `is_demoted`, `is_counted` and `weight`, as they are now."""
        return self.annotate(**_marks())

    def with_label(self) -> FindingQuerySet:
        """Each with `said`, what its newest label says: `{label, reason, author, at}`, or None."""
        return self.annotate(**_said())

    def counted(self) -> FindingQuerySet:
        """Those that count: neither accepted, nor dismissed, nor of a code that demoted itself."""
        return self.alias(**_marks()).filter(**dict.fromkeys(MARKS, False))

    def worst_first(self) -> FindingQuerySet:
        """With marks: what counts first, blocking before warnings before advice, and as the check reported them."""
        ranks = [When(weight=severity, then=Value(rank)) for rank, severity in enumerate(Severity)]
        order = ("result", "rank", "-is_counted", "id")
        return self.with_marks().alias(rank=Case(*ranks)).order_by(*order)

    def for_list(self) -> FindingQuerySet:
        """Worst first, with the component and version blamed, in one query."""
        return self.worst_first().select_related("component__domain", "version")


MARKS = ("is_accepted", "is_dismissed", "is_demoted")
"""What keeps a finding from counting."""


def _marks() -> dict[str, Any]:
    """In SQL: the marks of a finding, and its `weight`: the severity that it has now."""
    newest = _labels().values(is_wrong=~F("is_right"))[:1]
    is_demoted = Q(code__in=Label.objects.demoted())
    off = [When(**{name: True}, then=False) for name in MARKS]
    return {
        "is_accepted": Case(
            When(~Q(component__about__has_key="accept"), then=False),
            When(_accepted_at("place") | _accepted_at("symbol"), then=True),
            default=False,
        ),
        "is_dismissed": Coalesce(Subquery(newest), Value(False)),
        "is_demoted": Case(When(is_demoted, then=True), default=False),
        "is_counted": Case(*off, default=True),
        "weight": Case(When(is_demoted, then=Value(Severity.ADVICE.value)), default=F("severity")),
    }


def _said() -> dict[str, Any]:
    """In SQL: what the newest label of a finding says."""
    word = Case(When(is_right=True, then=Value("right")), default=Value("wrong"))
    said = JSONObject(label=word, reason="reason", author="author__username", at="at")
    return {"said": Subquery(_labels().values(said=said)[:1])}


def _labels() -> LabelQuerySet:
    """In SQL: what was said of the outer query's finding, the newest first."""
    defect = {name: OuterRef(name) for name in ("fingerprint", "place", "version")}
    return Label.objects.filter(**defect).order_by("-at", "-pk")


def _accepted_at(field: str) -> Q:
    """As `worlds.about.About.accepts`: an entry of the component blamed names the code, and the place or symbol."""
    entry = JSONObject(code=F("code"), at=F(field))
    return Q(component__about__contains=JSONObject(accept=JSONArray(entry)))


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

    is_accepted: bool
    """Of `with_marks`: whether the component blamed accepts it."""
    is_dismissed: bool
    """Of `with_marks`: whether the newest label says that it is wrong."""
    is_demoted: bool
    """Of `with_marks`: whether its code is wrong so often that it is no more than advice."""
    is_counted: bool
    """Of `with_marks`: whether it counts, which is to say, has none of these marks."""
    weight: str
    """Of `with_marks`: its severity now."""
    said: dict[str, Any] | None
    """Of `with_label`: what its newest label says."""

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ["result", "id"]

    def __str__(self) -> str:
        return f"{self.code} at {self.place}"

    @property
    def marks(self) -> list[str]:
        """Why it does not count: `accepted`, `dismissed`, `demoted`. Needs `with_marks`."""
        return [name.removeprefix("is_") for name in MARKS if getattr(self, name)]

    @property
    def acceptance(self) -> Accepted | None:
        """The entry by which the component blamed accepts it."""
        if self.component is None or "accept" not in self.component.about:
            return None
        return About.model_validate(self.component.about).accepting(
            self.code, self.place, self.symbol
        )
