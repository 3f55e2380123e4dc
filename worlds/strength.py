"""Verifier strength: the share of a fixed pool of wrong episodes that an environment rejects.

The pool is fixed by the environment as it is, and both it and what would become of it are asked about the same
episodes. Where nothing wins in it as it is, that it rejects changed copies of a win says nothing: then they are made of
the win that the candidate brings, and judged also by the old goal and rules, over the candidate's tools and records.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from worlds.counterexample import Counterexample
from worlds.diff import Diff
from worlds.intent import Finish, PlanStep
from worlds.records import RecordsInvalid
from worlds.relations import RELATIONS
from worlds.relations.attempts import Attempts, Trial
from worlds.relations.subject import Subject
from worlds.replay import actions_of
from worlds.soundness import can_be_replayed
from worlds.step import Action, Call, Episode, Say, Status
from worlds.template import TemplateInvalid, TemplateUnfilled, as_text, render
from worlds.toolsession import ToolSession
from worlds.world import World

MUTANTS = 6
"""Of one relation, at most."""
CALLS = 100
"""That all changed copies together may cost in one world."""
LONGEST = 40
"""Calls of a wrong episode that is played from its start."""
SECONDS = 5.0
"""After which no further episode is tried in a world."""
PLANS = 8
"""Of other intents, at most."""
TRIVIAL = ("noop", "refuser", "parrot")
"""Agents that understand nothing: what they do is wrong everywhere."""

Others = Mapping[str, tuple[Action, ...]]
"""What other intents' plans do (`literal_actions`), by name."""


@dataclass(frozen=True)
class Wrong:
    """A wrong episode: what was done, and how the calls ended."""

    name: str
    actions: tuple[Action, ...]
    edits: Diff = field(default_factory=list)
    statuses: tuple[Status, ...] = ()


@dataclass(frozen=True)
class Pool:
    """Wrong episodes of one environment."""

    wrong: tuple[Wrong, ...]
    start: tuple[Action, ...] = (Finish(),)
    """What most of them begin as; played once."""


@dataclass(frozen=True)
class Strength:
    """What a world makes of a pool, by the names of its episodes."""

    rejected: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    inapplicable: tuple[str, ...] = ()
    """Those of which a call ends otherwise here, or that were not tried."""

    def __or__(self, other: Strength) -> Strength:
        """Of both pools together."""
        return Strength(
            self.rejected + other.rejected,
            self.accepted + other.accepted,
            self.inapplicable + other.inapplicable,
        )


@dataclass(frozen=True)
class Compared:
    """The strength of two worlds, over what applies in both."""

    before: float | None
    after: float | None
    """None = nothing applies in both."""
    weakened: tuple[str, ...]
    """What only the second accepts, by name."""


def compared(before: Strength, after: Strength) -> Compared:
    """Two worlds side by side."""
    both = {*before.rejected, *before.accepted} & {*after.rejected, *after.accepted}
    if not both:
        return Compared(None, None, ())
    one, other = (1 - len(both.intersection(each.accepted)) / len(both) for each in (before, after))
    return Compared(
        one, other, tuple(n for n in after.accepted if n in both and n not in before.accepted)
    )


@dataclass(frozen=True)
class Evidence:
    """What a pool is made of, beside mutants."""

    before: Sequence[Episode] = ()
    """What was played in the environment as it is: the reference and the trivial agents."""
    after: Sequence[Episode] = ()
    """The same with the candidate."""
    counterexamples: Sequence[Counterexample] = ()
    others: Others = field(default_factory=dict)


def strengths(before: World, after: World, said: Evidence, session: ToolSession) -> Compared:
    """The strength of an environment as it is and of what would become of it."""
    if not (can_be_replayed(before) and can_be_replayed(after)):
        return Compared(None, None, ())
    fixed = Pool((*_trivial(said.before), *_labelled(said.counterexamples)))
    one, other = _tried(before, fixed, session), _tried(after, fixed, session)
    if (won := _won(said.before)) is not None:
        pool, shown = mutants(before, won, session, said.others)
        one, other = one | shown, other | _tried(after, pool, session)
    elif (won := _won(said.after)) is not None:
        pool, shown = mutants(after, won, session, said.others)
        old = _old_verifier(before, after)
        one, other = one | (shown if old is None else _tried(old, pool, session)), other | shown
    return compared(one, other)


def mutants(
    world: World, reference: Episode, session: ToolSession, others: Others | None = None
) -> tuple[Pool, Strength]:
    """The changed copies of a win that must not win, and those of `others` that have another effect; with what the
    world makes of them."""
    attempts = Attempts(world, session, actions_of(reference.steps))
    try:
        subject = _Unasked(world, attempts.actions, attempts.run(attempts.actions))
        if not subject.trial.is_met:
            return Pool(()), Strength()  # not the same twice: a check tells
        played = [*_mutants(subject, attempts), *_others(subject, attempts, others or {})]
    finally:
        session.end_attempt()
    made = {wrong.name: (wrong, trial) for wrong, trial in played}
    won = tuple(name for name, (_, trial) in made.items() if trial.is_met)
    lost = tuple(name for name in made if name not in won)
    return Pool(tuple(wrong for wrong, _ in made.values()), attempts.actions), Strength(lost, won)


