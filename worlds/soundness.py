"""The goal soundness stage: metamorphic testing of the reference's episode.

An episode that met the goal is changed by one relation after another (`worlds.relations`) and judged anew. A wrong way
that meets the goal shows that the goal is blind; a right one that misses it, that it is narrow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from worlds.counterexample import Counterexample
from worlds.diff import without_volatile
from worlds.findings import Finding, finding
from worlds.intent import Finish
from worlds.outside import OutsideServer
from worlds.relations import RELATIONS, Relation
from worlds.relations.attempts import Attempts, Trial
from worlds.relations.subject import Mutant, Subject
from worlds.replay import actions_of, replay
from worlds.step import Assertion, Call, Episode
from worlds.toolsession import ToolSession
from worlds.world import World

CALLS = 150
"""That all relations together may cost in one environment."""
SECONDS = 10.0
"""After which no further mutant is tried: a hundred calls of a slow tool would outlast any worker's patience."""
MOST_NAMED = 4
CHANGED = "changed"
"""Who acts, by name, in the changed copies that are kept: no agent, and in no rate."""


@dataclass
class Soundness:
    """What the stage showed."""

    findings: list[Finding] = field(default_factory=list)
    counterexamples: list[Counterexample] = field(default_factory=list)
    episodes: list[Episode] = field(default_factory=list)
    """The changed copies that were judged wrongly, in the order of the findings, which cite them."""


def soundness(world: World, reference: Episode, session: ToolSession) -> Soundness:
    """Apply every relation to an episode of the reference that has reward 1."""
    shown = Soundness()
    if not can_be_replayed(world):
        return shown
    try:
        wrong = list(_wrongly_judged(world, reference, session))
        for number, (name, mutant, trial) in enumerate(wrong):
            changed = replay(world, session, mutant.actions, mutant.edits, CHANGED, number)
            shown.episodes.append(changed)
            shown.findings.append(_finding(world, reference, name, mutant, trial, changed))
            shown.counterexamples.append(_counterexample(name, mutant, trial))
    finally:
        session.end_attempt()
    return shown


def can_be_replayed(world: World) -> bool:
    """Whether an attempt can be gone on with from its middle: outside servers must let their state be set."""
    outside = (server for server in world.servers.values() if isinstance(server, OutsideServer))
    return all(
        each.settings.capabilities["snapshot"] and each.settings.capabilities["diff"]
        for each in outside
    )


def _wrongly_judged(
    world: World, reference: Episode, session: ToolSession
) -> Iterator[tuple[str, Mutant, Trial]]:
    attempts = Attempts(world, session, actions_of(reference.steps))
    subject = Subject(world, attempts.actions, attempts.run(attempts.actions))
    if not subject.trial.is_met or subject.trial.diff != reference.diff:
        return  # not the same twice: `nondeterministic` or `state-leak` tells
    calls, began = attempts.calls, time.monotonic()
    # A goal that an agent meets by doing nothing is blind to all else too: `goal-vacuous` tells.
    is_vacuous = attempts.run((Finish(),)).is_met
    for name, relation in RELATIONS.items():
        if is_vacuous and relation.should == 0:
            continue
        left = min(relation.calls, CALLS - (attempts.calls - calls))
        for mutant, trial in _failures(subject, relation, attempts, left, began):
            yield name, mutant, trial


def _failures(
    subject: Subject, relation: Relation, attempts: Attempts, budget: int, began: float
) -> Iterator[tuple[Mutant, Trial]]:
    """The first mutant that is judged wrongly, at each place of the goal."""
    places: set[str] = set()
    for mutant in relation.mutants(subject):
        if time.monotonic() - began > SECONDS:
            return
        calls = attempts.new_calls(mutant.actions)
        if calls > budget:
            continue  # a later one may cost less: an edit costs nothing
        budget -= calls
        trial = attempts.run(mutant.actions, mutant.edits)
        if trial.verdict is None or trial.verdict.reward == relation.should:
            continue
        place = _place(relation, trial)
        if place not in places and relation.applies(subject, mutant, trial):
            places.add(place)
            yield mutant, trial
            if relation.should == 0:
                return


