"""A goal compiled against the domain: what a verdict looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from worlds.changes import Allowance, ChangesInvalid
from worlds.conditions import Condition, ConditionInvalid, compile_condition
from worlds.domain import Domain
from worlds.intent import Answer, Intent
from worlds.slots import shapes


@dataclass(frozen=True)
class Requirement:
    """A condition of the goal; `condition` is None when it could not be compiled (`problem` says why)."""

    place: str
    text: str
    condition: Condition | None
    problem: ConditionInvalid | None = None

    @property
    def written_out(self) -> str:
        """The text without names that stand for others; as it is, where it could not be compiled."""
        return self.condition.text if self.condition else self.text


@dataclass(frozen=True)
class CompiledGoal:
    """The parts of a goal, each with its place in the body."""

    require: tuple[Requirement, ...]
    answers: Mapping[str, tuple[Answer, Requirement]]
    allowances: list[Allowance] | None
    bad_changes: Mapping[int, str]
    """Entries of `changes` that cannot be read: index → why."""

    @classmethod
    def of(cls, intent: Intent, domain: Domain) -> CompiledGoal:
        """Compile an intent's goal; what does not compile is kept with its problem."""
        goal = intent.goal
        require = tuple(
            _compiled(f"goal.require[{number}]", text, intent, domain)
            for number, text in enumerate(goal.require)
        )
        answers = {
            name: (spec, _compiled(f"goal.answer.{name}.equals", spec.equals, intent, domain))
            for name, spec in goal.answer.items()
        }
        allowances, bad = _allowances(goal.changes)
        return cls(require, answers, allowances, bad)

    @property
    def problems(self) -> list[Requirement]:
        """The conditions that do not compile."""
        return [requirement for requirement in self.conditions if requirement.problem]

    @property
    def conditions(self) -> list[Requirement]:
        """All that is to be evaluated."""
        return [*self.require, *(wanted for _, wanted in self.answers.values())]


def _compiled(place: str, text: str, intent: Intent, domain: Domain) -> Requirement:
    names, defined = shapes(intent, domain), intent.definitions(domain)
    try:
        condition = compile_condition(text, domain, names, definitions=defined)
        return Requirement(place, text, condition)
    except ConditionInvalid as problem:
        return Requirement(place, text, None, problem)


def _allowances(entries: list[str] | None) -> tuple[list[Allowance] | None, dict[int, str]]:
    if entries is None:
        return None, {}
    allowances: list[Allowance] = []
    bad: dict[int, str] = {}
    for number, entry in enumerate(entries):
        try:
            allowances.append(Allowance.of(entry))
        except ChangesInvalid as problem:
            bad[number] = str(problem)
    return allowances, bad
