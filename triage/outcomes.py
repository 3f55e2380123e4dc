"""One environment with a candidate beside the same without: which way it moves, and what that costs the verifier."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import cast

from django.db import InterfaceError, OperationalError

import agents
from components.bundles import bundle, manifests, parsed_bodies
from components.models import Component, Environment
from components.models.body import Kind
from triage.behaviour import behaviours
from triage.candidates import Changed, bodies
from triage.heldout import is_held_out
from triage.hypotheses import Hypothesis, Shown, results_of
from triage.models import (
    Counterexample,
    Episode,
    Finding,
    Outcome,
    Repair,
    Result,
    Symptom,
    Trial,
)
from triage.models.finding import Severity
from triage.models.result import Status
from triage.models.trial import Move, Stage
from triage.rejudging import rejudging
from triage.resultstatus import status_now
from triage.trialscope import TrialScope
from worlds import step
from worlds.bundle import Bodies, Bundle
from worlds.counterexample import Counterexample as Said
from worlds.drift import drift
from worlds.intent import Intent
from worlds.records import RecordsInvalid
from worlds.servers import ServerUnavailable
from worlds.step import Action
from worlds.strength import PLANS, Evidence, Others, literal_actions, strengths
from worlds.toolsession import ToolSession
from worlds.world import World

CHUNK = 8
"""Environments whose results are looked up together."""
READ = 50
"""Intents whose plans are read together."""
LONGEST_ERROR = 4000
MOST_LABELLED = 20
MEASURED = 8
"""Environments in which the verifier's strength is measured and stored attempts are judged anew, whatever would change:
that costs several checks. Of what judges or asks, also in the whole sample, and wherever the fault shows."""
VERIFIER = (Kind.DOMAIN, Kind.INTENT, Kind.RULE)
"""Kinds of which a change may touch what is asked for, and what is accepted."""
TOOLS = (Kind.DOMAIN, Kind.RECORDS, Kind.TOOLSERVER)
"""Kinds of which a change may touch what calls return."""


@dataclass(frozen=True)
class Pair:
    """What checks showed of an environment without and with the candidate."""

    before: Shown
    after: Shown

    @property
    def environment(self) -> Environment:
        """Which one it is."""
        return self.before.hypothesis.environment


@dataclass(frozen=True)
class Trying:
    """A trial under way: what is the same for all its environments."""

    trial: Trial
    scope: TrialScope

    @cached_property
    def bodies(self) -> Bodies:
        """What the candidate puts where."""
        return bodies(cast("list[Changed]", self.trial.changes))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Of what it changes."""
        return frozenset(kind for kind, _ in self.bodies)

    @cached_property
    def symptoms(self) -> frozenset[str]:
        """Fingerprints of the faults that the proposals are for."""
        rows = Symptom.objects.filter(fault__proposals__trials=self.trial)
        return frozenset(rows.values_list("fingerprint", flat=True))

    @cached_property
    def intents(self) -> list[tuple[str, str]]:
        """Slug and body of all intents of the domain."""
        domains = Component.objects.filter(pk__in=[c["component"] for c in self.trial.changes])
        rows = Component.objects.filter(kind=Kind.INTENT, domain__in=domains.values("domain"))
        return list(rows.order_by("slug").values_list("slug", "current__body"))

    def outcomes(self, stage: Stage, environments: Sequence[int]) -> Iterator[Outcome]:
        """The outcome of each environment, not stored yet, one after the other."""
        for start in range(0, len(environments), CHUNK):
            for pair in self._pairs(environments[start : start + CHUNK]):
                yield self._outcome(stage, pair)

    def checked(self, environment: int) -> Iterator[str]:
        """Have an environment checked without and with the candidate, for whoever asks next; yields its name."""
        for pair in self._pairs([environment]):
            yield pair.environment.slug

    def _pairs(self, environments: Sequence[int]) -> Iterator[Pair]:
        rows = Environment.objects.filter(pk__in=environments).select_related("domain")
        made, named = manifests(rows), rows.in_bulk()
        asked = []
        for pk in (pk for pk in environments if pk in made):
            asked.append(Hypothesis(named[pk], made[pk]))
            asked.append(Hypothesis(named[pk], made[pk].replaced(self.bodies)))
        shown = results_of(asked, self.trial)
        for before in shown:
            yield Pair(before, next(shown))

    def _outcome(self, stage: Stage, pair: Pair) -> Outcome:
        made = Outcome(
            trial=self.trial,
            environment=pair.environment,
            stage=stage,
            is_affected=pair.environment.pk in self.scope.affected,
            is_held_out=self._judges(pair.environment),
            bundle=pair.after.hypothesis.manifest.digest,
            before=pair.before.result,
            after=pair.after.result,
            before_status=self._status(pair.before),
            after_status=self._status(pair.after),
            error=pair.before.error or pair.after.error,
        )
        made.move = _move(made.before_status, made.after_status)
        if made.before is not None and made.after is not None:
            made.is_cured = made.is_affected and self._is_cured(made.before, made.after)
            _compare_attempts(made, made.before, made.after)
            self._measure(made, pair)
        return made

    @cached_property
    def _looked_at(self) -> frozenset[int]:
        """What those that wrote the proposals by themselves saw."""
        rows = Repair.objects.filter(proposals__trials=self.trial)
        return frozenset(pk for seen in rows.values_list("looked_at", flat=True) for pk in seen)

    @cached_property
    def _close(self) -> frozenset[int]:
        return frozenset(self.scope.sample[:MEASURED])

    def _judges(self, environment: Environment) -> bool:
        return is_held_out(environment.slug) and environment.pk not in self._looked_at

    def _status(self, shown: Shown) -> str:
        if shown.result is None:
            return Status.ERROR
        manifest = shown.hypothesis.manifest
        outside = behaviours(self.trial, [manifest])[manifest.digest]
        return status_now(shown.result, shown.hypothesis, outside)

    def _is_cured(self, before: Result, after: Result) -> bool:
        """Whether a symptom is gone, and none is there; what is blocked in another way now is no cure."""
        showed, shows = _signs(before), _signs(after)
        is_gone = bool(self.symptoms & showed.keys()) and not self.symptoms & shows.keys()
        blocks = {sign for sign, severity in shows.items() if severity == Severity.BLOCKING}
        return is_gone and blocks <= showed.keys()

    # What the verifier is worth

    def _measure(self, made: Outcome, pair: Pair) -> None:
        try:
            self._measured(made, pair)
        except (RecordsInvalid, ServerUnavailable) as problem:
            made.error = str(problem)
        except (InterfaceError, OperationalError):
            raise
        except Exception:  # noqa: BLE001  # one environment's trouble is not the others'
            made.error = traceback.format_exc()[-LONGEST_ERROR:]

    def _measured(self, made: Outcome, pair: Pair) -> None:
        touches, runs_tools = self.kinds & {*VERIFIER}, bool(self.kinds & {*TOOLS})
        is_close = made.environment_id in self._close
        if not (is_close or (touches and (made.stage != Stage.FULL or made.is_affected))):
            return  # the same tools, goals and rules everywhere: the first ones have told
        one, other = (bundle(each.hypothesis.manifest) for each in (pair.before, pair.after))
        before, after = World(one), World(other)
        with ToolSession() as session:
            evidence = self._evidence(made, one)
            shown = strengths(before, after, evidence, session)
            if after.unbound is None and (is_close or not runs_tools):
                made.rejudged = dict(rejudging(one.digest, after, session, calls=runs_tools))
        made.strength_before, made.strength_after = shown.before, shown.after
        made.weakened = list(shown.weakened)
        plans = _reference(evidence.before), _reference(evidence.after)
        made.drift = [each._asdict() for each in drift(before, after, plans)]

    def _evidence(self, made: Outcome, before: Bundle) -> Evidence:
        rows = Counterexample.objects.kept().filter(environment=made.environment_id, should=0)
        said = rows.order_by("pk").values_list("document", flat=True)[:MOST_LABELLED]
        return Evidence(
            _episodes(made.before),
            _episodes(made.after),
            [Said.model_validate(each) for each in said],
            self._others(before),
        )

    def _others(self, before: Bundle) -> Others:
        """What other intents' plans do, those that can be said without their rows."""
        servers = tuple(ref.slug for ref in before.manifest.toolservers)
        if servers not in self._plans:
            self._plans[servers] = dict(islice(self._literal(servers), PLANS + 1))
        own = before.manifest.intent.slug
        others = ((slug, plan) for slug, plan in self._plans[servers].items() if slug != own)
        return {f"plan of {slug}": plan for slug, plan in islice(others, PLANS)}

    @cached_property
    def _plans(self) -> dict[tuple[str, ...], dict[str, tuple[Action, ...]]]:
        """Tool servers → intents and what their plans do, one more than are asked of an environment."""
        return {}

    def _literal(self, servers: tuple[str, ...]) -> Iterator[tuple[str, tuple[Action, ...]]]:
        for start in range(0, len(self.intents), READ):
            some = self.intents[start : start + READ]
            parsed = parsed_bodies({body: "intent" for _, body in some if body})
            for slug, body in some:
                intent = parsed.get(body)
                if isinstance(intent, Intent) and (plan := intent.plan(servers)):
                    actions = literal_actions(plan)
                    if actions is not None:
                        yield slug, actions


