"""Where a result came from: the environment that it tells of, and what that was made of then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from components.bundles import manifests
from components.models import Component, Domain, Environment, Version
from triage.models import Attribution, Check, Outcome, Result, Trial
from worlds.bundle import Bodies, Manifest

Name = tuple[str, str]
"""Kind and slug; a contract's slug is `domain`."""


@dataclass(frozen=True)
class Origin:
    """Of a result: who asked for it, and of what."""

    environment: Environment | None = None
    manifest: Manifest | None = None
    """None = its parts have moved on, and what they said is not kept."""
    check: Check | None = None
    trial: Trial | None = None
    attribution: Attribution | None = None
    changes: Mapping[Any, str] = field(default_factory=dict)
    """Of a trial: what it tried, by digest."""


def origin(row: Result, user: User) -> Origin:
    """The newest check that a user may read, else the trial or the swap; eight queries at most."""
    return _checked(row, user) or _tried(row, user) or _swapped(row, user) or Origin()


def _checked(row: Result, user: User) -> Origin | None:
    checks = Check.objects.visible_to(user).filter(result=row).order_by("-round_id")
    check = checks.select_related("environment__domain").first()
    if check is None:
        return None
    return Origin(check.environment, Manifest.model_validate(check.manifest), check=check)


def _tried(row: Result, user: User) -> Origin | None:
    visible = Outcome.objects.filter(environment__domain__in=Domain.objects.visible_to(user))
    outcomes = visible.filter(Q(after=row) | Q(before=row)).select_related("environment__domain")
    outcome = outcomes.select_related("trial").order_by("-pk").first()
    if outcome is None:
        return None
    changes = _changes(outcome.trial) if outcome.after_id == row.pk else {}
    candidate = _now(outcome.environment).replaced(changes)
    manifest = candidate if candidate.digest == row.bundle else None
    return Origin(outcome.environment, manifest, trial=outcome.trial, changes=changes)


def _changes(trial: Trial) -> Bodies:
    found = Component.objects.in_bulk([one["component"] for one in trial.changes])
    named: dict[Any, str] = {
        (found[one["component"]].kind, found[one["component"]].slug): one["body"]
        for one in trial.changes
        if one["component"] in found
    }
    return named


def _swapped(row: Result, user: User) -> Origin | None:
    visible = row.swaps.filter(attribution__fault__domain__in=Domain.objects.visible_to(user))
    swap = visible.select_related("environment__domain", "attribution__fault").last()
    if swap is None:
        return None
    manifest = Manifest.model_validate(swap.manifest) if swap.manifest else None
    return Origin(swap.environment, manifest, attribution=swap.attribution)


def _now(row: Environment) -> Manifest:
    return manifests(Environment.objects.filter(pk=row.pk))[row.pk]


@dataclass(frozen=True)
class Difference:
    """A part that said something else in a result than it says now."""

    name: Name
    component: Component | None
    then: Version | None
    """None = no version says that: it was only tried, or the part was not there."""
    digest: str
    """Of what it said then; empty = it was not there."""

    @property
    def is_gone(self) -> bool:
        """Whether the environment has no such part now."""
        return self.component is None

    @property
    def kind(self) -> str:
        return self.name[0]


def differences(of: Origin) -> list[Difference]:
    """The parts of its environment that said something else, in the order of a manifest; six queries."""
    if of.environment is None:
        return []
    now = _bodies(_now(of.environment))
    then = _bodies(of.manifest) if of.manifest else now | dict(of.changes)
    moved = [name for name in {**then, **now} if now.get(name) != then.get(name)]
    components = _components(of.environment, moved)
    versions = _versions(components.values(), [then[name] for name in moved if name in then])
    return [
        Difference(
            name,
            components.get(name) if name in now else None,
            versions.get((*name, then.get(name, ""))),
            then.get(name, ""),
        )
        for name in moved
    ]


def _bodies(manifest: Manifest) -> dict[Name, str]:
    return {
        (kind, "domain" if kind == "domain" else ref.slug): ref.body
        for kind, ref in manifest.refs()
    }


def _components(row: Environment, names: Iterable[Name]) -> dict[Name, Component]:
    rows = Component.objects.filter(domain=row.domain, slug__in=[slug for _, slug in names])
    found = {(one.kind, one.slug): one for one in rows.select_related("domain", "current")}
    return {name: found[name] for name in names if name in found}


def _versions(components: Iterable[Component], digests: Iterable[str]) -> dict[Any, Version]:
    rows = Version.objects.filter(component__in=[*components], body__in=[*digests])
    return dict(_named(rows.select_related("component").order_by("number")))


def _named(rows: Iterable[Version]) -> Iterator[tuple[Any, Version]]:
    for row in rows:
        yield (row.component.kind, row.component.slug, row.body_id), row
