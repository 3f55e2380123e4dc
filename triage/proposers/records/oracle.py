"""What a mend does to what is found wrong: asked of the rows alone, no tool is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from triage.proposers.records.ground import Ground
from worlds.conditions import Allowance
from worlds.findings import Finding
from worlds.recordcheck import Problem, RowCheck
from worlds.records import Place, Records, Row
from worlds.slots import Binder, SlotUnbound
from worlds.world import World

MOST_PLACES = 24
"""Rows that are checked for one mend."""
MOST_ASKED = 12_000
"""Questions to rows over all mends (`Ground.questions`); of those whose turn comes later nothing is known."""
MOST_REFERRING = 12
MOST_TRIED = 12_000
"""Rows that slots may try over all mends; then nothing more is known of slots."""

Trouble = tuple[str, str, str, str, str]
"""Code, table, key, field and invariant."""


@dataclass(frozen=True)
class Outcome:
    """What a mend would do."""

    cured: float
    """Share of what is found wrong that is right then, less what is wrong only then."""
    new: int
    """Problems that were not there before."""
    bound: float | None = None
    """Share of the environments without rows for their slots that have them then; None where none lacks any, or
    nobody looked."""

    @property
    def is_worse(self) -> bool:
        """Whether it breaks as much as it mends."""
        return self.new > 0 and self.cured <= 0


class Oracle:
    """Answers for one ground; what it may spend on slots is counted, so that the answers are always the same."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        shown = {_of_finding(item) for item in ground.shown or ground.findings}
        places = sorted({(table, key) for _, table, key, _, _ in shown})[:MOST_PLACES]
        # What only all other rows tell is no problem of a row alone.
        self.wrong = shown & self._problems(Records(ground.base), places)
        self._known = {_of_finding(item) for item in ground.findings}
        self._left = MOST_TRIED
        self._unasked = MOST_ASKED

    def asked(self, rows: Mapping[Place, Row | None]) -> Outcome:
        """What these rows, in the place of those there are, would do."""
        if self._unasked <= 0:
            return Outcome(0.0, 0)
        records = self._with(rows)
        places = self._places(rows)
        found = self._problems(records, places)
        self._unasked -= sum(self.ground.questions[table] for table, _ in places)
        looked = set(places)
        wrong = {each for each in self.wrong if (each[1], each[2]) in looked}
        new = len(found - self._known)
        cured = (len(wrong - found) - new) / len(self.wrong) if self.wrong else 0.0
        return Outcome(cured, new)

    def with_slots(self, rows: Mapping[Place, Row | None], outcome: Outcome) -> Outcome:
        """The same, with what it does to slots."""
        return replace(outcome, bound=self._bound(rows))

    def problems(self, rows: Mapping[Place, Row | None]) -> int:
        """How much is wrong with the changed rows and those around them."""
        return len(self._problems(self._with(rows), self._places(rows)))

    def _with(self, rows: Mapping[Place, Row | None]) -> Records:
        records = Records(self.ground.base)
        for (table, key), row in rows.items():
            if row is None:
                records.delete(table, key)
            else:
                records.put(table, key, row)
        return records

    def _places(self, rows: Mapping[Place, Row | None]) -> list[Place]:
        wrong = [(table, key) for _, table, key, _, _ in sorted(self.wrong)]
        referring = [each for place in rows for each in self.referring(place)]
        return list(dict.fromkeys([*rows, *wrong, *referring]))[:MOST_PLACES]

    def referring(self, place: Place) -> list[Place]:
        """Rows that name this one."""
        found: list[Place] = []
        for table, spec in self.ground.domain.tables.items():
            for reference in spec.references:
                if reference.to == place[0]:
                    index = self.ground.base.index(table, reference.from_)
                    keys = index.get(f'"{place[1]}"', [])
                    found += [(table, key) for key in keys[:MOST_REFERRING]]
        return found[:MOST_REFERRING]

    def _problems(self, records: Records, places: Iterable[Place]) -> set[Trouble]:
        check = RowCheck(records, self.ground.base.clock.now, Allowance())
        found: set[Trouble] = set()
        for table, key in places:
            row = records.get(table, key)
            if row is not None:
                found |= {_of_problem(each) for each in check.problems(table, key, row)}
        return found

    def _bound(self, rows: Mapping[Place, Row | None]) -> float | None:
        lost = self.ground.lost
        if not lost or self._left <= 0:
            return None
        return sum(self._binds(world, rows) for world in lost) / len(lost)

    def _binds(self, world: World, rows: Mapping[Place, Row | None]) -> bool:
        binder = Binder(world.base, world.bundle.intent, world.bundle.manifest.seed)
        for (table, key), row in rows.items():
            if row is None:
                binder.view.records.delete(table, key)
            else:
                binder.view.records.put(table, key, row)
        if world.rebound and (fits := _fits(world, binder)) is not None:
            return fits
        try:
            binder.bind()
        except SlotUnbound:
            return False
        finally:
            self._left -= binder.tried + 20
        return True


def _fits(world: World, binder: Binder) -> bool | None:
    """Whether the pinned rows fit again; None where none are pinned."""
    pin, slots = world.bundle.manifest.pin, world.bundle.intent.slots
    if pin is None or any(slot not in pin.binding for slot in slots):
        return None  # it was composed when nothing fitted
    rows = {
        slot: row
        for slot, key in pin.binding.items()
        if slot in slots and (row := binder.view.records.get(slots[slot].table, key)) is not None
    }
    return all(slot in rows and binder.fits(slot, rows) for slot in slots)


def _of_problem(problem: Problem) -> Trouble:
    code = "condition-invalid" if problem.failed else problem.code
    return code, problem.table, problem.key, problem.field, problem.invariant


def _of_finding(item: Finding) -> Trouble:
    asked = item.evidence
    invariant = asked.get("invariant", "")
    if item.code == "condition-invalid":
        invariant = item.symbol
    return item.code, asked["table"], asked["key"], asked.get("field", ""), invariant
