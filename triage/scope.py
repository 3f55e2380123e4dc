"""What a round is over: domains, environments by name, those that stand in some way, a sample of all that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from django.db.models import Q

from components.actor import Actor, visible_domains
from components.models import Domain, Environment
from components.models.environment import EnvironmentQuerySet
from triage.models.result import Status
from triage.sample import drawn
from triage.standing import UNVERIFIED, with_standing

STATUSES = (*Status.values, UNVERIFIED)
"""How an environment may stand."""

Row = tuple[int, int, str]
"""Of an environment: its id, its domain's, its slug."""


class RoundInvalid(ValueError):
    """The round that was asked for cannot be: something unknown, or nothing to check."""


class NothingToCheck(RoundInvalid):
    """There is no environment in scope."""


@dataclass(frozen=True)
class Listed:
    """The environments that a filtered list showed."""

    filters: Mapping[str, list[str]]
    """As the list's address says them."""
    environments: Collection[int]
    """The ids that they left."""


@dataclass(frozen=True)
class Scope:
    """What was asked for; each part narrows what the others leave, one left out narrows nothing."""

    domains: Sequence[str] = ()
    """Slugs; none = all that the actor may read."""
    environments: Sequence[str] = ()
    """`domain/slug`, or a slug alone where no other environment in the domains has it; or a pattern of either, in
    which `*` and `?` stand for anything."""
    statuses: Sequence[str] = ()
    """How they stand now (`STATUSES`)."""
    sample: int | None = None
    """So many of them, spread over the domains by size."""
    seed: int = 0
    """Draws the sample."""
    listed: Listed | None = None


@dataclass(frozen=True)
class Chosen:
    """What a scope came to."""

    domains: list[Domain]
    environments: list[int]
    """Ids, by domain and slug."""
    scope: dict[str, Any] = field(default_factory=dict)
    """The scope as a round keeps it (`Round.scope`)."""


def choose(scope: Scope, actor: Actor) -> Chosen:
    """The environments in scope, of those that `actor` may read; raises RoundInvalid."""
    domains = _domains(actor, scope.domains)
    if unknown := sorted(set(scope.statuses) - set(STATUSES)):
        raise RoundInvalid(f"there is no status {', '.join(unknown)}; there are {_list(STATUSES)}")
    rows = Environment.objects.filter(domain__in=domains)
    patterns = {name for name in scope.environments if "*" in name or "?" in name}
    named = _named(rows, set(scope.environments) - patterns, domains)
    if patterns:
        named |= _fitting(rows, patterns, domains)
    if named:
        rows = rows.filter(pk__in=named)
    if scope.listed:
        rows = rows.filter(pk__in=scope.listed.environments)
    found = _rows(rows, scope.statuses)
    if not found:
        raise NothingToCheck(_nothing(scope, domains))
    if named or scope.statuses or scope.listed:
        # A round belongs to the domains that it checks something of.
        domains = [domain for domain in domains if any(row[1] == domain.pk for row in found)]
    return Chosen(domains, _sampled(found, scope), _kept(scope, domains, named))


def environment_named(name: str, actor: Actor) -> Environment:
    """The environment of that name (`domain/slug`, or a slug alone where no other that `actor` may read has it).

    Raises RoundInvalid.
    """
    domains = _domains(actor, ())
    (pk,) = _named(Environment.objects.filter(domain__in=domains), [name], domains)
    return Environment.objects.get(pk=pk)


def _domains(actor: Actor, slugs: Collection[str]) -> list[Domain]:
    visible = list(visible_domains(actor))
    if not slugs:
        return visible
    known = {domain.slug for domain in visible}
    if unknown := sorted(set(slugs) - known):
        raise RoundInvalid(
            f"there is no domain {', '.join(unknown)}; there are {', '.join(sorted(known)) or 'none'}"
        )
    return [domain for domain in visible if domain.slug in slugs]


def _named(
    rows: EnvironmentQuerySet, names: Iterable[str], domains: Iterable[Domain]
) -> dict[int, str]:
    """Id → `domain/slug` of the environments that `names` name; raises RoundInvalid."""
    wanted = sorted(set(names))
    known = {domain.slug for domain in domains}
    split = {name: name.partition("/") for name in wanted}
    full = {name: Q(domain__slug=domain, slug=slug) for name, (domain, _, slug) in split.items()}
    asked = Q(pk__in=[])
    for name in wanted:
        asked |= full[name] if split[name][0] in known else Q(slug=name)
    by_name: dict[str, dict[int, str]] = defaultdict(dict)
    for pk, domain, slug in rows.filter(asked).values_list("pk", "domain__slug", "slug"):
        for name in (f"{domain}/{slug}", slug):
            by_name[name][pk] = f"{domain}/{slug}"
    found: dict[int, str] = {}
    for name in wanted:
        found |= _only(name, by_name.get(name, {}), known)
    return found


