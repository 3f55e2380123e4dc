"""What relations start from: the reference's episode taken apart, and what its goal leaves open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from worlds.canonical import canonical
from worlds.diff import Change, Diff, masked, without_volatile
from worlds.records import Place, Row
from worlds.relations.attempts import Trial
from worlds.step import Action, Call, Step
from worlds.world import World


@dataclass(frozen=True)
class Mutant:
    """A changed copy of the reference's actions."""

    actions: tuple[Action, ...]
    what: str
    """What is changed, to go on after “when”: `step 2, cancel_order, is left out`."""
    step: int | None = None
    """The step of the reference's episode that it is about."""
    edits: Diff = field(default_factory=list)
    """What no tool writes, before the finish."""
    inserted: int | None = None
    """Index of an action that the reference did not take."""


@dataclass(frozen=True)
class Taken:
    """A call that the reference made."""

    at: int
    """Index among the actions."""
    call: Call
    step: Step
    changes: Diff
    """What it wrote, volatile parts left out."""


@dataclass(frozen=True)
class Subject:
    """A reference's episode that met the goal, and the world it was played in."""

    world: World
    actions: tuple[Action, ...]
    trial: Trial

    @cached_property
    def taken(self) -> list[Taken]:
        """Its calls, in their order."""
        steps = [step for step in self.trial.steps if step.kind != "hear"]
        return [
            Taken(at, action, step, without_volatile(step.changes, self.volatile))
            for at, (action, step) in enumerate(zip(self.actions, steps, strict=True))
            if isinstance(action, Call)
        ]

    @cached_property
    def writes(self) -> list[Taken]:
        """Its calls that were accepted and wrote."""
        return [each for each in self.taken if each.step.status == "ok" and each.changes]

    @property
    def reads(self) -> list[Taken]:
        """Its calls of tools that were accepted and wrote nothing."""
        return [
            each
            for each in self.taken
            if each.step.status == "ok"
            and not each.step.changes
            and each.call.tool in self.world.tools
        ]

    @property
    def volatile(self) -> list[str]:
        """What the domain calls volatile."""
        return self.world.bundle.domain.volatile

    @cached_property
    def diff(self) -> Diff:
        """What it changed in the end, volatile parts left out."""
        return without_volatile(self.trial.diff, self.volatile)

    @cached_property
    def changed(self) -> dict[Place, Change]:
        """Its changes by row."""
        return {(change["table"], change["key"]): change for change in self.diff}

    @cached_property
    def effect(self) -> str:
        """What it changed, up to the names of new rows."""
        return self.effect_of(self.trial)

    def effect_of(self, trial: Trial) -> str:
        """The same of another attempt."""
        domain = self.world.bundle.domain
        return canonical(masked(without_volatile(trial.diff, self.volatile), domain))

    @property
    def pins_effect(self) -> bool:
        """Whether the goal asks for this very effect: then no other one can meet it."""
        pin = self.world.bundle.manifest.pin
        return (
            self.world.bundle.intent.goal.matches_plan
            and pin is not None
            and pin.effect is not None
        )

    @property
    def is_open(self) -> bool:
        """Whether the goal does not say what may change."""
        return not self.pins_effect and self.world.bundle.intent.goal.changes is None

    @property
    def finish_at(self) -> int:
        """Where the finish stands among the actions."""
        return len(self.actions) - 1

    def row(self, table: str, key: str) -> Row | None:
        """A row as the episode found it."""
        return self.world.base.tables[table].get(key)

    def without(self, at: int) -> tuple[Action, ...]:
        """The actions but one."""
        return (*self.actions[:at], *self.actions[at + 1 :])

    def with_(self, at: int, action: Action) -> tuple[Action, ...]:
        """The actions with one put in, before what now stands at `at`."""
        return (*self.actions[:at], action, *self.actions[at:])

    def instead(self, at: int, action: Action) -> tuple[Action, ...]:
        """The actions with one in another's place."""
        return (*self.actions[:at], action, *self.actions[at + 1 :])


def replaced(value: Any, swaps: Mapping[str, str]) -> Any:
    """`value` with every text that is a key of `swaps` exchanged."""
    if isinstance(value, str):
        return swaps.get(value, value)
    if isinstance(value, list):
        return [replaced(item, swaps) for item in value]
    if isinstance(value, dict):
        return {name: replaced(item, swaps) for name, item in value.items()}
    return value


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


LONGEST = 160


def spelled(call: Call) -> str:
    """A call as a sentence has it: `cancel_order(order_id: W1)`."""
    args = ", ".join(
        f"{name}: {value if isinstance(value, str) else canonical(value)}"
        for name, value in call.args.items()
    )
    return f"{call.tool}({args if len(args) <= LONGEST else args[: LONGEST - 1] + '…'})"
