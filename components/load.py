"""Loads domain folders: all of them or nothing, one load of a domain after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction

from components.actor import Actor, demand, visible_domains
from components.loadcomponents import ComponentLoad
from components.loadenvironments import EnvironmentLoad
from components.models import AuditEntry, Domain
from worlds.bundle import Bundle, Pin
from worlds.folder import DomainFolder

Pinning = Callable[[Bundle], Pin]
"""Binds the slots of a bundle and finds the effect of its plan; never raises."""


@dataclass
class LoadReport:
    """What a load came to: how much the folders hold, and how many versions were new."""

    domains: int = 0
    components: int = 0
    versions_created: int = 0
    environments: int = 0

    def document(self) -> dict[str, int]:
        """As commands print it."""
        return asdict(self)


@dataclass
class Loading:
    """One folder on its way into one domain."""

    folder: DomainFolder
    domain: Domain
    actor: Actor
    source: str
    """Who brings it: `library`, `import_tau2`."""
    prune: bool
    repins: bool
    """Whether what changed is pinned anew."""
    counts: dict[str, int] = field(default_factory=dict)
    entries: list[AuditEntry] = field(default_factory=list)

    def note(self, action: str, target: str, **detail: Any) -> None:
        """Remember an entry of the audit log; all are written at the end."""
        entry = AuditEntry(
            actor=self.actor,
            action=action,
            domain=self.domain,
            target=f"{self.domain.slug}/{target}"[:300],
            detail=detail,
        )
        self.entries.append(entry)

    def count(self, name: str, number: int) -> None:
        """Remember how many of something there were, for the load's entry in the audit log."""
        if number:
            self.counts[name] = self.counts.get(name, 0) + number


@transaction.atomic
def load(
    folders: Sequence[DomainFolder],
    actor: Actor,
    *,
    source: str,
    prune: bool = False,
    repins: bool = False,
    pinning: Pinning | None = None,
) -> LoadReport:
    """Bring the database to what `folders` say, in one transaction; `source` says who asks (`library`).

    A component gets a new version only when its body differs from the current one. Environments keep their
    pins unless the folder's pins say otherwise; those without one are pinned by `pinning`
    (`agents.pinning.pin`). `repins` is for what others publish: where a part other than a rule got a new
    version, its environments are pinned anew; for edits of our own, that is a reviewed act. `prune` deletes
    environments and compositions that the folders lack, and components that they lack and nothing uses.
    Raises PermissionDenied.
    """
    demand(actor, "components.add_version", "load components")
    if prune:
        demand(actor, "components.delete_component", "prune components")
    domains = _locked({folder.slug for folder in folders}, actor)
    report = LoadReport(domains=len(folders))
    for folder in sorted(folders, key=lambda folder: folder.slug):
        loading = Loading(folder, domains[folder.slug], actor, source, prune, repins)
        _load_one(loading, pinning or _pin)
        report.components += sum(1 for _ in folder.files())
        report.versions_created += loading.counts.get("versions created", 0)
        report.environments += len(folder.all_environments())
    return report


def _load_one(loading: Loading, pinning: Pinning) -> None:
    components = ComponentLoad(loading)
    components.run()
    EnvironmentLoad(loading, components.rows, components.changed).run(pinning)
    if loading.prune:
        components.prune()
    domain = loading.domain
    AuditEntry.objects.bulk_create(
        [
            AuditEntry(
                actor=loading.actor,
                action=f"{loading.source}.load",
                domain=domain,
                target=domain.slug,
                detail=loading.counts,
            ),
            *loading.entries,
        ]
    )


def _locked(slugs: set[str], actor: Actor) -> dict[str, Domain]:
    """The domains, made where missing, ours alone until the transaction ends.

    A second load waits at the insert for a first one that makes the domain, at the lock for any other. All
    go in the order of the slugs, so that none wait for each other.
    """
    ordered = sorted(slugs)
    Domain.objects.bulk_create([Domain(slug=slug) for slug in ordered], ignore_conflicts=True)
    locked = Domain.objects.select_for_update().filter(slug__in=ordered).order_by("slug")
    domains = {domain.slug: domain for domain in locked}
    visible = set(visible_domains(actor).filter(slug__in=ordered).values_list("slug", flat=True))
    for slug in ordered:
        if slug not in visible:
            raise PermissionDenied(
                f"{actor} may not load into the domain {slug!r}: it is kept for groups that they "
                "are not in; ask an admin to be added to one"
            )
    return domains


def _pin(bundle: Bundle) -> Pin:
    from agents.pinning import pin

    return pin(bundle)