def _fitting(
    rows: EnvironmentQuerySet, patterns: Iterable[str], domains: Iterable[Domain]
) -> dict[int, str]:
    """As `_named`, of those that fit one of the `patterns`; each must fit something."""
    found: dict[int, str] = {}
    listed = list(rows.values_list("pk", "domain__slug", "slug"))
    for pattern in sorted(patterns):
        fitting = {
            pk: f"{domain}/{slug}"
            for pk, domain, slug in listed
            if fnmatchcase(f"{domain}/{slug}", pattern) or fnmatchcase(slug, pattern)
        }
        if not fitting:
            where = _list(sorted(domain.slug for domain in domains)) or "any domain"
            raise RoundInvalid(
                f"no environment in {where} fits {pattern} (manage.py environments lists them)"
            )
        found |= fitting
    return found


def _only(name: str, matches: dict[int, str], domains: Collection[str]) -> dict[int, str]:
    if not matches:
        raise RoundInvalid(
            f"there is no environment {name} in {_list(sorted(domains)) or 'any domain'}: name it as DOMAIN/SLUG "
            "(manage.py environments lists them)"
        )
    if len(matches) > 1:
        raise RoundInvalid(
            f"the environment {name} could be {_list(matches.values(), ' or ')}: name one as DOMAIN/SLUG"
        )
    return matches


def _rows(environments: EnvironmentQuerySet, statuses: Sequence[str]) -> list[Row]:
    """The rows of those that stand in one of the ways, or of all, by domain and slug."""
    rows: Any = environments
    if statuses:
        rows = with_standing(environments).filter(status__in=statuses)
    return list(rows.order_by("domain__slug", "slug").values_list("pk", "domain_id", "slug"))


def _nothing(scope: Scope, domains: Iterable[Domain]) -> str:
    where = ", ".join(domain.slug for domain in domains) or "any domain"
    if scope.statuses:
        return f"no environment in scope stands as {_list(scope.statuses, ' or ')} in {where}"
    if scope.listed or scope.environments:
        return f"no environment in {where} is in scope: widen it"
    return f"no environment in {where}: load a library or import one first"


def _sampled(rows: Sequence[Row], scope: Scope) -> list[int]:
    if scope.sample is None or scope.sample >= len(rows):
        return [pk for pk, _, _ in rows]
    chosen = drawn(rows, scope.sample, scope.seed)
    return [pk for pk, _, _ in rows if pk in chosen]


def _kept(scope: Scope, domains: Iterable[Domain], named: Mapping[int, str]) -> dict[str, Any]:
    """Only what was asked for has a key, so that two rounds over the same have equal scopes."""
    narrowed = {
        "environments": sorted(named.values()),
        "statuses": [status for status in STATUSES if status in scope.statuses],
        "filters": {name: sorted(values) for name, values in scope.listed.filters.items()}
        if scope.listed
        else {},
    }
    return {
        "domains": [domain.slug for domain in domains],
        "sample": scope.sample,
        "seed": scope.seed,
        **{name: value for name, value in narrowed.items() if value},
    }


NARROWING = ["environments", "statuses", "filters"]
"""The keys of a kept scope that make it less than whole domains."""


def restricted(scope: Mapping[str, Any], domains: Collection[str]) -> dict[str, Any]:
    """A kept scope without a word of any domain but `domains`, for those who may read no others."""
    kept = dict(scope)
    for name in ("domains", "environments"):
        if name in kept:
            kept[name] = _of(kept[name], domains)
    if "filters" in kept:
        filters = dict(kept["filters"])
        for name in ("domain", "component"):
            if name in filters:
                filters[name] = _of(filters[name], domains)
        kept["filters"] = filters
    return kept


def _of(names: Iterable[str], domains: Collection[str]) -> list[str]:
    return [name for name in names if name.partition("/")[0] in domains]


def _list(names: Iterable[str], joint: str = ", ") -> str:
    return joint.join(names)
