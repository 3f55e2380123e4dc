"""Counterexamples: made by people from episodes, found by relations, judged again on every later bundle.

Results are shared by key, and a counterexample is no part of the key: so what a bundle makes of one is kept beside
the results, as a judgement of the pair, and worked out with the next check of the environment that lacks it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import models, transaction
from django.db.models import Case, F, OuterRef, Subquery, Value, When
from django.db.models.functions import Coalesce, Now

from components.actor import Actor, demand
from components.models import AuditEntry, Component, Version
from triage.behaviour import Behaviours
from triage.current import current_bundle
from triage.models import Check, Counterexample, Episode, Judgement
from triage.models.counterexample import CounterexampleQuerySet, Source, Standing
from triage.recipe import episode_key
from worlds import step
from worlds.bundle import Bundle, Manifest
from worlds.canonical import digest
from worlds.counterexample import Counterexample as Said
from worlds.replay import actions_of
from worlds.toolsession import ToolSession
from worlds.world import World

MAKE = "triage.add_counterexample"
RETIRE = "triage.change_counterexample"


class CounterexampleInvalid(ValueError):
    """The counterexample that was asked for cannot be made, or be retired."""


class AlreadyKept(CounterexampleInvalid):
    """The same counterexample is kept already, and counts: `row`."""

    def __init__(self, row: Counterexample) -> None:
        super().__init__(f"episode {row.episode[:12]} is kept as {row} already")
        self.row = row


# Making and retiring


def make(actor: Actor, episode: Episode, should: int, reason: str) -> Counterexample:
    """Keep a person's word that an episode should have had the reward `should`, 0 or 1; it counts at once.

    One that was retired counts again. Raises PermissionDenied and CounterexampleInvalid.
    """
    demand(actor, MAKE, "say that a verdict is wrong")
    played = step.Episode.model_validate(episode.document)
    if problem := _problem(played, should, reason):
        raise CounterexampleInvalid(f"episode {episode.pk[:12]} {problem}")
    with transaction.atomic():
        row = _kept(actor, episode, _document(played, should), reason)
        Judgement.objects.update_or_create(
            counterexample=row,
            bundle=episode.bundle,
            defaults={"state": Standing.OPEN, "key": ""},
        )
        _audit(actor, "counterexample.create", row, reason, should=should, episode=episode.pk)
    return row


def _problem(played: step.Episode, should: int, reason: str) -> str:
    """Why no counterexample can be made of an episode; empty where one can."""
    if not reason.strip():
        return "was not said to be wrong for any reason: give one"
    if played.verdict is None:
        return "was not scored: there is no verdict that could be wrong"
    if played.verdict.reward == should:
        return f"has the reward {should} already"
    if should and played.ended != "finished":
        return "was cut off before it finished: no goal accepts that"
    return ""


def _document(played: step.Episode, should: int) -> Said:
    return Said.model_validate(
        {
            "label": "person",
            "name": played.agent,
            "should": should,
            "actions": actions_of(played.steps),
            "statuses": [one.status for one in played.steps if one.kind == "call"],
        }
    )


def _kept(
    actor: Actor,
    episode: Episode,
    said: Said,
    reason: str,
) -> Counterexample:
    check = _check_of(episode, actor)
    place = _Place.of(check)
    row, made = Counterexample.objects.select_for_update().get_or_create(
        environment=check.environment,
        digest=digest(said.model_dump(mode="json")),
        defaults={
            **place.columns(said),
            "bundle": episode.bundle,
            "reason": reason,
            "episode": episode.pk,
            "author": actor,
        },
    )
    if made:
        return row
    if row.retired is None:
        raise AlreadyKept(row)
    row.retired, row.retired_by, row.retired_because = None, None, ""
    row.reason, row.author = reason, actor
    row.save(update_fields=["retired", "retired_by", "retired_because", "reason", "author"])
    return row


def _check_of(episode: Episode, actor: Actor) -> Check:
    """The newest check that `actor` may read and that the episode is evidence in."""
    checks = Check.objects.all() if actor is None else Check.objects.visible_to(actor)
    found = checks.filter(result__episodes=episode).select_related("environment__domain")
    check = found.order_by("-round_id").first()
    if check is None:
        raise CounterexampleInvalid(f"episode {episode.pk[:12]} belongs to no check any more")
    return check


def retire(actor: Actor, row: Counterexample, reason: str) -> None:
    """Take a counterexample back, for a reason: it is judged no more. Raises PermissionDenied and
    CounterexampleInvalid."""
    demand(actor, RETIRE, "retire a counterexample")
    if not reason.strip():
        raise CounterexampleInvalid(f"{row} was not retired: give a reason")
    with transaction.atomic():
        mine = Counterexample.objects.kept().filter(pk=row.pk)
        if not mine.update(retired=Now(), retired_by=actor, retired_because=reason):
            raise CounterexampleInvalid(f"{row} is retired already")
        _audit(actor, "counterexample.retire", row, reason)
    row.refresh_from_db()


def _audit(actor: Actor, action: str, row: Counterexample, reason: str, **more: Any) -> None:
    AuditEntry.objects.create(
        actor=actor,
        action=action,
        domain=row.environment.domain,
        target=f"{row} of {row.environment}"[:300],
        detail={"reason": reason, **more},
    )


class _Place(NamedTuple):
    """Whose goal a counterexample is against."""

    component: Component
    version: Version | None

    @classmethod
    def of(cls, check: Check) -> _Place:
        """The intent that a check's bundle holds."""
        ref = Manifest.model_validate(check.manifest).intent
        component = Component.objects.filter(
            domain=check.environment.domain_id, kind="intent", slug=ref.slug
        ).first()
        if component is None:
            raise CounterexampleInvalid(f"the intent {ref.slug} is not in the library any more")
        versions = component.versions.filter(body=ref.body)
        return cls(component, versions.order_by("-number").first())

    def columns(self, said: Said) -> dict[str, Any]:
        return {
            "component": self.component,
            "version": self.version,
            "document": said.model_dump(mode="json"),
            "label": said.label,
            "name": said.name[:80],
            "should": said.should,
        }