def _move(before: str, after: str) -> Move:
    if Status.ERROR in (before, after):
        return Move.ERROR
    if before == after:
        return Move.UNCHANGED
    if after == Status.SOLVABLE:
        return Move.FIXED
    is_worse = before == Status.SOLVABLE or after == Status.BROKEN
    return Move.REGRESSED if is_worse else Move.UNCHANGED


def _signs(result: Result) -> dict[str, str]:
    """Fingerprint → severity of what counts, the worst of each."""
    rows = Finding.objects.counted().filter(result=result)
    found: dict[str, str] = {}
    for fingerprint, severity in rows.values_list("fingerprint", "severity"):
        if found.get(fingerprint) != Severity.BLOCKING:
            found[fingerprint] = severity
    return found


def _compare_attempts(made: Outcome, before: Result, after: Result) -> None:
    """That the reference, which knows the plan, comes to pass is what a repair is for, and does not count."""
    one, other = _rewards(before), _rewards(after)
    turned = {at: (one[at], other[at]) for at in one.keys() & other.keys()}
    made.accepted_to_rejected = sum(each == (1, 0) for each in turned.values())
    made.rejected_to_accepted = sum(
        each == (0, 1) for (agent, _), each in turned.items() if agent in agents.FLOOR
    )


def _rewards(result: Result) -> dict[tuple[str, int], int | None]:
    rows = result.episodes.filter(agent__name__in=agents.PANEL)
    return {
        (agent, attempt): reward
        for agent, attempt, reward in rows.values_list("agent__name", "attempt", "reward")
    }


def _episodes(result: Result | None) -> list[step.Episode]:
    """What the panel played."""
    if result is None:
        return []
    rows = Episode.objects.filter(results=result, agent__name__in=agents.PANEL)
    documents = rows.order_by("agent__name", "attempt").values_list("document", flat=True)
    return [step.Episode.model_validate(each) for each in documents]


def _reference(episodes: Sequence[step.Episode]) -> step.Episode | None:
    return next((each for each in episodes if each.agent == "reference"), None)
