"""Slots that no row fits, or no longer the row that was meant: edits after which one does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Seen, Spot
from triage.proposers.intents.intentedit import IntentEdit, Said, edited
from triage.proposers.intents.slotedits import SlotEdit, SlotEdits
from worlds.intent import Intent
from worlds.records import RecordsInvalid
from worlds.slots import ROWS_TRIED, Binder, Binding, SlotUnbound, rows_of

NAME = "slots"
CODES = {"slot-unbound", "slot-rebound", "name-unknown", "condition-invalid"}
MOST_SEEN = 1
"""Environments in which each edit is tried."""
LOOK = 400
"""Rows tried to see whether an edit is worth more."""
ALL_ROWS = 3_000
"""Rows tried for all edits together, in seconds rather than minutes."""


def fitting_slots(case: Case, spot: Spot) -> Iterator[Candidate]:
    """The nearest edits after which rows fit, those of the pin before others."""
    edit = IntentEdit.of(NAME, case, spot)
    if edit is None or not case.codes & CODES:
        return
    unfit = [seen for seen in case.users(spot.name) if _is_unfit(seen)]
    failing = sorted(unfit, key=_rows)[:MOST_SEEN]
    if not failing:
        return
    tries = Tries(failing)
    for each in _edits(edit, failing, tries):
        if tries.left <= 0:
            return
        changed = edited(edit.intent, {each.place: each.value})
        bound = tries.bound(changed) if changed is not None else None
        if bound is not None:
            yield from edit.candidates({each.place: each.value}, _said(each, failing, bound))


class Tries:
    """Bindings of changed intents, and what they may cost."""

    def __init__(self, failing: Sequence[Seen]) -> None:
        self.failing = failing
        self.left = ALL_ROWS

    def bound(self, intent: Intent) -> list[Binding] | None:
        """A binding for each environment; None where one finds none soon."""
        found = []
        for seen in self.failing:
            binding = self._bound(seen, intent)
            if binding is None:
                return None
            found.append(binding)
        return found

    def _bound(self, seen: Seen, intent: Intent) -> Binding | None:
        binder = Binder(seen.world.base, intent, seen.bundle.manifest.seed)
        pinned = _pinned(seen, intent)
        rows = rows_of(seen.world.base, intent, pinned)
        if pinned and all(name in rows and binder.fits(name, rows) for name in intent.slots):
            return pinned
        binder.tried = started = max(0, ROWS_TRIED - LOOK)
        try:
            return binder.bind()
        except SlotUnbound:
            return None
        finally:
            self.left -= 20 + binder.tried - started


def _rows(seen: Seen) -> int:
    return sum(map(len, seen.world.base.tables.values()))


def _pinned(seen: Seen, intent: Intent) -> Binding:
    pin = seen.bundle.manifest.pin
    return {name: key for name, key in (pin.binding if pin else {}).items() if name in intent.slots}


def _edits(edit: IntentEdit, failing: Sequence[Seen], tries: Tries) -> list[SlotEdit]:
    """Of the slot that is blamed, then of the others. Where rows fit as soon as one thing is not asked, only that."""
    blamed = _blamed(failing, edit.intent)
    seen = failing[0]
    made = SlotEdits(edit.intent, seen.bundle.domain, seen.world.base.tables)
    first = [each for name in blamed for each in made.of(name)]
    rest = [each for name in edit.intent.slots if name not in blamed for each in made.of(name)]
    asked = [each for each in (*first, *rest) if each.leaves_out]
    freeing = [each.leaves_out for each in asked if _frees(edit, each, tries)]
    worth = [(each.likelihood, each) for each in first]
    worth += [(each.likelihood * 0.5, each) for each in rest]
    if freeing:
        worth = [(rate, each) for rate, each in worth if each.within in freeing]
    return [each for _, each in sorted(worth, key=lambda pair: -pair[0])]


def _frees(edit: IntentEdit, each: SlotEdit, tries: Tries) -> bool:
    changed = edited(edit.intent, {each.place: each.value})
    return tries.left > ALL_ROWS // 3 and changed is not None and tries.bound(changed) is not None


def _blamed(failing: Sequence[Seen], intent: Intent) -> list[str]:
    named: dict[str, None] = {}
    for seen in failing:
        if seen.world.unbound is not None:
            named[seen.world.unbound.slot] = None
        named.update(dict.fromkeys(seen.world.rebound))
    return [name for name in named if name in intent.slots]


def _is_unfit(seen: Seen) -> bool:
    try:
        return seen.world.unbound is not None or bool(seen.world.rebound)
    except RecordsInvalid:
        return False


def _said(each: SlotEdit, failing: Sequence[Seen], bound: Sequence[Binding]) -> Said:
    pins = [seen.bundle.manifest.pin for seen in failing]
    pinned = [(b, p) for b, p in zip(bound, pins, strict=True) if p is not None and p.binding]
    same = sum(binding == pin.binding for binding, pin in pinned)
    factor = 1.0 if not pinned else 1.1 if same == len(pinned) else 0.4
    why = f"Then rows fit in {len(bound)} environments"
    if pinned and same == len(pinned):
        why += ", the ones that were pinned when they were composed"
    return Said(each.says, each.likelihood * factor, each.authority, why)