class _Unasked(Subject):
    """A reference's episode as if its goal said nothing of what may change: what a goal refuses outright is in the
    pool too, for the next one may not."""

    @property
    def pins_effect(self) -> bool:
        return False

    @property
    def is_open(self) -> bool:
        return True


def strength(world: World, pool: Pool, session: ToolSession) -> Strength:
    """What a world makes of a pool."""
    rejected, accepted, inapplicable = list[str](), list[str](), list[str]()
    attempts, began = Attempts(world, session, pool.start), time.monotonic()
    try:
        for wrong in pool.wrong:
            is_late = time.monotonic() - began > SECONDS
            trial = None if is_late else attempts.run(wrong.actions, wrong.edits)
            if trial is None or trial.verdict is None or trial.statuses != list(wrong.statuses):
                inapplicable.append(wrong.name)
            else:
                (accepted if trial.is_met else rejected).append(wrong.name)
    finally:
        session.end_attempt()
    return Strength(tuple(rejected), tuple(accepted), tuple(inapplicable))


def literal_actions(plan: Sequence[PlanStep]) -> tuple[Action, ...] | None:
    """What a plan does; None where that depends on rows or on results."""
    try:
        acted = tuple(_action(step) for step in plan if step.finish is None)
        finish = next((step.finish for step in plan if step.finish is not None), Finish())
        return (*acted, Finish.model_validate(render(finish.model_dump(), {})))
    except (TemplateInvalid, TemplateUnfilled):
        return None


def _action(step: PlanStep) -> Action:
    if step.call is not None:
        return Call(tool=step.call, args=render(step.args, {}))
    return Say(text=as_text(render(step.say, {})))


def _tried(world: World, pool: Pool, session: ToolSession) -> Strength:
    """As `strength`; in a world that cannot be played, nothing applies."""
    try:
        if world.unbound is None:
            return strength(world, pool, session)
    except (TemplateInvalid, TemplateUnfilled):
        pass
    return Strength(inapplicable=tuple(wrong.name for wrong in pool.wrong))


def _old_verifier(before: World, after: World) -> World | None:
    """What goal and rules as they are make of the candidate's tools and records; None where the candidate changes
    nothing else."""
    one, other = before.bundle, after.bundle
    refs = {"records": other.manifest.records, "toolservers": other.manifest.toolservers}
    manifest = one.manifest.model_copy(update=refs)
    if manifest.digest == other.digest:
        return None
    mixed = replace(one, manifest=manifest, records=other.records, toolservers=other.toolservers)
    try:
        return World(mixed)
    except RecordsInvalid:
        return before


def _won(episodes: Iterable[Episode]) -> Episode | None:
    won = (e for e in episodes if e.agent == "reference" and e.verdict and e.verdict.reward == 1)
    return next(won, None)


def _trivial(episodes: Iterable[Episode]) -> Iterator[Wrong]:
    for each in episodes:
        statuses = tuple(step.status for step in each.steps if step.kind == "call")
        if each.agent in TRIVIAL and each.ended == "finished" and len(statuses) <= LONGEST:
            name = f"{each.agent}, attempt {each.attempt}"
            yield Wrong(name, tuple(actions_of(each.steps)), [], statuses)


def _labelled(examples: Iterable[Counterexample]) -> Iterator[Wrong]:
    for number, each in enumerate(examples, 1):
        if not each.should and len(each.statuses) <= LONGEST:
            name = f"counterexample {number}, {each.name}"
            yield Wrong(name, tuple(each.actions), each.edits, tuple(each.statuses))


def _mutants(subject: Subject, attempts: Attempts) -> Iterator[tuple[Wrong, Trial]]:
    first, began = attempts.calls, time.monotonic()
    for name, relation in RELATIONS.items():
        of_one = relation.mutants(subject) if relation.should == 0 else ()
        for mutant in islice(of_one, MUTANTS):
            left = CALLS - (attempts.calls - first)
            is_late = time.monotonic() - began > SECONDS
            if is_late or attempts.new_calls(mutant.actions) > left:
                continue
            trial = attempts.run(mutant.actions, mutant.edits)
            if trial.verdict is not None and relation.applies(subject, mutant, trial):
                yield _wrong(f"{name}: {mutant.what}", mutant.actions, trial), trial


def _others(subject: Subject, attempts: Attempts, others: Others) -> Iterator[tuple[Wrong, Trial]]:
    for name, actions in islice(sorted(others.items()), PLANS):
        if attempts.new_calls(actions) <= LONGEST:
            trial = attempts.run(actions)
            # With the same effect it may be right.
            if trial.verdict is not None and subject.effect_of(trial) != subject.effect:
                yield _wrong(name, actions, trial), trial


def _wrong(name: str, actions: tuple[Action, ...], trial: Trial) -> Wrong:
    return Wrong(name, actions, trial.edits, tuple(trial.statuses))
