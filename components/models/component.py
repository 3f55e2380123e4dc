"""Components: the reusable parts that environments are assembled from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Case, Value, When

from components.models.body import Kind
from components.models.domain import Domain

if TYPE_CHECKING:
    from django.contrib.auth.models import User

OURS, GIVEN = "ours", "given"
AUTHORITIES = (OURS, GIVEN)


class ComponentQuerySet(models.QuerySet["Component"]):
    def visible_to(self, user: User | AnonymousUser) -> ComponentQuerySet:
        """The components of the domains that a user may read."""
        return self.filter(domain__in=Domain.objects.visible_to(user))

    def contracts(self) -> ComponentQuerySet:
        """One a domain: what speaks for all of it."""
        return self.filter(kind=Kind.DOMAIN, slug="domain")


class Component(models.Model):
    """A named part of a domain, at its current version."""

    domain = models.ForeignKey(Domain, on_delete=models.CASCADE, related_name="components")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    slug = models.SlugField(max_length=120)
    about: models.JSONField[dict[str, Any]] = models.JSONField(default=dict)
    """The file's `about:` block: title, notes, owner, authority (given | ours), accept; no part of the body."""
    current = models.ForeignKey(
        "components.Version", null=True, on_delete=models.RESTRICT, related_name="+"
    )

    objects = ComponentQuerySet.as_manager()

    class Meta:
        ordering = ["domain", "kind", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["domain", "kind", "slug"], name="component_named_once")
        ]

    def __str__(self) -> str:
        return f"{self.domain}/{self.slug}"

    @property
    def title(self) -> str:
        """What people call it."""
        return str(self.about.get("title") or self.slug)

    @property
    def is_given(self) -> bool:
        """Whether it mirrors something outside and is blamed only on direct evidence."""
        return bool(self.about.get("authority") == GIVEN)

    @property
    def authority(self) -> str:
        """`given` or `ours`."""
        return GIVEN if self.is_given else OURS


def authority_of(domain: str) -> Case:
    """In SQL, the authority of the contract of the domain at a column."""
    given = Component.objects.contracts().filter(about__authority=GIVEN).order_by()
    is_given = When(**{f"{domain}__in": given.values("domain")}, then=Value(GIVEN))
    return Case(is_given, default=Value(OURS), output_field=models.CharField())
