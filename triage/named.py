"""What a command is given by name: a domain, an episode. Each raises UsageError where the name names nothing."""

from __future__ import annotations

from components.actor import Actor, visible_domains
from components.commands import UsageError
from components.models import Environment
from components.models.domain import DomainQuerySet
from triage.models import Episode
from triage.scope import RoundInvalid, environment_named

SHORTEST = 8
"""Characters of a key's beginning that may stand for it."""


def domains_named(slug: str | None, actor: Actor) -> DomainQuerySet:
    """The domain of that slug, or all that `actor` may read."""
    domains = visible_domains(actor)
    if slug is None:
        return domains
    found = domains.filter(slug=slug)
    if not found:
        raise UsageError(f"--domain {slug}: there is no domain of that name")
    return found


def environment_by_name(name: str, actor: Actor) -> Environment:
    """The environment of that name, as `triage.scope.environment_named` takes names."""
    try:
        return environment_named(name, actor)
    except RoundInvalid as error:
        raise UsageError(str(error)) from error


def episode_by_key(key: str, actor: Actor) -> Episode:
    """The episode of that key, or of a key that begins so."""
    episodes = Episode.objects.all() if actor is None else Episode.objects.visible_to(actor)
    if len(key) < SHORTEST:
        raise UsageError(f"{key}: give an episode's key, or at least its first {SHORTEST} letters")
    found = list(episodes.filter(pk__startswith=key).order_by("pk")[:2])
    if len(found) != 1:
        raise UsageError(
            f"{key}: {'more than one episode has a key that begins so' if found else 'there is no such episode'}"
        )
    return found[0]
