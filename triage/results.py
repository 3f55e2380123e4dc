"""Storing what a check showed: result, episodes and findings, each once by key, whoever comes first."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

import agents
from components.models import Component, Environment, Version
from triage import counterexamples, suspicions
from triage.behaviour import Behaviours, behaviours
from triage.dismissal import follow_known
from triage.models import AgentProfile, Check, Episode, Finding, Result
from triage.recipe import episode_key
from worlds import findings, step
from worlds.bundle import Manifest
from worlds.check import CheckResult
from worlds.counterexample import Counterexample

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Subject(Protocol):
    """What a result is of: a check, or an environment as it might be (`triage.hypotheses`)."""

    @property
    def environment(self) -> Environment:
        """The row, or as it would be."""

    @property
    def bundle(self) -> str:
        """Digest of the manifest."""

    @property
    def result_key(self) -> str: ...


def store_of_check(check: Check, outcome: CheckResult) -> None:
    """Store a result under the check's key, unless it is there, with what belongs to the environment as it is: passes
    to be doubted, counterexamples. Call it in a transaction."""
    manifest = Manifest.model_validate(check.manifest)
    outside = behaviours(check.round, [manifest])[manifest.digest]
    made, played = store(check, manifest, outcome, outside)
    if played is not None:
        suspicions.store(check, played)
        if outcome.counterexamples:
            counterexamples.store_found(check, _counterexamples(outcome), outside)
            follow_known(made)


def store(
    subject: Subject, manifest: Manifest, outcome: CheckResult, outside: Behaviours
) -> tuple[Result, dict[str, step.Episode] | None]:
    """Store a result under the subject's key, with episodes and findings, and return it with the episodes by key, in
    the order in which they were played; with None where it was there. Call it in a transaction."""
    made, created = Result.objects.get_or_create(
        pk=subject.result_key,
        defaults={
            "bundle": subject.bundle,
            "status": outcome.status,
            "witness": outcome.witness,
            "seconds": outcome.seconds,
            "unobserved": [item.model_dump() for item in outcome.unobserved],
            "times": {agent: list(seconds) for agent, seconds in outcome.times.items()},
        },
    )
    if not created:
        return made, None
    played = _store_episodes(made, outcome.episodes, outside)
    _store_findings(made, subject, manifest, outcome.findings)
    return made, played


def _store_episodes(
    made: Result, played: Sequence[step.Episode], outside: Behaviours
) -> dict[str, step.Episode]:
    """Key → episode, in the order in which they were played."""
    profiles = _profiles({episode.agent for episode in played})
    stored = [_episode(episode, profiles[episode.agent], outside) for episode in played]
    # In the order of their keys, so that two who store the same ones never wait for each other.
    rows = sorted(stored, key=lambda row: row.pk)
    Episode.objects.bulk_create(rows, ignore_conflicts=True)
    link = Result.episodes.through
    link.objects.bulk_create(
        [link(result_id=made.pk, episode_id=row.pk) for row in rows], ignore_conflicts=True
    )
    return {row.pk: episode for row, episode in zip(stored, played, strict=True)}


def _profiles(names: Iterable[str]) -> dict[str, AgentProfile]:
    digests = {name: agents.digest(name) for name in sorted(names)}
    AgentProfile.objects.bulk_create(
        [AgentProfile(name=name, digest=digest) for name, digest in digests.items()],
        ignore_conflicts=True,
    )
    found = AgentProfile.objects.filter(digest__in=digests.values())
    return {profile.name: profile for profile in found}


def _episode(played: step.Episode, agent: AgentProfile, outside: Behaviours) -> Episode:
    return Episode(
        key=episode_key(played.bundle, agent.digest, played.seed, played.attempt, outside),
        bundle=played.bundle,
        agent=agent,
        seed=played.seed,
        attempt=played.attempt,
        reward=played.verdict.reward if played.verdict else None,
        progress=played.verdict.progress if played.verdict else None,
        length=len(played.steps),
        calls=sum(one.kind == "call" for one in played.steps),
        document=storable(played.model_dump(mode="json")),
    )


def _store_findings(
    made: Result, subject: Subject, manifest: Manifest, found: Iterable[findings.Finding]
) -> None:
    found = list(found)
    versions = _versions(subject, manifest) if found else {}
    blamed = _components(subject, found)
    rows = []
    for item in found:
        name = (item.kind or "", item.component)
        rows.append(
            Finding(
                result=made,
                code=item.code,
                severity=item.severity,
                kind=item.kind or "",
                slug=item.component,
                component=blamed.get(name),
                version=versions.get(name),
                place=storable(item.place)[:400],
                symbol=storable(item.symbol)[:400],
                fingerprint=item.fingerprint,
                message=storable(item.message),
                evidence=storable(item.evidence),
            )
        )
    Finding.objects.bulk_create(rows)


def _components(
    subject: Subject, found: Collection[findings.Finding]
) -> dict[tuple[str, str], Component]:
    """(kind, slug) → the component that is blamed by that name."""
    slugs = {item.component for item in found}
    rows = Component.objects.filter(domain=subject.environment.domain_id, slug__in=slugs)
    return {(row.kind, row.slug): row for row in rows} if slugs else {}


def _versions(subject: Subject, manifest: Manifest) -> dict[tuple[str, str], Version]:
    """(kind, slug) → the version that the bundle holds; of several with the same body, the newest. Of a body that is
    only tried there is none."""
    refs = manifest.refs()
    bodies = {(kind, "domain" if kind == "domain" else ref.slug): ref.body for kind, ref in refs}
    rows = (
        Version.objects.filter(
            component__domain=subject.environment.domain_id, body__in=bodies.values()
        )
        .select_related("component")
        .order_by("number")
    )
    named = {(row.component.kind, row.component.slug, row.body_id): row for row in rows}
    return {
        (kind, slug): named[kind, slug, body]
        for (kind, slug), body in bodies.items()
        if (kind, slug, body) in named
    }


def _counterexamples(outcome: CheckResult) -> list[tuple[Counterexample, str]]:
    """What relations found, each with the message of its finding."""
    return [
        (
            Counterexample.model_validate(storable(one.model_dump(mode="json"))),
            str(storable(_message(one, outcome.findings))),
        )
        for one in outcome.counterexamples
    ]


def _message(one: Counterexample, found: Iterable[findings.Finding]) -> str:
    """Of the finding that shows the same actions; empty where there is none."""
    actions = [action.model_dump(mode="json") for action in one.actions]
    shows = {"relation": one.name, "actions": actions}
    same = (item for item in found if shows.items() <= item.evidence.items())
    return next((item.message for item in same), "")


def storable(value: Any) -> Any:
    """`value` (JSON that a tool may have made up) with what PostgreSQL refuses replaced: NUL and lone
    surrogates by U+FFFD, infinite numbers and NaN by their names."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    return value
