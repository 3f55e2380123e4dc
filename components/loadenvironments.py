"""The environments' part of a load: compositions, environments with their parts, and pins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from components.dump import pin_of, specs_of
from components.models import Component, Composition, Environment, Part
from components.models import Pin as PinRow
from worlds.bundle import Bundle, Pin
from worlds.environments import EnvironmentSpec
from worlds.servers import ServerUnavailable
from worlds.source import FileProblem, LibraryInvalid

if TYPE_CHECKING:
    from components.load import Loading

BATCH = 1000


class EnvironmentLoad:
    """Compares a folder's environments with the rows and writes the difference in a few queries."""

    def __init__(self, loading: Loading, components: dict[tuple[str, str], Component]) -> None:
        self.loading = loading
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
        folder = self.loading.folder
        new: list[PinRow] = []
        for slug, spec in self.specs.items():
            row, given = self.rows[slug], folder.pins.get(slug)
            if row.pin is not None and given in (None, pin_of(row.pin)):
                continue
            pin = given or _pinned(spec, folder.bundle(spec), pinning)
            reason = "given in pins.json" if given else "pinned when composed"
            row.pin = PinRow(environment=row, binding=pin.binding, effect=pin.effect, reason=reason)
            new.append(row.pin)
        PinRow.objects.bulk_create(new, batch_size=BATCH)
        pinned = [pin.environment for pin in new]
        Environment.objects.bulk_update(pinned, ["pin"], batch_size=BATCH)
        self.loading.count("pins created", len(new))

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
