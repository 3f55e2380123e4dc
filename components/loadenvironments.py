"""The environments' part of a load: compositions, environments with their parts, and pins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from components.dump import pin_of, specs_of
from components.loadcomponents import Name
from components.models import Component, Composition, Environment, Part
from components.models import Pin as PinRow
from worlds.bundle import Bundle, Pin
from worlds.environments import EnvironmentSpec
from worlds.folder import DOMAIN_SLUG
from worlds.servers import ServerUnavailable
from worlds.source import FileProblem, LibraryInvalid

if TYPE_CHECKING:
    from components.load import Loading

BATCH = 1000
REPUBLISHED = "pinned anew, as it was published anew"


class EnvironmentLoad:
    """Compares a folder's environments with the rows and writes the difference in a few queries."""

    def __init__(
        self, loading: Loading, components: dict[Name, Component], changed: set[Name]
    ) -> None:
        self.loading = loading
        self.changed = changed
        self.domain = loading.domain
        self.components = components
        self.specs = {spec.slug: spec for spec in loading.folder.all_environments()}

    def run(self, pinning: Callable[[Bundle], Pin]) -> None:
        """Write compositions, environments and pins; prune when the load does."""
        self._compose()
        rows = self.domain.environments.select_related("composition", "pin")
        self.rows = {row.slug: row for row in rows}
        self._create()
        self._change()
        self._pin(pinning)
        if self.loading.prune:
            self._prune()

    def _compose(self) -> None:
        matrices = self.loading.folder.compositions
        rows = {row.slug: row for row in self.domain.compositions.all()}
        changed = [
            row for slug, row in rows.items() if matrices.get(slug, row.matrix) != row.matrix
        ]
        for row in changed:
            row.matrix = matrices[row.slug]
        Composition.objects.bulk_update(changed, ["matrix"], batch_size=BATCH)
        new = [
            Composition(domain=self.domain, slug=slug, matrix=matrix)
            for slug, matrix in matrices.items()
            if slug not in rows
        ]
        Composition.objects.bulk_create(new, batch_size=BATCH)
        self.compositions = rows | {row.slug: row for row in new}
        self.loading.count("compositions changed", len(changed))
        self.loading.count("compositions created", len(new))

    def _create(self) -> None:
        new = [
            self._placed(Environment(domain=self.domain, slug=slug), spec)
            for slug, spec in self.specs.items()
            if slug not in self.rows
        ]
        Environment.objects.bulk_create(new, batch_size=BATCH)
        self._store_parts(new)
        self.existing = list(self.rows.values())
        self.rows |= {row.slug: row for row in new}
        self.loading.count("environments created", len(new))

    def _placed(self, row: Environment, spec: EnvironmentSpec) -> Environment:
        row.seed = spec.seed
        row.composition = self.compositions[spec.composition] if spec.composition else None
        return row

    def _change(self) -> None:
        current = specs_of(self.existing)
        changed = [
            self._placed(row, self.specs[row.slug])
            for row in self.existing
            if self.specs.get(row.slug, current[row.slug]) != current[row.slug]
        ]
        Environment.objects.bulk_update(changed, ["seed", "composition"], batch_size=BATCH)
        Part.objects.filter(environment__in=changed).delete()
        self._store_parts(changed)
        self.loading.count("environments changed", len(changed))

    def _store_parts(self, rows: Iterable[Environment]) -> None:
        parts = [
            Part(environment=row, component=self.components[kind, slug], position=position)
            for row in rows
            for kind, slug, position in self.specs[row.slug].parts()
        ]
        Part.objects.bulk_create(parts, batch_size=BATCH)

    def _pin(self, pinning: Callable[[Bundle], Pin]) -> None:
        new: list[PinRow] = []
        for slug, spec in self.specs.items():
            row = self.rows[slug]
            known = None if row.pin is None else pin_of(row.pin)
            pin, reason = self._due(spec, known, pinning)
            if pin == known:
                continue
            if reason == REPUBLISHED:
                self.loading.note("environment.pin", f"environment/{slug}", reason=reason)
                self.loading.count("pins made anew", 1)
            row.pin = PinRow(environment=row, binding=pin.binding, effect=pin.effect, reason=reason)
            new.append(row.pin)
        PinRow.objects.bulk_create(new, batch_size=BATCH)
        pinned = [pin.environment for pin in new]
        Environment.objects.bulk_update(pinned, ["pin"], batch_size=BATCH)
        self.loading.count("pins created", len(new))

    def _due(
        self, spec: EnvironmentSpec, known: Pin | None, pinning: Callable[[Bundle], Pin]
    ) -> tuple[Pin, str]:
        """The pin that an environment is to have, and why."""
        folder = self.loading.folder
        given = folder.pins.get(spec.slug)
        if given is not None:
            return given, "given in pins.json"
        if known is None:
            return _pinned(spec, folder.bundle(spec), pinning), "pinned when composed"
        if self.loading.repins and self._is_republished(spec):
            return _pinned(spec, folder.bundle(spec), pinning), REPUBLISHED
        return known, ""

    def _is_republished(self, spec: EnvironmentSpec) -> bool:
        """Whether this load changed what decides its effect. Of rules only a guard could, and those are ours."""
        parts = {(kind, slug) for kind, slug, _ in spec.parts() if kind != "rule"}
        return not self.changed.isdisjoint({("domain", DOMAIN_SLUG), *parts})

    def _prune(self) -> None:
        doomed = [row for slug, row in self.rows.items() if slug not in self.specs]
        for row in doomed:
            self.loading.note("environment.delete", f"environment/{row.slug}")
        Environment.objects.filter(pk__in=[row.pk for row in doomed]).delete()
        kept = self.loading.folder.compositions
        deleted, _ = self.domain.compositions.exclude(slug__in=kept).delete()
        self.loading.count("environments deleted", len(doomed))
        self.loading.count("compositions deleted", deleted)


def _pinned(spec: EnvironmentSpec, bundle: Bundle, pinning: Callable[[Bundle], Pin]) -> Pin:
    try:
        return pinning(bundle)
    except ServerUnavailable as error:
        message = f"cannot be pinned: {error}"
        raise LibraryInvalid([FileProblem(f"environment {spec.slug}", None, message)]) from error
