"""Whether a changed episode that was played is what its relation speaks of; what it is not says nothing."""

from __future__ import annotations

from collections.abc import Callable

from worlds.changes import beyond
from worlds.diff import Diff, masked, without_volatile
from worlds.records import Place
from worlds.relations.attempts import Trial
from worlds.relations.likeness import alike
from worlds.relations.subject import Mutant, Subject
from worlds.step import Step

Applies = Callable[[Subject, Mutant, Trial], bool]

# Relations that must break the verdict


def differs(subject: Subject, mutant: Mutant, trial: Trial) -> bool:  # noqa: ARG001
    """It has another effect."""
    return subject.effect_of(trial) != subject.effect


def doubles(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """The second call was accepted and has an effect; more new rows than there were may be declared as allowed."""
    return (
        _inserted_is_ok(mutant, trial)
        and differs(subject, mutant, trial)
        and not _is_declared(subject, trial)
    )


def _is_declared(subject: Subject, trial: Trial) -> bool:
    """Whether all that is more are new rows, as many as the goal allows."""
    allowances = subject.world.goal.allowances
    extra = [change for change in _diff(subject, trial) if change not in subject.diff]
    return (
        allowances is not None
        and all(change["op"] == "insert" for change in extra)
        and not beyond(_diff(subject, trial), allowances, subject.world.rows)
    )


def differs_alone(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """Every call ended as it had, and the effect is another one."""
    return trial.statuses == subject.trial.statuses and differs(subject, mutant, trial)


def strays(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """A row is changed that the reference left alone."""
    return _is_carried_out(mutant, trial) and bool(
        _places(_diff(subject, trial)) - {*subject.changed}
    )


def adds_fields(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """The same rows are changed and as many are new; what the reference changed is as it was, and there is more."""
    diff = _diff(subject, trial)
    if not _is_carried_out(mutant, trial) or not differs(subject, mutant, trial):
        return False
    if mutant.inserted is None and trial.statuses != subject.trial.statuses:
        return False
    now = {(change["table"], change["key"]): change for change in diff}
    if now.keys() != subject.changed.keys():
        return False
    return all(
        change["op"] == now[place]["op"]
        and all(now[place]["fields"].get(name) == sides for name, sides in change["fields"].items())
        for place, change in subject.changed.items()
        if change["op"] == "update"
    )


# Relations that must keep it


def is_accepted(subject: Subject, mutant: Mutant, trial: Trial) -> bool:  # noqa: ARG001
    """Every call ended as it had, and no rule is broken."""
    return trial.statuses == subject.trial.statuses and not trial.play.violations


def is_alike(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """Accepted, and the effect differs by nothing that is declared to matter."""
    return is_accepted(subject, mutant, trial) and _is_alike(subject, trial)


def merges(subject: Subject, mutant: Mutant, trial: Trial) -> bool:  # noqa: ARG001
    """All calls were accepted, the merged one too, and the effect is alike."""
    as_before = trial.statuses.count("ok") == subject.trial.statuses.count("ok") - 1
    return as_before and not trial.play.violations and _is_alike(subject, trial)


def reads_more(subject: Subject, mutant: Mutant, trial: Trial) -> bool:
    """The new call was accepted and wrote nothing, and all others ended as they had."""
    step = _inserted_step(mutant, trial)
    others = [each.status for each in trial.calls if each is not step]
    return (
        step is not None
        and step.status == "ok"
        and not step.changes
        and others == subject.trial.statuses
        and not trial.play.violations
    )


def _is_alike(subject: Subject, trial: Trial) -> bool:
    domain = subject.world.bundle.domain
    return alike(masked(_diff(subject, trial), domain), domain) == alike(
        masked(subject.diff, domain), domain
    )


def _diff(subject: Subject, trial: Trial) -> Diff:
    return without_volatile(trial.diff, subject.volatile)


def _places(diff: Diff) -> set[Place]:
    return {(change["table"], change["key"]) for change in diff}


def _is_carried_out(mutant: Mutant, trial: Trial) -> bool:
    return mutant.inserted is None or _inserted_is_ok(mutant, trial)


def _inserted_is_ok(mutant: Mutant, trial: Trial) -> bool:
    step = _inserted_step(mutant, trial)
    return step is not None and step.status == "ok"


def _inserted_step(mutant: Mutant, trial: Trial) -> Step | None:
    if mutant.inserted is None:
        return None
    done = [step for step in trial.steps if step.kind != "hear"]
    return done[mutant.inserted] if mutant.inserted < len(done) else None
