"""Who acts: a user with permissions, or nobody (the command line, which owns the database anyway)."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied

from components.models import Domain
from components.models.domain import DomainQuerySet

Actor = User | None
"""None = the command line without `--as`: whoever can run it may do everything."""


def demand(actor: Actor, permission: str, act: str) -> None:
    """Refuse, in a sentence, unless `actor` has `permission` (`components.add_version`); `act` says what for."""
    if actor is not None and not actor.has_perm(permission):
        raise PermissionDenied(
            f"{actor.get_username()} may not {act}: that needs the permission {permission}, "
            "which an admin gives by putting a user into a group"
        )


def visible_domains(actor: Actor) -> DomainQuerySet:
    """The domains that `actor` may read."""
    return Domain.objects.all() if actor is None else Domain.objects.visible_to(actor)
