"""Suspicious passes: found when a check is stored, queued by what they share, read by people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from components.actor import Actor, demand
from components.bundles import bundle
from components.models import AuditEntry, Component
from triage import passes
from triage.counterexamples import AlreadyKept, CounterexampleInvalid, make, retire
from triage.models import Check, Counterexample, Episode, Result, Suspicion
from triage.models.suspicion import Reading, SuspicionQuerySet
from worlds import step
from worlds.bundle import Manifest
from worlds.canonical import digest

LABEL = "triage.change_suspicion"
AT_ONCE = 100
"""How many checks a scan holds at a time."""


class SuspicionInvalid(ValueError):
    """A suspicion cannot be labelled so."""


# Finding


def store(check: Check, episodes: Mapping[str, step.Episode]) -> None:
    """Keep the reasons to doubt the passes of a check's result; `episodes` by key, in the order of the panel."""
    if any(_is_pass(one) for one in episodes.values()):
        Suspicion.objects.bulk_create(_rows(check, episodes), ignore_conflicts=True)


def _is_pass(episode: step.Episode) -> bool:
    passed = episode.verdict is not None and episode.verdict.reward == 1
    return passed and episode.agent not in passes.KNOWN


def _rows(check: Check, episodes: Mapping[str, step.Episode]) -> list[Suspicion]:
    manifest = Manifest.model_validate(check.manifest)
    found = passes.doubts(bundle(manifest), list(episodes.values()))
    if not found:
        return []
    domain = check.environment.domain
    intent = Component.objects.filter(
        domain=domain, kind="intent", slug=manifest.intent.slug
    ).first()
    if intent is None:  # taken out of the library while the check ran
        return []
    keys = {(one.agent, one.attempt): key for key, one in episodes.items()}
    return [
        Suspicion(
            episode_id=keys[one.agent, one.attempt],
            result_id=check.result_key,
            environment=check.environment,
            component=intent,
            kind=one.kind,
            explanation=one.explanation,
            fingerprint=digest([one.kind, one.agent, domain.slug, intent.slug])[:16],
        )
        for one in found
    ]


def scan(results: QuerySet[Result]) -> int:
    """Look at results that are stored already, each once, by their newest check; returns how many were looked at."""
    others = Episode.objects.filter(results=OuterRef("result"), reward=1)
    passed = others.exclude(agent__name__in=passes.KNOWN)
    checks = (
        Check.objects.filter(Exists(passed), result__in=results.order_by().values("pk"))
        .order_by("result", "-round_id")
        .distinct("result")
        .select_related("environment__domain")
        .prefetch_related("result__episodes__agent")
    )
    looked_at = 0
    for check in checks.iterator(chunk_size=AT_ONCE):
        assert check.result is not None  # noqa: S101  # it was asked for by its result
        store(check, _episodes(check.result.episodes.all()))
        looked_at += 1
    return looked_at


def _episodes(rows: Iterable[Episode]) -> dict[str, step.Episode]:
    return {row.pk: step.Episode.model_validate(row.document) for row in rows}


# Queueing


def clusters(rows: SuspicionQuerySet) -> QuerySet[Any, Any]:
    """Suspicions by fingerprint: how many `episodes` and `environments`, and how many of the episodes are
    `unread`, `right`, `wrong`; the most unread ones first. One query."""
    said = {
        name: Count("episode", filter=Q(reading=reading), distinct=True)
        for name, reading in [
            ("unread", Reading.UNREAD),
            ("right", Reading.RIGHT),
            ("wrong", Reading.WRONG),
        ]
    }
    named: QuerySet[Any, Any] = rows.order_by().values(
        "fingerprint",
        "kind",
        "episode__agent__name",
        "component__domain__slug",
        "component__slug",
    )
    counted: QuerySet[Any, Any] = named.annotate(
        episodes=Count("episode", distinct=True),
        environments=Count("environment", distinct=True),
        found=Max("found"),
        explanation=Max("explanation"),
        **said,
    )
    return counted.order_by("-unread", "fingerprint")


# Reading


def label(actor: Actor, row: Suspicion, reading: str, note: str = "") -> None:
    """Say of a suspicious pass whether it is right or wrong, for every reason to doubt it; "" takes that back.

    A wrong one becomes a person's counterexample that should fail; that is retired when the word is taken back.
    Raises PermissionDenied and SuspicionInvalid.
    """
    demand(actor, LABEL, "label a suspicious pass")
    if reading not in Reading.values:
        raise SuspicionInvalid(f"a pass is right or wrong, not {reading!r}")
    with transaction.atomic():
        mine = Suspicion.objects.filter(environment=row.environment_id, episode=row.episode_id)
        same = list(mine.select_for_update().order_by("pk"))
        wrong = _doubted(actor, row, note) if reading == Reading.WRONG else None
        if wrong is None:
            _take_back(actor, same, reading)
        said = {"by": actor, "at": timezone.now()} if reading else {"by": None, "at": None}
        mine.update(reading=reading, note=note, counterexample=wrong, **said)
        AuditEntry.objects.create(
            actor=actor,
            action="suspicion.label",
            domain=row.environment.domain,
            target=f"{row} of {row.environment}"[:300],
            detail={"reading": reading, "was": same[0].reading, "note": note},
        )
    row.refresh_from_db()


def _doubted(actor: Actor, row: Suspicion, note: str) -> Counterexample:
    try:
        return make(actor, row.episode, 0, note or row.explanation)
    except AlreadyKept as found:
        return found.row
    except CounterexampleInvalid as problem:
        raise SuspicionInvalid(f"{row} cannot be called wrong: {problem}") from problem


def _take_back(actor: Actor, same: Sequence[Suspicion], reading: str) -> None:
    """Retire what the rows made when they were called wrong."""
    made = {one.counterexample_id for one in same if one.counterexample_id}
    for found in Counterexample.objects.kept().filter(pk__in=made).order_by("pk"):
        # Somebody else may have retired it just now, which is as well.
        with suppress(CounterexampleInvalid):
            retire(actor, found, f"the pass was read again: {reading or 'the word was taken back'}")
