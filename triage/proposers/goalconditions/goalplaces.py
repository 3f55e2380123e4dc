"""The conditions of an intent by their places: `goal.require[0]`, `goal.answer.total.equals`, `slots.order.where`,
`user.script[0].when`, `define.cancelled`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from triage.proposers.case import Case, Spot
from triage.proposers.conditions.bodyedit import Place
from triage.proposers.conditions.code import ConditionCode, Neighbour
from triage.proposers.conditions.surroundings import Surroundings
from worlds.cel_errors import ConditionInvalid
from worlds.cel_functions import IN_SCRIPTS
from worlds.cel_tree import free_names, parse
from worlds.cel_values import Shape
from worlds.intent import Intent
from worlds.slots import shapes
from worlds.user import MOMENT

REQUIRE = re.compile(r"goal\.require\[(\d+)\]")
ANSWER = re.compile(r"goal\.answer\.(.+)\.equals")
WHERE = re.compile(r"slots\.(.+)\.where")
SCRIPT = re.compile(r"user\.script\[(\d+)\]\.when")
DEFINED = re.compile(r"define\.(\w+)")
STEP = re.compile(r"(\w+)|\[(\d+)\]")
MOST_OTHERS = 12
"""Other intents from which is borrowed."""


def ofplace(place: str) -> Place:
    """The keys of a condition's place."""
    if match := ANSWER.fullmatch(place):
        return ("goal", "answer", match.group(1), "equals")
    if match := WHERE.fullmatch(place):
        return ("slots", match.group(1), "where")
    return tuple(step.group(1) or int(step.group(2)) for step in STEP.finditer(place))


class GoalPlaces:
    """Of one intent."""

    def __init__(self, case: Case, spot: Spot, intent: Intent, surroundings: Surroundings) -> None:
        self.case, self.spot, self.intent = case, spot, intent
        self.surroundings = surroundings

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Place → condition."""
        intent = self.intent
        found = {f"goal.require[{n}]": text for n, text in enumerate(intent.goal.require)}
        found |= {f"goal.answer.{name}.equals": a.equals for name, a in intent.goal.answer.items()}
        found |= {
            f"slots.{name}.where": slot.where for name, slot in intent.slots.items() if slot.where
        }
        lines = intent.user.script if intent.user else ()
        found |= {f"user.script[{n}].when": line.when for n, line in enumerate(lines)}
        return found | {f"define.{name}": text for name, text in intent.define.items()}

    def text(self, place: str) -> str | None:
        """The condition at a place; None where none stands."""
        return self.texts.get(place)

    @property
    def requirements(self) -> Sequence[str]:
        """The places of what the goal requires."""
        return [place for place in self.texts if REQUIRE.fullmatch(place)]

    def defined(self, place: str) -> Sequence[str]:
        """The names of the intent's own that a condition uses."""
        try:
            return sorted(
                free_names(parse(self.texts.get(place, "true"))) & self.intent.define.keys()
            )
        except (ConditionInvalid, RecursionError):
            return []

    def code(self, place: str) -> ConditionCode | None:
        """A condition with what it sees."""
        text = self.text(place)
        if text is None:
            return None
        domain = self.surroundings.domain
        return ConditionCode(
            text,
            domain,
            self._names(place),
            IN_SCRIPTS if SCRIPT.fullmatch(place) else (),
            self.intent.definitions(domain),
            means=self.intent.instruction,
            cites=f"the instruction of {self.spot.slug}: “{' '.join(self.intent.instruction.split()):.160}”",
            neighbours=self._neighbours(place),
            tables=self.surroundings.tables,
            known=self.surroundings.known if SCRIPT.fullmatch(place) else {},
            failed=self._failed(place),
        )

    def _names(self, place: str) -> Mapping[str, Shape]:
        slots = shapes(self.intent, self.surroundings.domain)
        if match := WHERE.fullmatch(place):
            return {**slots, "row": slots.get(match.group(1))}
        if SCRIPT.fullmatch(place):
            return {**MOMENT, **slots}
        if DEFINED.fullmatch(place):
            rows = [slots[name] for name, slot in self.intent.slots.items() if slot.where]
            return {**slots, **({"row": rows[0]} if "row" in self._used(place) and rows else {})}
        return slots

    def _used(self, place: str) -> frozenset[str]:
        try:
            return free_names(parse(self.texts[place]))
        except (ConditionInvalid, RecursionError):
            return frozenset()

    def _failed(self, place: str) -> bool:
        return any(
            found.place == place and found.code == "condition-invalid"
            for seen in self.case.seen
            for found in seen.findings
        )

    def _neighbours(self, place: str) -> list[Neighbour]:
        """The conditions of the same kind of this intent, and of others."""
        kind = place.partition("[")[0].partition(".")[0]
        found = [
            Neighbour(text, f"{self.spot.slug}: {other}", 0.8)
            for other, text in self.texts.items()
            if other != place and other.startswith(kind)
        ]
        others = [body for body in self.case.others.values() if isinstance(body, Intent)]
        if place.startswith("goal.require"):
            found += [
                Neighbour(text, "the goal of another intent", 0.5)
                for body in others[:MOST_OTHERS]
                for text in body.goal.require
            ]
        return found
