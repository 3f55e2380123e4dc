"""What changed of environments between two rounds, so that they moved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from components.models import Component, Environment, Version
from triage.models import Check, Proposal, Round
from triage.models.result import Status
from worlds.bundle import Manifest

Sort = Literal["proposal", "version", "parts", "pin", "recipe", "labels", "error", "new", "removed"]
TEXTS: Mapping[Sort, str] = {
    "parts": "made of other parts, or with another seed",
    "pin": "pinned anew",
    "recipe": "checked otherwise: other checks or agents, another engine or outside server",
    "labels": "labels of findings, given since the earlier round ended",
    "error": "trouble of ours in one of the rounds: nothing is concluded",
    "new": "not in the earlier round",
    "removed": "not in the later round",
}
SILENT: Sequence[Sort] = ("new", "removed", "error")
"""Causes that say nothing of how an environment fares."""


@dataclass(frozen=True)
class Cause:
    """What moved environments; two of one key are the same."""

    sort: Sort
    versions: tuple[Version, ...] = field(default=(), compare=False)
    """Of a version, itself; of a proposal, those that its approval made."""
    proposal: Proposal | None = None
    key: str = ""
    """`proposal-12`, `version-340`, or the sort."""

    @property
    def text(self) -> str:
        """For a person: `proposal 12 (calendar v4)`."""
        named = ", ".join(f"{one.component.slug} v{one.number}" for one in self.versions)
        if self.proposal:
            return f"{self.proposal} ({named})"
        return named or TEXTS.get(self.sort, "a version that is gone")


class Seen(NamedTuple):
    """A check that ended, and how; `key` is its result's."""

    check: int
    environment: int
    status: str
    bundle: str
    key: str


Change = tuple[str | None, Seen | None, Seen | None]
"""How an environment counted in the earlier round when that ended, and its checks in the earlier and the later one."""


_Place = tuple[int, str, str]
"""Domain, kind and slug of a component."""


class Movers:
    """Tells what changed of an environment between two rounds."""

    def __init__(
        self,
        earlier: Round,
        later: Round,
        changes: Sequence[Change],
        places: Mapping[int, Environment],
    ) -> None:
        self._earlier, self._later = earlier, later
        other = [(old, new) for _, old, new in changes if old and new and old.bundle != new.bundle]
        checks = {one.check: places[one.environment].domain_id for pair in other for one in pair}
        rows = Check.objects.filter(pk__in=checks.keys()).values_list("pk", "manifest")
        self._manifests = {pk: Manifest.model_validate(said) for pk, said in rows}
        wanted: set[_Place] = set()
        for old, new in other:
            found = _differing(self._manifests[old.check], self._manifests[new.check])
            wanted |= {(checks[old.check], *name) for name in found}
        self._versions = _versions(wanted)

    def causes(
        self, environment: Environment, old: Seen | None, new: Seen | None, *, is_said: bool
    ) -> tuple[Cause, ...]:
        """By key, so that the same ones are the same group."""
        if old is None or new is None:
            return (_plain("new" if new else "removed"),)
        if Status.ERROR in (old.status, new.status):
            return (_plain("error"),)
        found = self._changed(environment, old, new)
        if self._is_checked_otherwise(old, new):
            found.append(_plain("recipe"))
        if is_said or not found:
            found.append(_plain("labels"))
        return tuple(sorted(set(found), key=lambda cause: cause.key))

    def _is_checked_otherwise(self, old: Seen, new: Seen) -> bool:
        same_bundle = old.bundle == new.bundle
        return self._earlier.recipe != self._later.recipe or (same_bundle and old.key != new.key)

    def _changed(self, environment: Environment, old: Seen, new: Seen) -> list[Cause]:
        if old.bundle == new.bundle:
            return []
        before, after = self._manifests[old.check], self._manifests[new.check]
        found = []
        if before.pin != after.pin:
            found.append(_plain("pin"))
        if _outline(before) != _outline(after):
            found.append(_plain("parts"))
        changed = []
        for (kind, slug), bodies in _differing(before, after).items():
            between = self._between((environment.domain_id, kind, slug), bodies)
            changed += between
            if not between:
                found.append(_plain("version"))
        return [*found, *_made_by(changed)]

    def _between(self, place: _Place, bodies: tuple[str, str]) -> list[Version]:
        """The versions that led from one body to the other."""
        versions = self._versions.get(place, [])
        ends = [
            _current_at(versions, body, made)
            for body, made in zip(bodies, (self._earlier, self._later), strict=True)
        ]
        first, last = sorted(ends)
        return [one for one in versions if first < one.number <= last]


def _plain(sort: Sort) -> Cause:
    return Cause(sort, key=sort)


def _made_by(versions: Iterable[Version]) -> list[Cause]:
    """A cause for each proposal that made some of them, and for each other version."""
    proposed: dict[int, tuple[Proposal, list[Version]]] = {}
    found = []
    for one in versions:
        change = next(iter(one.changes.all()), None)
        if change is None:
            found.append(Cause("version", (one,), key=f"version-{one.pk}"))
        else:
            proposed.setdefault(change.proposal_id, (change.proposal, []))[1].append(one)
    for pk, (proposal, made) in proposed.items():
        found.append(Cause("proposal", tuple(made), proposal, f"proposal-{pk}"))
    return found


def _refs(manifest: Manifest) -> dict[tuple[str, str], str]:
    """(kind, slug) → body; a contract's slug is `domain`."""
    named = (
        (kind, "domain" if kind == "domain" else ref.slug, ref.body)
        for kind, ref in manifest.refs()
    )
    return {(kind, slug): body for kind, slug, body in named}


def _outline(manifest: Manifest) -> tuple[Any, ...]:
    return (list(_refs(manifest)), manifest.seed)


def _differing(before: Manifest, after: Manifest) -> dict[tuple[str, str], tuple[str, str]]:
    """(kind, slug) → its bodies, of what is in both and differs."""
    old, new = _refs(before), _refs(after)
    return {name: (old[name], new[name]) for name in old if name in new and old[name] != new[name]}


def _versions(places: set[_Place]) -> dict[_Place, list[Version]]:
    """Of each component all its versions in order, with the proposals that made them; two queries, or none."""
    if not places:
        return {}
    components = Component.objects.filter(
        domain__in={domain for domain, _, _ in places}, slug__in={slug for _, _, slug in places}
    )
    rows = Version.objects.filter(component__in=components.order_by().values("pk"))
    rows = rows.select_related("component__domain", "author")
    found: dict[_Place, list[Version]] = defaultdict(list)
    for row in rows.prefetch_related("changes__proposal").order_by("number"):
        at = row.component
        found[at.domain_id, at.kind, at.slug].append(row)
    return {place: found[place] for place in places}


def _current_at(versions: Sequence[Version], body: str, made: Round) -> int:
    """The number of the version that a round ran: the newest of then with its body; 0 where there is none."""
    same = [one for one in versions if one.body_id == body]
    then = [one.number for one in same if one.created <= made.created]
    return max(then, default=min((one.number for one in same), default=0))
