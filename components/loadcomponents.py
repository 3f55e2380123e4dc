"""The components' part of a load: bodies, versions, about blocks, and what is pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from components.models import Body, Component, Version
from worlds.folder import File

if TYPE_CHECKING:
    from components.load import Loading

BATCH = 1000

Name = tuple[str, str]
"""Kind and slug of a component."""


class ComponentLoad:
    """Compares a folder's files with the rows and writes the difference, however many, in a few queries."""

    def __init__(self, loading: Loading) -> None:
        self.loading = loading
        self.files: dict[Name, File[Any]] = {
            (file.kind, file.slug): file for file in loading.folder.files()
        }
        self.rows: dict[Name, Component] = {}
        """The domain's components: those of the folder, and the others it has."""
        self.changed: set[Name] = set()
        """Those that were there, with another body."""

    def run(self) -> None:
        """Write new components, new versions and changed about blocks."""
        locked = self.loading.domain.components.select_for_update(of=("self",))
        self.rows = {(row.kind, row.slug): row for row in locked.select_related("current")}
        there = {name for name, row in self.rows.items() if row.current is not None}
        self._create()
        changed = {
            name: file
            for name, file in self.files.items()
            if (current := self.rows[name].current) is None or current.body_id != file.digest
        }
        self.changed = there & changed.keys()
        self._store_bodies(list(changed.values()))
        versions = self._store_versions(changed)
        self._update(versions)

    def _create(self) -> None:
        new = [
            Component(domain=self.loading.domain, kind=kind, slug=slug, about=file.about)
            for (kind, slug), file in self.files.items()
            if (kind, slug) not in self.rows
        ]
        Component.objects.bulk_create(new, batch_size=BATCH)
        self.rows |= {(row.kind, row.slug): row for row in new}
        self.loading.count("components created", len(new))

    def _store_bodies(self, files: list[File[Any]]) -> None:
        bodies = {
            file.digest: Body(digest=file.digest, kind=file.kind, text=file.body.canonical())
            for file in files
        }
        # In one order, since another domain's load may be storing the same bodies.
        ordered = [body for _, body in sorted(bodies.items())]
        Body.objects.bulk_create(ordered, ignore_conflicts=True, batch_size=BATCH)

    def _store_versions(self, changed: dict[Name, File[Any]]) -> dict[Name, Version]:
        versions = {name: self._version(self.rows[name], file) for name, file in changed.items()}
        Version.objects.bulk_create(versions.values(), batch_size=BATCH)
        for (kind, slug), version in versions.items():
            self.loading.note(
                "version.create",
                f"{kind}/{slug} v{version.number}",
                body=version.body_id,
                source=version.source,
            )
        self.loading.count("versions created", len(versions))
        return versions

    def _version(self, row: Component, file: File[Any]) -> Version:
        current = row.current
        return Version(
            component=row,
            number=current.number + 1 if current else 1,
            body_id=file.digest,
            parent=current,
            author=self.loading.actor,
            reason="loaded" if current else "first loaded",
            source=f"{self.loading.source} {self.loading.domain.slug}/{file.place}",
        )

    def _update(self, versions: dict[Name, Version]) -> None:
        moved = []
        for name, file in self.files.items():
            row = self.rows[name]
            if row.about != file.about:
                row.about = file.about
                self.loading.count("about blocks changed", 1)
            elif name not in versions:
                continue
            row.current = versions.get(name, row.current)
            moved.append(row)
        Component.objects.bulk_update(moved, ["about", "current"], batch_size=BATCH)

    def prune(self) -> None:
        """Delete the components that the folder lacks and no environment uses."""
        unused = self.loading.domain.components.filter(parts=None)
        doomed = [row for row in unused if (row.kind, row.slug) not in self.files]
        for row in doomed:
            self.loading.note("component.delete", f"{row.kind}/{row.slug}")
        Component.objects.filter(pk__in=[row.pk for row in doomed]).delete()
        self.loading.count("components deleted", len(doomed))
