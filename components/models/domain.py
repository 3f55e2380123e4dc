"""A domain: the boundary of ownership. Its contract is the body of its component of kind `domain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import AnonymousUser, Group
from django.db import models

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class DomainQuerySet(models.QuerySet["Domain"]):
    def visible_to(self, user: User | AnonymousUser) -> DomainQuerySet:
        """The domains that a user may read: all that are open, and those kept for one of the user's groups."""
        if not user.is_active:
            return self.none()
        if user.is_superuser:
            return self
        mine = models.Q(readers__in=user.groups.all())
        return self.filter(models.Q(readers=None) | mine).distinct()


class Domain(models.Model):
    """A family of components that share a contract."""

    slug = models.SlugField(unique=True, max_length=80)
    readers = models.ManyToManyField(Group, blank=True)
    """The groups that may see the domain; none = everybody who may log in."""

    objects = DomainQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug
