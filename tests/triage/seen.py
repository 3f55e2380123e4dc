"""Rounds for tests that saw what a test says, without running anything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.utils import timezone

from components.bundles import manifests
from components.models import Environment
from tests.triage.shop import Shop
from triage.models import Check, Finding, Result, Round
from triage.models.check import State
from triage.models.result import Status
from triage.observations import Cause, Location, Observation, Sign, Weighed
from worlds.canonical import digest


def seen(
    shop: Shop, shows: Mapping[str, Iterable[str]], errors: Collection[str] = (), **finding: Any
) -> Round:
    """A finished round over environments (made where there are none), each with so many crashes of these functions of
    the shop's server; a function is its own fingerprint. `errors` are checks that ended in error."""
    made = Round.objects.create(recipe="", finished=timezone.now())
    made.domains.add(shop.domain)
    for slug in (*shows, *errors):
        if not Environment.objects.filter(domain=shop.domain, slug=slug).exists():
            shop.sound(slug)
    chosen = Environment.objects.filter(domain=shop.domain, slug__in=[*shows, *errors])
    pinned = manifests(chosen)
    for environment in chosen:
        functions = list(shows.get(environment.slug, ()))
        is_error = environment.slug in errors
        Check.objects.create(
            round=made,
            environment=environment,
            manifest=pinned[environment.pk].model_dump(mode="json"),
            bundle=pinned[environment.pk].digest,
            result_key="",
            state=State.ERROR if is_error else State.DONE,
            result=None if is_error else _result(shop, functions, finding),
            finished=timezone.now(),
        )
    return made


def _result(shop: Shop, functions: Sequence[str], finding: Mapping[str, Any]) -> Result:
    made = Result.objects.create(
        key=digest(["seen", Result.objects.count()]),
        bundle="",
        status=Status.BROKEN if functions else Status.SOLVABLE,
        witness="" if functions else "plan",
        seconds=0,
    )
    for function in functions:
        said: dict[str, Any] = {
            "code": "tool-crash",
            "severity": "blocking",
            "kind": "toolserver",
            "slug": "pen",
            "component": shop.server,
            "version": shop.server.current,
            "place": f"{function}:1",
            "symbol": function,
            "fingerprint": function,
            "message": f"{function} crashed: KeyError: 'id'",
        }
        Finding.objects.create(result=made, **{**said, **finding})
    return made


def by_fingerprint(*groups: Collection[str], score: float = 0.9) -> Any:
    """Causes as simple as can be: one a fingerprint, or a group of them; the first of a group is the best suspect."""

    def causes(observations: Sequence[Observation]) -> list[Cause]:
        found: dict[str, dict[int, list[Sign]]] = defaultdict(lambda: defaultdict(list))
        for each in observations:
            for sign in each.signs:
                group = next((min(one) for one in groups if sign.fingerprint in one), None)
                found[group or sign.fingerprint][each.check].append(sign)
        return [_cause(signs, score) for _, signs in sorted(found.items())]

    return causes


def _cause(signs: Mapping[int, Sequence[Sign]], score: float) -> Cause:
    first = min((sign for each in signs.values() for sign in each), key=lambda sign: sign.symbol)
    best = Weighed(Location(first.kind, first.slug, first.symbol), score, 1.0, 0.5)
    other = Weighed(Location("records", "desk"), score / 2, 0.0, 0.5)
    return Cause({check: tuple(each) for check, each in signs.items()}, (best, other))