# Judging


Judged = Mapping[int, tuple[str, Behaviours]]
"""Environment's id → its bundle's digest, and the behaviours of the bundle's outside servers."""


def unjudged(bundles: Judged) -> dict[int, dict[int, str]]:
    """Environment → those of its counterexamples, each with the key of its judgement, of which these bundles were
    not asked by this engine. One query, and one more where there is any counterexample."""
    kept = Counterexample.objects.kept().filter(environment__in=bundles.keys()).order_by()
    rows = list(kept.values_list("pk", "environment_id", "digest"))
    if not rows:
        return {}
    judgements = Judgement.objects.filter(
        counterexample__in=[row[0] for row in rows], bundle__in={one[0] for one in bundles.values()}
    )
    known = set(judgements.values_list("counterexample", "bundle", "key"))
    missing: dict[int, dict[int, str]] = defaultdict(dict)
    for pk, environment, said in rows:
        bundle, outside = bundles[environment]
        key = _key(bundle, said, outside)
        if (pk, bundle, key) not in known:
            missing[environment][pk] = key
    return dict(missing)


def _key(bundle: str, said: str, outside: Behaviours) -> str:
    return episode_key(bundle, said, 0, 0, outside)


def judged(bundle: Bundle, missing: Mapping[int, str], *, is_playable: bool) -> list[Judgement]:
    """What a bundle makes of counterexamples (id → key of the judgement), not stored yet; nothing replays in a
    bundle that cannot be played. Trouble of ours is an exception."""
    rows = Counterexample.objects.filter(pk__in=missing).order_by("pk")
    if not is_playable:
        states = dict.fromkeys(missing, Standing.NOT_APPLICABLE)
    else:
        world = World(bundle)
        with ToolSession() as session:
            states = {row.pk: _state(row, world, session) for row in rows}
    return [
        Judgement(counterexample_id=pk, bundle=bundle.digest, key=missing[pk], state=state)
        for pk, state in sorted(states.items())
    ]


def _state(row: Counterexample, world: World, session: ToolSession) -> Standing:
    said = Said.model_validate(row.document)
    episode = said.judged(world, session)
    if episode is None or episode.verdict is None:
        return Standing.NOT_APPLICABLE
    return Standing.CLOSED if episode.verdict.reward == row.should else Standing.OPEN


def store_judgements(made: Iterable[Judgement]) -> None:
    """Each in place of what the bundle made of the same counterexample before."""
    Judgement.objects.bulk_create(
        made,
        update_conflicts=True,
        unique_fields=["counterexample", "bundle"],
        update_fields=["key", "state", "at"],
    )


def store_found(
    check: Check,
    found: Sequence[tuple[Said, str]],
    outside: Behaviours,
) -> None:
    """Keep what a check's relations found, each with its reason, once an environment; it is open against the
    check's bundle."""
    place = _Place.of(check)
    said = {digest(one.model_dump(mode="json")): (one, reason) for one, reason in found}
    Counterexample.objects.bulk_create(
        (
            Counterexample(
                environment=check.environment,
                bundle=check.bundle,
                digest=key,
                reason=reason,
                **place.columns(one),
            )
            for key, (one, reason) in sorted(said.items())
        ),
        ignore_conflicts=True,
    )
    rows = Counterexample.objects.kept().filter(environment=check.environment, digest__in=said)
    store_judgements(
        Judgement(
            counterexample=row,
            bundle=check.bundle,
            key=_key(check.bundle, row.digest, outside),
            state=Standing.OPEN,
        )
        for row in rows.order_by("pk")
    )


# Standing


def with_state(rows: CounterexampleQuerySet) -> models.QuerySet[Any]:
    """Each with `state` (`triage.models.counterexample.Standing`): against the current bundle of its environment,
    or where that was not asked yet, against the last that was. Costs the queries of `digests`."""
    judgements = Judgement.objects.filter(counterexample=OuterRef("pk"))
    now = judgements.filter(bundle=current_bundle(rows, is_outer=True))
    last = judgements.order_by("-at", "-pk")
    return rows.annotate(
        state=Case(
            When(retired__isnull=False, then=Value(Standing.RETIRED.value)),
            default=Coalesce(Subquery(now.values("state")[:1]), Subquery(last.values("state")[:1])),
        )
    )


def doubts(checks: Iterable[int]) -> dict[int | None, list[Counterexample]]:
    """Check → the counterexamples of people that make it broken (`triage.models.counterexample.blocks_check`)."""
    # In one filter, so that all of it is asked of the same check.
    open_ones = Judgement.objects.filter(
        counterexample__environment__checks__in=list(checks),
        counterexample__environment__checks__result__isnull=False,
        bundle=F("counterexample__environment__checks__bundle"),
        state=Standing.OPEN,
        counterexample__label=Source.PERSON,
        counterexample__retired=None,
    )
    rows: Any = open_ones.annotate(of_check=F("counterexample__environment__checks"))
    found: dict[int | None, list[Counterexample]] = defaultdict(list)
    for row in rows.select_related("counterexample__author").order_by("counterexample"):
        found[row.of_check].append(row.counterexample)
    return dict(found)
