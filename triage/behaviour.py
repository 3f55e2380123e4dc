"""How outside tool servers behave is no part of a bundle, and yet decides what a check of it shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.db.models import Model

from components.bundles import parsed_bodies
from worlds.body import Kind
from worlds.bundle import Manifest
from worlds.servers import Servers
from worlds.toolserver_body import OutsideBody

Behaviours = Mapping[str, str]
"""Outside server → a digest that changes when it may behave otherwise; empty where there is none."""


def behaviours(asker: Model, manifests: Iterable[Manifest]) -> dict[str, Behaviours]:
    """Bundle digest → the behaviours of its outside servers; at most one query.

    A server of which nobody can say whether it is what it was counts as another one for each `asker`: a round, or a
    job that runs what might be.
    """
    manifests = list(manifests)
    refs: dict[str, Kind] = {
        ref.body: "toolserver" for manifest in manifests for ref in manifest.toolservers
    }
    names = {
        digest: body.server
        for digest, body in parsed_bodies(refs).items()
        if isinstance(body, OutsideBody)
    }
    known = {name: _behaviour(name, asker) for name in set(names.values())}
    return {manifest.digest: _of(manifest, names, known) for manifest in manifests}


def _behaviour(name: str, asker: Model) -> str:
    settings = Servers.installed().servers.get(name)
    return (settings.behaviour if settings else None) or str(asker)


def _of(manifest: Manifest, names: Mapping[str, str], known: Behaviours) -> Behaviours:
    used = {names[ref.body] for ref in manifest.toolservers if ref.body in names}
    return {name: known[name] for name in sorted(used)}