def _place(relation: Relation, trial: Trial) -> str:
    missed = _missed(trial)
    return missed.place if relation.should == 1 and missed else "goal"


def _missed(trial: Trial) -> Assertion | None:
    assertions = trial.verdict.assertions if trial.verdict else []
    return next((item for item in assertions if not item.met), None)


def _finding(
    world: World,
    reference: Episode,
    name: str,
    mutant: Mutant,
    trial: Trial,
    changed: Episode,
) -> Finding:
    relation = RELATIONS[name]
    blind = relation.should == 0
    return finding(
        relation.code,
        "intent",
        world.bundle.manifest.intent.slug,
        severity="blocking" if _is_proven(relation, mutant) else "warning",
        place=_place(relation, trial),
        symbol=f"goal {name}",
        message=_blind(world, reference, mutant, trial) if blind else _narrow(mutant, trial),
        evidence=_evidence(changed, name, mutant, trial),
    )


def _is_proven(relation: Relation, mutant: Mutant) -> bool:
    """Whether the tools alone get to where the goal is wrong, and nothing is guessed."""
    return relation.should == 0 and not mutant.edits and not relation.is_guess


def _blind(world: World, reference: Episode, mutant: Mutant, trial: Trial) -> str:
    places = _differing(world, reference, trial)
    ends = f" (it ends otherwise at {places})" if places else ""
    by_hand = " No tool was found that does it, so it was edited." if mutant.edits else ""
    return f"The goal is still met when {mutant.what}{ends}.{by_hand}"


def _narrow(mutant: Mutant, trial: Trial) -> str:
    missed = _missed(trial)
    said = f"“{missed.text}” is not met: {missed.detail}" if missed else "it is not met"
    return f"The goal is missed when {mutant.what}: {said}."


def _differing(world: World, reference: Episode, trial: Trial) -> str:
    """Where the final states differ, as `table/key#field`."""
    volatile = world.bundle.domain.volatile
    before, after = (
        {
            unit: value
            for change in without_volatile(diff, volatile)
            for unit, value in _units(change)
        }
        for diff in (reference.diff, trial.diff)
    )
    units = sorted(
        unit for unit in before.keys() | after.keys() if before.get(unit) != after.get(unit)
    )
    more = f" and {len(units) - MOST_NAMED} more" if len(units) > MOST_NAMED else ""
    return ", ".join(units[:MOST_NAMED]) + more


def _units(change: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    row = f"{change['table']}/{change['key']}"
    if change["op"] == "update":
        yield from ((f"{row}#{name}", sides) for name, sides in change["fields"].items())
    else:
        yield row, change


def _evidence(changed: Episode, name: str, mutant: Mutant, trial: Trial) -> dict[str, Any]:
    last = len(changed.steps) - 1
    step = {"step": min(mutant.step, last)} if mutant.step is not None else {}
    inserted = mutant.actions[mutant.inserted] if mutant.inserted is not None else None
    call = {"call": inserted.model_dump(mode="json")} if isinstance(inserted, Call) else {}
    edits = {"edits": mutant.edits} if mutant.edits else {}
    return {
        "agent": changed.agent,
        "attempt": changed.attempt,
        "relation": name,
        **step,
        **call,
        **edits,
        "actions": [action.model_dump(mode="json") for action in mutant.actions],
        "statuses": trial.statuses,
    }


def _counterexample(name: str, mutant: Mutant, trial: Trial) -> Counterexample:
    return Counterexample(
        label="relation",
        name=name,
        should=RELATIONS[name].should,
        actions=list(mutant.actions),
        statuses=trial.statuses,
        edits=mutant.edits,
    )
