"""Counterfactuals: each suspect swapped alone for something independently sound, and what then becomes of environments
that fail.

A suspect is confirmed only where failing environments pass with the stand-in, the verifier is as strong as before, and
no other single swap does the same. An earlier version is the whole experiment: nothing else differs. A sibling brings
its own behaviour with it, and other records bring other rows, so that these confirm only where every other suspect was
cleared by a swap of its own. A neutral stand-in may clear, never confirm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Model

from components.bundles import bundle
from components.models import Component
from triage.hypotheses import Hypothesis, Shown, results_of
from triage.models import Finding, Result
from triage.models.attribution import SuspectState
from triage.models.finding import Severity
from triage.models.result import Status
from triage.observations import Evidence
from triage.standins import Sources, Standin, standins
from triage.weakening import weakens
from worlds.world import World

DECISIVE = ("parent", "minimal-edit")
"""Stand-ins that differ from the suspect in what is suspected alone."""
VERIFIERS = ("intent", "rule", "domain")
"""Kinds that decide what passes: a swap may make them weaker."""


@dataclass(frozen=True)
class Failing:
    """An environment that shows the fault, with its result as it is."""

    hypothesis: Hypothesis
    result: Result


@dataclass
class Swap:
    """One stand-in in the place of one suspect, in some environments."""

    component: Component
    standin: Standin
    is_alone: bool
    """Whether nothing else changes with it: a sibling may be used by another plan."""
    shown: list[Shown] = field(default_factory=list)
    cured: int = 0
    same: int = 0
    """Environments that fail as before."""
    weakens: bool = False

    @property
    def is_fix(self) -> bool:
        """Whether all environments pass, by what is sound in its own right."""
        passes = bool(self.shown) and self.cured == len(self.shown)
        return passes and not self.weakens and not self.standin.is_neutral

    @property
    def is_in_vain(self) -> bool:
        """Whether all environments fail as before."""
        return bool(self.shown) and self.same == len(self.shown)

    @property
    def is_decisive(self) -> bool:
        """Whether it is the suspect and nothing else that it changes."""
        edits_plan = self.component.kind == "intent" and self.standin.sort == "minimal-edit"
        return self.is_fix and self.standin.sort in DECISIVE and not edits_plan

    def evidence(self) -> Evidence:
        """In a sentence."""
        of = f"{self.cured} of {len(self.shown)}"
        if self.cured:
            said = f"With {self.standin.says}, {of} failing environments pass"
        elif not self.shown:
            said = f"With {self.standin.says}, no failing environment could be checked"
        elif self.is_in_vain:
            said = f"With {self.standin.says}, all of the {len(self.shown)} failing environments fail as before"
        else:
            said = f"With {self.standin.says}, {of} failing environments pass; some fail otherwise"
        if self.weakens:
            said += ", and wrong episodes are accepted that were not"
        elif self.cured and not self.is_alone:
            said += ", by another plan"
        first = next((each.result for each in self.shown if each.result is not None), None)
        return Evidence("counterfactual", f"{said}.", {"result": first.pk} if first else {})


def swaps(
    component: Component,
    failing: Sequence[Failing],
    codes: Collection[str],
    sources: Sources,
    asker: Model,
) -> Iterator[Swap]:
    """Each stand-in for a component, tried in the failing environments. `codes` are those of the fault's findings,
    `asker` as in `triage.behaviour`."""
    environments = [each.hypothesis for each in failing]
    for standin in standins(component, environments, sources):
        tried = standin.hypotheses(environments)
        if not tried:
            continue
        made = Swap(component, standin, _is_alone(component, failing, tried))
        for shown in results_of(tried, asker):
            if shown.result is not None:
                made.shown.append(shown)
        _judge(made, codes)
        if component.kind in VERIFIERS and made.is_fix:
            made.weakens = _weakens(made, failing)
        yield made


def _judge(made: Swap, codes: Collection[str]) -> None:
    results = [shown.result.pk for shown in made.shown if shown.result]
    rows = Finding.objects.counted().filter(result__in=results, code__in=codes)
    still = set(rows.exclude(severity=Severity.ADVICE).values_list("result_id", flat=True))
    for shown in made.shown:
        if shown.result is None:
            continue
        if shown.result.pk in still:
            made.same += 1
        elif shown.result.status == Status.SOLVABLE:
            made.cured += 1
        elif shown.result.status == Status.UNPROVEN and "goal-unreachable" in codes:
            made.same += 1


def _is_alone(
    component: Component, failing: Sequence[Failing], tried: Sequence[Hypothesis]
) -> bool:
    if component.kind != "toolserver":
        return True
    before = {each.hypothesis.environment.pk: _plan(each.hypothesis) for each in failing}
    return all(before[each.environment.pk] == _plan(each) for each in tried)


def _plan(each: Hypothesis) -> str | None:
    return World(bundle(each.manifest)).plan_key


def _weakens(made: Swap, failing: Sequence[Failing]) -> bool:
    by_environment = {each.hypothesis.environment.pk: each for each in failing}
    return any(
        weakens(Shown(before.hypothesis, before.result), shown)
        for shown in made.shown
        for before in [by_environment[shown.hypothesis.environment.pk]]
    )


def states(
    suspects: Mapping[Component, float], tried: Mapping[Component, Sequence[Swap]], least: float
) -> dict[Component, SuspectState]:
    """What the swaps say of each suspect; those whose score is under `least` stand in nobody's way."""
    fixing = {each for each in suspects if any(swap.is_fix for swap in tried.get(each, ()))}
    cleared = {each for each in suspects if each not in fixing and _is_cleared(tried.get(each, ()))}
    found = {}
    for each in suspects:
        mine = tried.get(each, ())
        others = {other for other, score in suspects.items() if score >= least} - {each}
        is_only = each in fixing and not fixing - {each}
        decisive = any(swap.is_decisive for swap in mine)
        alone = any(swap.is_fix and swap.is_alone for swap in mine)
        if is_only and (decisive or (alone and others <= cleared)):
            found[each] = SuspectState.CONFIRMED
        elif each in cleared:
            found[each] = SuspectState.CLEARED
        elif not any(swap.shown and not swap.standin.is_neutral for swap in mine):
            found[each] = SuspectState.UNTESTABLE
        else:
            found[each] = SuspectState.CONSISTENT
    return found


def _is_cleared(mine: Sequence[Swap]) -> bool:
    """Whether failing environments fail as before without it, whatever stands in. A neutral goal clears no intent: its
    plan and slots stay."""
    telling = [
        swap
        for swap in mine
        if swap.shown and not (swap.standin.is_neutral and swap.component.kind == "intent")
    ]
    cures = any(swap.cured for swap in mine)
    return bool(telling) and not cures and all(swap.is_in_vain for swap in telling)
