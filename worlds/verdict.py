"""The verdict: reward 1 only when every assertion of goal and rules holds; progress on the way there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worlds.answers import mentioned, same_answer
from worlds.changes import beyond
from worlds.conditions import Allowance, ConditionFailed, View
from worlds.diff import Diff, masked, same, without_volatile
from worlds.goal import Requirement
from worlds.play import Play
from worlds.records import Records
from worlds.step import Assertion, Verdict
from worlds.world import World

Unit = tuple[str, str, str]
"""Table, key and field of a diff; field `+` for a new row, `-` for a deleted one."""


def judge(play: Play) -> Verdict | None:
    """Judge an attempt that has ended. One that never finished can make progress, not succeed; one whose
    goal asks for a state that nobody sees is not scored (None)."""
    if play.world.hides_state and play.world.judges_state:
        return None
    play.allowance = Allowance()  # whatever clauses and the user took, the goal has its own
    assertions = [
        *_outcome(play),
        *_requirements(play),
        *_changes(play),
        *_answers(play),
        *_mentions(play),
        *_effect(play),
        *_script(play),
        *_clauses(play),
    ]
    reward = all(assertion.met for assertion in assertions)
    return Verdict(
        reward=1 if reward else 0,
        progress=_progress(assertions, reward),
        assertions=assertions,
        violations=sorted({violation.name for violation in play.violations}),
    )


def _progress(assertions: list[Assertion], reward: bool) -> float:
    if any(not item.met and item.at_start for item in assertions):
        return 0.0  # damage or a violation: what was true is true no more
    to_do = [item for item in assertions if not item.at_start]
    whole = sum(item.weight for item in to_do)
    done = sum(item.weight if item.met else item.met_weight for item in to_do)
    return done / whole if whole else float(reward)


def _outcome(play: Play) -> Iterator[Assertion]:
    wanted = play.world.bundle.intent.goal.outcome
    got = play.finish.outcome if play.finish else None
    if wanted is None and got is not None:
        return
    met = got is not None and wanted in (None, got)
    why = f"it ended as {got}" if got else "the attempt was cut off before it finished"
    yield Assertion(
        kind="outcome",
        place="goal.outcome",
        text=f"ends as {wanted}" if wanted else "ends",
        met=met,
        at_start=False,
        detail="" if met else why,
    )


def _requirements(play: Play) -> Iterator[Assertion]:
    start = View(Records(play.world.base), play.world.base.clock.now, play.allowance)
    for requirement in play.world.goal.require:
        met, detail, invalid = _holds(requirement, play.view, play.world)
        at_start, _, _ = _holds(requirement, start, play.world)
        yield Assertion(
            kind="require",
            place=requirement.place,
            text=requirement.text,
            met=met,
            # One that doing nothing meets, and the attempt too, is no step forward; one that the
            # attempt lost is damage.
            at_start=at_start,
            detail=detail,
            invalid=invalid,
        )


def _holds(requirement: Requirement, view: View, world: World) -> tuple[bool, str, bool]:
    if requirement.condition is None:
        return False, str(requirement.problem), True
    try:
        met = requirement.condition.holds(view, world.rows)
    except ConditionFailed as problem:
        return False, str(problem), True
    return met, "" if met else "the final state does not satisfy it", False


def _changes(play: Play) -> Iterator[Assertion]:
    world = play.world
    allowances = world.goal.allowances
    if allowances is None:
        return
    diff = without_volatile(play.records.diff(), world.bundle.domain.volatile)
    over = beyond(diff, allowances, world.rows)
    named = ", ".join(_rendered_changes(play))
    yield Assertion(
        kind="changes",
        place="goal.changes",
        text=f"changes nothing but {named}" if named else "changes nothing",
        met=not over,
        at_start=True,
        detail=f"it also changed {', '.join(over)}" if over else "",
    )


def _rendered_changes(play: Play) -> list[str]:
    return [str(play.world.rendered(e)) for e in play.world.bundle.intent.goal.changes or ()]


def _answers(play: Play) -> Iterator[Assertion]:
    given = play.finish.answer if play.finish else {}
    for name, (spec, wanted) in play.world.goal.answers.items():
        met, detail, invalid = False, f"no answer {name!r} was given", False
        if wanted.condition is None:
            detail, invalid = str(wanted.problem), True
        elif name in given:
            met, detail, invalid = _answered(play, spec.type, wanted, given[name])
        yield Assertion(
            kind="answer",
            place=wanted.place,
            text=f"answers {name} = {wanted.text}",
            met=met,
            at_start=False,
            detail=detail,
            invalid=invalid,
        )


def _answered(play: Play, kind: Any, wanted: Requirement, given: Any) -> tuple[bool, str, bool]:
    assert wanted.condition is not None  # noqa: S101  # the caller looked
    try:
        value = wanted.condition.evaluate(play.view, play.world.rows)
    except ConditionFailed as problem:
        return False, str(problem), True
    met = same_answer(kind, given, value)
    return met, "" if met else f"it answered {given!r}, the records say {value!r}", False


def _mentions(play: Play) -> Iterator[Assertion]:
    for number, template in enumerate(play.world.bundle.intent.goal.mentions):
        fact = play.world.rendered(template)
        met = mentioned(fact, play.said)
        yield Assertion(
            kind="mention",
            place=f"goal.mentions[{number}]",
            text=f"states {fact}",
            met=met,
            at_start=False,
            detail="" if met else "nothing that was said states it",
        )


def effect(play: Play) -> Diff:
    """What the attempt changed, fresh keys masked and volatile parts left out: what a pin holds."""
    domain = play.world.bundle.domain
    return masked(without_volatile(play.records.diff(), domain.volatile), domain)


def _effect(play: Play) -> Iterator[Assertion]:
    pin = play.world.bundle.manifest.pin
    if not play.world.bundle.intent.goal.matches_plan or pin is None or pin.effect is None:
        return
    wanted, got = _units(pin.effect), _units(effect(play))
    missed = [unit for unit in wanted if unit not in got or not same(got[unit], wanted[unit])]
    stray = [unit for unit in got if unit not in wanted]
    if wanted:
        yield Assertion(
            kind="effect",
            place="pin.effect",
            text=f"makes the plan's changes ({len(wanted)} rows and fields)",
            met=not missed,
            at_start=False,
            weight=len(wanted),
            met_weight=len(wanted) - len(missed),
            detail=f"not as expected: {_named(missed)}" if missed else "",
        )
    yield Assertion(
        kind="changes",
        place="pin.effect",
        text="changes nothing but what the plan changed",
        met=not stray,
        at_start=True,
        detail=f"it also changed {_named(stray)}" if stray else "",
    )


def _named(units: list[Unit]) -> str:
    names = [f"{table}/{key}#{field}" for table, key, field in sorted(units)]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more


def _units(diff: Diff) -> dict[Unit, Any]:
    units: dict[Unit, Any] = {}
    for change in diff:
        table, key = change["table"], change["key"]
        if change["op"] == "update":
            for name, sides in change["fields"].items():
                units[(table, key, name)] = [sides["after"]] if "after" in sides else []
        elif change["op"] == "insert":
            units[(table, key, "+")] = True
            units.update({(table, key, name): [value] for name, value in change["row"].items()})
        else:
            units[(table, key, "-")] = True
    return units


def _script(play: Play) -> Iterator[Assertion]:
    """A user whose line could not be decided on was not the one that the intent describes."""
    for number, why in play.user.spent.items() if play.user else ():
        yield Assertion(
            kind="require",
            place=f"user.script[{number}].when",
            text=f"the user's line {number} can be decided on",
            met=False,
            at_start=False,
            detail=why,
            invalid=True,
        )


def _clauses(play: Play) -> Iterator[Assertion]:
    broken = {violation.name: violation for violation in play.violations}
    for ref, rule in zip(play.world.bundle.manifest.rules, play.world.bundle.rules, strict=True):
        for clause in rule.clauses:
            name = f"{ref.slug}/{clause.id}"
            violation = broken.get(name)
            yield Assertion(
                kind="clause",
                place=name,
                text=clause.quote,
                met=violation is None,
                at_start=True,
                detail=violation.detail if violation else "",
                invalid=violation.invalid if violation else False,
            )
