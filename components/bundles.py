"""Environments as bundles: which versions they are made of today, and the bodies that those name."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from django.db.models import QuerySet

from components.models import Body, Component, Environment, Part
from components.models.body import Kind
from worlds import body
from worlds.bundle import Bundle, BundleInvalid, Manifest, Pin, Ref


def manifests(environments: QuerySet[Environment]) -> dict[int, Manifest]:
    """The manifest of each environment by its id, in the order of `environments`; three queries."""
    rows = list(environments.values_list("pk", "domain_id", "seed", "pin__binding", "pin__effect"))
    contracts = {
        domain: Ref(slug=slug, body=digest)
        for domain, slug, digest in Component.objects.filter(
            kind=Kind.DOMAIN, domain__in={row[1] for row in rows}
        ).values_list("domain_id", "slug", "current__body_id")
    }
    refs = _refs([row[0] for row in rows])
    return {
        pk: Manifest(
            domain=contracts[domain],
            intent=refs[pk][Kind.INTENT][0],
            rules=tuple(refs[pk][Kind.RULE]),
            records=refs[pk][Kind.RECORDS][0],
            toolservers=tuple(refs[pk][Kind.TOOLSERVER]),
            seed=seed,
            pin=Pin(binding=binding, effect=effect) if binding is not None else None,
        )
        for pk, domain, seed, binding, effect in rows
    }


def _refs(environments: list[int]) -> dict[int, dict[str, list[Ref]]]:
    """Environment → kind → its components at their current versions, in order."""
    refs: dict[int, dict[str, list[Ref]]] = defaultdict(lambda: defaultdict(list))
    parts = (
        Part.objects.filter(environment__in=environments)
        .order_by("position")
        .values_list(
            "environment_id", "component__kind", "component__slug", "component__current__body_id"
        )
    )
    for environment, kind, slug, digest in parts:
        refs[environment][kind].append(Ref(slug=slug, body=digest))
    return refs


def bundle(manifest: Manifest) -> Bundle:
    """The bundle of a manifest; at most one query, none for bodies that this process used lately."""
    kinds = {ref.body: kind for kind, ref in manifest.refs()}
    bodies = parsed_bodies(kinds)
    if lost := sorted(kinds.keys() - bodies.keys()):
        raise BundleInvalid(f"the database lacks the body {lost[0]} ({kinds[lost[0]]})")
    return Bundle.assemble(manifest, bodies)


def parsed_bodies(kinds: Mapping[str, body.Kind]) -> dict[str, body.Body]:
    """The bodies of digests (digest → kind) that there are; at most one query."""
    bodies = PARSED.get(kinds)
    missing = [digest for digest in kinds if digest not in bodies]
    if missing:
        found = {row.digest: row.parsed() for row in Body.objects.filter(digest__in=missing)}
        PARSED.keep(found)
        bodies |= found
    return bodies


class ParsedBodies:
    """The bodies used last, parsed. Records are large, so few of them are kept; safe between threads."""

    def __init__(self, most: int, most_records: int) -> None:
        self._most = {"records": most_records}
        self._most_of_others = most
        self._kept: dict[str, OrderedDict[str, body.Body]] = defaultdict(OrderedDict)
        self._lock = Lock()

    def get(self, kinds: Mapping[str, body.Kind]) -> dict[str, body.Body]:
        """Those of the digests (digest → kind) that are kept."""
        with self._lock:
            found = {}
            for digest, kind in kinds.items():
                if digest in self._kept[kind]:
                    self._kept[kind].move_to_end(digest)
                    found[digest] = self._kept[kind][digest]
            return found

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()

    def keep(self, bodies: dict[str, Any]) -> None:
        """Keep these, and let go of those that were not used for longest."""
        with self._lock:
            for digest, parsed in bodies.items():
                shelf = self._kept[parsed.kind]
                shelf[digest] = parsed
                if len(shelf) > self._most.get(parsed.kind, self._most_of_others):
                    shelf.popitem(last=False)


PARSED = ParsedBodies(most=2000, most_records=8)
