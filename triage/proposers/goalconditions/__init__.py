"""Repair of the conditions of intents: what the goal requires, which answers it expects, whom slots and scripts mean.

All else of an intent (what may change, plans, users) is repaired by `triage.proposers.intents`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.conditions import edits
from triage.proposers.conditions.bodyedit import BodyEdit, changed
from triage.proposers.conditions.surroundings import Surroundings
from triage.proposers.goalconditions.goalplaces import GoalPlaces, ofplace
from triage.proposers.goalconditions.goaltrial import GoalTrial, Judged
from worlds.conditions import ConditionInvalid
from worlds.intent import Intent
from worlds.records import RecordsInvalid
from worlds.slots import Binder, SlotUnbound

NAME = "goal conditions"
MOST_PLACES = 5
MOST_EDITS = 120
"""Of one condition."""
MOST = 200
"""Candidates of one suspect."""
BINDINGS = 60
"""Edits of slots that are tried on rows."""
STATIC = {"name-unknown", "condition-invalid"}
TOLD = {"plan-misses-goal", "condition-invalid", "criteria-conflict", "name-unknown"}
"""Codes that a plan's own end shows."""
UNBOUND = "slot-unbound"
TOO_LITTLE = {"goal-blind", "goal-vacuous", "goal-trivial"}
TOO_MUCH = {"goal-narrow", "spelling-sensitive", "order-sensitive"}


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of the conditions under suspicion that the ends of the plans meet."""
    intent = case.body(spot.name)
    if isinstance(intent, Intent):
        yield from islice(GoalRepair(case, spot, intent).candidates(), MOST)


class GoalRepair:
    """Of one intent in one case."""

    def __init__(self, case: Case, spot: Spot, intent: Intent) -> None:
        self.case, self.spot, self.intent = case, spot, intent
        self.surroundings = Surroundings(case)
        self.places = GoalPlaces(case, spot, intent, self.surroundings)
        self.trial = GoalTrial(case, spot)
        self.now = self.trial.judged(intent)
        self._bindings = 0

    def candidates(self) -> Iterator[Candidate]:
        """Of one suspicious condition after another."""
        for place, weight in self._suspected().items():
            code = self.places.code(place)
            if code is None:
                continue
            for edit in islice(edits(code), MOST_EDITS):
                says = f"{edit.says}, in {place}"
                made = BodyEdit(
                    place,
                    {ofplace(place): edit.text},
                    says,
                    edit.likelihood * weight,
                    edit.authority,
                )
                yield from self._candidate(made)

    def _candidate(self, edit: BodyEdit) -> Iterator[Candidate]:
        body = changed(self.intent, edit.values)
        if not isinstance(body, Intent):
            return
        likelihood = edit.likelihood * self._weight(edit.part, body)
        if likelihood > 0:
            changes = {self.spot.name: body}
            yield Candidate(NAME, changes, edit.says, edit.authority, min(1.0, likelihood))

    # Which conditions

    def _suspected(self) -> Mapping[str, float]:
        weights: dict[str, float] = {}

        def suspect(place: str, weight: float) -> None:
            weights[place] = max(weight, weights.get(place, 0.0))

        for _, place in self.now.unmet if self.now else ():
            suspect(place, 1.0)
        for seen in self.case.seen:
            for found in seen.findings:
                if (found.kind, found.component) == self.spot.name:
                    at = f"{found.place}.where" if found.code == UNBOUND else found.place
                    suspect(at, 0.95 if found.code in TOLD else 0.7)
        suspect(self.spot.symbol, 0.5)
        if self.case.codes & TOO_LITTLE:
            for place in self.places.requirements:
                suspect(place, 0.55)
        for place in list(weights):
            for name in self.places.defined(place):
                suspect(f"define.{name}", weights[place])
        ranked = sorted(
            (place for place in weights if self.places.text(place) is not None),
            key=lambda place: (-weights[place], place),
        )
        return {place: weights[place] for place in ranked[:MOST_PLACES]}

    # Which edits

    def _weight(self, place: str, intent: Intent) -> float:
        if place.startswith("slots."):
            return self._bound(intent)
        if place.startswith("user."):
            return 0.6
        if UNBOUND in self.case.codes:
            return 0.0  # nobody came to any end
        after = self.trial.judged(intent)
        if after is None:
            return 0.0
        if self.now is None:
            return 0.4 if after.unmet else 1.0
        if after.unmet - self.now.unmet:
            return 0.0
        if self.now.unmet:
            return self._cured(after, place)
        return self._otherwise(after)

    def _cured(self, after: Judged, place: str) -> float:
        """Of an edit after which more of what the plans led to is right."""
        assert self.now is not None  # noqa: S101  # the caller looked
        before = {number for number, _ in self.now.unmet}
        if not before - {number for number, _ in after.unmet}:
            return 0.0
        left = len(after.unmet) / len(self.now.unmet)
        return (1.0 - 0.5 * left) * self._toothed(after, place)

    def _toothed(self, after: Judged, place: str) -> float:
        """A requirement that no wrong state misses says nothing."""
        if not place.startswith("goal.require") or not self.trial.ends:
            return 1.0
        return 1.0 if after.teeth.get(place) else 0.3

    def _otherwise(self, after: Judged) -> float:
        """Of an edit where all the plans led to is right already: it must turn down more, or other wrong states, where
        too little is asked; where too much is, nobody can tell here."""
        assert self.now is not None  # noqa: S101  # the caller looked
        if self.case.codes & TOO_LITTLE:
            more = sum(after.teeth.values()) > sum(self.now.teeth.values())
            return 0.6 if more else 0.0
        return 0.4 if self.case.codes & TOO_MUCH else 0.3

    def _bound(self, intent: Intent) -> float:
        """Whether rows fit."""
        if self._bindings >= BINDINGS:
            return 0.0
        self._bindings += 1
        seen = (self.case.users(self.spot.name) or self.case.seen)[0]
        try:
            Binder(seen.world.base, intent, seen.bundle.manifest.seed).bind()
        except (SlotUnbound, RecordsInvalid, ConditionInvalid):
            return 0.0
        return 1.0
