"""Environments as bundles: which versions they are made of today, and the bodies that those name."""

from __future__ import annotations

import json
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

from django.contrib.postgres.aggregates import JSONBAgg
from django.db import models
from django.db.models import QuerySet
from django.db.models.functions import Cast, JSONArray

from components.models import Body, Component, Environment, Part
from components.models.body import Kind
from worlds import body
from worlds.bundle import Bundle, BundleInvalid, Manifest, Pin, Ref


class Made(NamedTuple):
    """What an environment is made of now, as the database says it: hashable, and little to move."""

    contract: tuple[str, str]
    """Slug and body."""
    parts: str
    """In order, as JSON: `[[kind, slug, body], …]`."""
    seed: int
    binding: str | None
    effect: str | None


def manifests(environments: QuerySet[Environment]) -> dict[int, Manifest]:
    """The manifest of each environment by its id, in the order of `environments`; three queries."""
    return {pk: _manifest(made) for pk, made in _made(environments)}


def digests(environments: QuerySet[Environment]) -> dict[int, str]:
    """The digest of each environment's current bundle by its id; three queries. Those that this process
    worked out before cost next to nothing."""
    return {pk: _digest(made) for pk, made in _made(environments)}


@lru_cache(maxsize=20_000)
def _digest(made: Made) -> str:
    return _manifest(made).digest


def _manifest(made: Made) -> Manifest:
    refs: dict[str, list[Ref]] = defaultdict(list)
    for kind, slug, digest in json.loads(made.parts):
        refs[kind].append(Ref(slug=slug, body=digest))
    slug, digest = made.contract
    effect = None if made.effect is None else json.loads(made.effect)
    return Manifest(
        domain=Ref(slug=slug, body=digest),
        intent=refs[Kind.INTENT][0],
        rules=tuple(refs[Kind.RULE]),
        records=refs[Kind.RECORDS][0],
        toolservers=tuple(refs[Kind.TOOLSERVER]),
        seed=made.seed,
        pin=Pin(binding=json.loads(made.binding), effect=effect) if made.binding else None,
    )


def _made(environments: QuerySet[Environment]) -> Iterator[tuple[int, Made]]:
    text = models.TextField()
    columns = environments.annotate(
        binding=Cast("pin__binding", text), effect=Cast("pin__effect", text)
    )
    rows = list(columns.values_list("pk", "domain_id", "seed", "binding", "effect"))
    contracts = {
        domain: (slug, digest)
        for domain, slug, digest in Component.objects.filter(
            kind=Kind.DOMAIN, domain__in={row[1] for row in rows}
        ).values_list("domain_id", "slug", "current__body_id")
    }
    parts = _parts([row[0] for row in rows])
    for pk, domain, seed, binding, effect in rows:
        yield pk, Made(contracts[domain], parts[pk], seed, binding, effect)


def _parts(environments: list[int]) -> dict[int, str]:
    """Environment → its components at their current versions, as `Made` has them."""
    named = JSONArray("component__kind", "component__slug", "component__current__body")
    rows = Part.objects.filter(environment__in=environments).order_by().values("environment_id")
    listed = Cast(JSONBAgg(named, order_by="position"), models.TextField())
    return dict(rows.annotate(parts=listed).values_list("environment_id", "parts"))


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
