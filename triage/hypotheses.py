"""Environments as they might be: with other bodies in some of their slots, checked as a round would check them.

Results are shared by key with rounds, both ways: what a round knows costs nothing here, and when a candidate becomes
the current version, the next round finds its environments checked.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Model

import agents
from components.bundles import bundle
from components.models import Environment
from triage.behaviour import Behaviours, behaviours
from triage.models import Result
from triage.recipe import recipe, result_key
from triage.results import store
from triage.telling import tellers
from worlds.bundle import Manifest
from worlds.check import CheckResult, check
from worlds.servers import ServerUnavailable

LONGEST_ERROR = 4000


@dataclass(frozen=True)
class Hypothesis:
    """An environment (with its domain at hand) as it might be."""

    environment: Environment
    manifest: Manifest


@dataclass(frozen=True)
class Shown:
    """What checking a hypothesis showed, or why it could not be checked."""

    hypothesis: Hypothesis
    result: Result | None
    error: str = ""


@dataclass(frozen=True)
class _Subject:
    environment: Environment
    bundle: str
    result_key: str


def results_of(hypotheses: Sequence[Hypothesis], asker: Model) -> Iterator[Shown]:
    """Each with its result, in their order: known by key, or checked here and stored. Five queries, and for each that
    is checked those of its bodies and of storing it. `asker` as in `triage.behaviour`.

    No other way is looked for where the plan leads nowhere; where a round did, its result is taken.
    """
    keyed = _keyed(hypotheses, asker)
    for each, one, result in zip(hypotheses, keyed, _known(keyed), strict=True):
        yield _checked(each, one) if result is None else Shown(each, result)


def known_results(hypotheses: Sequence[Hypothesis], asker: Model) -> list[Result | None]:
    """What is known of each by key, in their order: nothing is run. Five queries."""
    return _known(_keyed(hypotheses, asker))


@dataclass(frozen=True)
class _Keyed:
    searching: str
    plain: str
    tells_all: bool
    outside: Behaviours


def _known(keyed: Sequence[_Keyed]) -> list[Result | None]:
    known = Result.objects.in_bulk([key for one in keyed for key in (one.searching, one.plain)])
    return [known.get(one.searching) or known.get(one.plain) for one in keyed]


def _keyed(hypotheses: Sequence[Hypothesis], asker: Model) -> list[_Keyed]:
    outside = behaviours(asker, [each.manifest for each in hypotheses])
    chosen = Environment.objects.filter(pk__in={each.environment.pk for each in hypotheses})
    telling = tellers(chosen)
    recipes = [recipe(agents.PANEL, searches=searches) for searches in (True, False)]
    found = []
    for each in hypotheses:
        digest, environment = each.manifest.digest, each.environment
        tells_all, behaves = environment.pk in telling, outside[digest]
        searching, plain = (
            result_key(digest, made, environment.domain.slug, behaves, tells_all=tells_all)
            for made in recipes
        )
        found.append(_Keyed(searching, plain, tells_all, behaves))
    return found


def _checked(each: Hypothesis, keyed: _Keyed) -> Shown:
    try:
        outcome = check(bundle(each.manifest), agents.panel(), tells_all=keyed.tells_all)
        return Shown(each, _stored(each, keyed, outcome))
    except ServerUnavailable as error:
        return Shown(each, None, str(error))
    except (InterfaceError, OperationalError):
        raise
    except Exception:  # noqa: BLE001  # one environment's trouble is not the others'
        return Shown(each, None, traceback.format_exc()[-LONGEST_ERROR:])


def _stored(each: Hypothesis, keyed: _Keyed, outcome: CheckResult) -> Result:
    # With a witness nothing is searched for: what a round finds would be the same.
    key = keyed.searching if outcome.witness else keyed.plain
    subject = _Subject(each.environment, each.manifest.digest, key)
    with transaction.atomic():
        return store(subject, each.manifest, outcome, keyed.outside)[0]
