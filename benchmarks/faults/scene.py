"""A faulted domain, alone in a home that remembers what was checked before, with a round over a part of it.

Sound environments are the same bundles after each planting, and results are shared by key: so results with their
episodes and findings stay, and everything else of one planting is deleted before the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from benchmarks.faults.faulted import cut_down, meaning, pinned_anew
from benchmarks.faults.harm import Components, Sound
from worlds.bundle import Pin
from worlds.environments import EnvironmentSpec
from worlds.folder import DomainFolder
from worlds.servers import Servers

if TYPE_CHECKING:
    from triage.models import Round

MOST = 45
"""Environments of one planting that use what is changed; all that do not are there as well."""
SEED = "envcurate attribution benchmark 1"


class Scene:
    """One domain on its way into the database, again and again."""

    def __init__(self, folder: DomainFolder) -> None:
        self.sound = folder
        self._keys = Sound(folder)
        self._servers = Servers.installed()  # not those that a planted source changes meanwhile
        self._order = sorted(folder.all_environments(), key=_lot)
        self._pins: dict[str, Pin] = {}

    def near(self, components: Components, touches: Collection[str]) -> list[EnvironmentSpec]:
        """The environments in which a change was looked for when it was detected."""
        return self._keys.concerned(components, touches)

    def drawn(
        self, components: Components, near: Sequence[EnvironmentSpec], most: int = MOST
    ) -> list[EnvironmentSpec]:
        """The near environments and others that use the components, `most` together, and all that do not use them,
        always in the same order."""
        first = {spec.slug for spec in near}
        rest = [spec for spec in self._order if spec.slug not in first]
        users = [spec for spec in rest if _uses(spec, components)]
        others = [spec for spec in rest if not _uses(spec, components)]
        return [*near, *users[: max(most - len(near), 0)], *others]

    def load(
        self, folder: DomainFolder, components: Components, specs: Sequence[EnvironmentSpec]
    ) -> None:
        """Load a faulted domain (or the sound one) with these environments; after `forget` as version 1. Raises
        Refused and LibraryInvalid."""
        from components.load import load

        known = {
            spec.slug: self._pin(spec)
            for spec in specs
            if folder is self.sound or not _uses(spec, components)
        }
        load([cut_down(folder, specs, known)], None, source="benchmark")

    def _pin(self, spec: EnvironmentSpec) -> Pin:
        """Of an environment of the sound domain."""
        if spec.slug not in self._pins:
            with meaning(self._servers):
                self._pins[spec.slug] = pinned_anew(self.sound, spec)
        return self._pins[spec.slug]


def _lot(spec: EnvironmentSpec) -> str:
    return hashlib.sha256(f"{SEED}\n{spec.slug}".encode()).hexdigest()


def _uses(spec: EnvironmentSpec, components: Components) -> bool:
    parts = {(kind, slug) for kind, slug, _ in spec.parts()}
    return any(kind == "domain" or (kind, slug) in parts for kind, slug in components)


def forget() -> None:
    """Delete all but results with their episodes and findings, the agents, and bodies. Django's constraints are
    checked when the transaction commits, so that the order of the tables does not matter."""
    from django.db import connection, transaction

    from triage.models import Finding

    with transaction.atomic(), connection.cursor() as cursor:
        Finding.objects.update(component=None, version=None)
        for table in _forgettable():
            cursor.execute(f'DELETE FROM "{table}"')  # noqa: S608  # a name of ours


def _forgettable() -> Iterator[str]:
    from django.apps import apps

    from components.models import Body
    from triage.models import AgentProfile, Episode, Finding, Result

    kept = {Body, AgentProfile, Episode, Finding, Result, Result.episodes.through}
    for app in ("components", "triage"):
        for model in apps.get_app_config(app).get_models(include_auto_created=True):
            if model not in kept:
                yield model._meta.db_table


def checked() -> Round:
    """A round over all that is loaded, without search, finished."""
    from triage.models import Round
    from triage.rounds import create_round
    from triage.work import work_off, worker_name

    made = create_round(None, searches=False, queue=False)
    for _ in work_off(list(made.checks.values_list("pk", flat=True)), worker_name()):
        pass
    Round.objects.close()
    made.refresh_from_db()
    _blame(made)
    return made


def _blame(made: Round) -> None:
    """Have findings that were known before point at today's components and versions again."""
    from components.models import Component
    from triage.models import Finding

    known = Finding.objects.filter(result__checks__round=made, component=None).exclude(kind="")
    rows = {(row.kind, row.slug): row for row in Component.objects.all()}
    found = list(known.distinct())
    for finding in found:
        blamed = rows.get((finding.kind, finding.slug))
        finding.component = blamed
        finding.version = blamed.current if blamed else None
    Finding.objects.bulk_update(found, ["component", "version"])
