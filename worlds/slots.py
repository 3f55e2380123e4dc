"""Slots: which rows an intent speaks of, chosen by seed and then pinned.

`match` is equality from an index, `where` filters the rest; candidates stand in the order of
sha256(seed, slot, key), and the search goes depth-first with back-tracking.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from worlds.cel_tree import free_names, parse
from worlds.conditions import (
    Condition,
    ConditionFailed,
    ConditionInvalid,
    ConditionSpent,
    Shape,
    View,
    compile_condition,
    row_shape,
)
from worlds.domain import Domain
from worlds.intent import Intent, Slot
from worlds.records import Base, Records, Row, UnknownTable, matches, values_at
from worlds.template import TemplateInvalid, TemplateUnfilled, placeholders, render

Binding = dict[str, str]
"""Slot → key of its row."""

ROWS_TRIED = 10_000
ROWS_LOOKED_AT = 500_000
"""Rows that `match` and `where` may compare, those included that do not match."""


Reason = Literal["no-row", "spent", "invalid"]
"""No row fits; a `where` cost too much to go on; or the slot says something that cannot be."""


class SlotUnbound(LookupError):
    """No row fits. `slot` is the one that was never filled, `tried` how many rows were looked at."""

    def __init__(self, slot: str, tried: int, why: str, reason: Reason = "no-row") -> None:
        super().__init__(why)
        self.slot, self.tried, self.reason = slot, tried, reason


def shapes(intent: Intent, domain: Domain) -> dict[str, Shape]:
    """Slot → the shape of its rows (None where the domain does not have the table)."""
    return {name: row_shape(domain, slot.table) for name, slot in intent.slots.items()}


def where_condition(intent: Intent, domain: Domain, name: str) -> Condition | None:
    """The compiled `where` of a slot; raises ConditionInvalid."""
    slot = intent.slots[name]
    if slot.where is None:
        return None
    known = shapes(intent, domain)
    row = known[name]
    names = {**known, "row": row}
    return compile_condition(slot.where, domain, names, definitions=intent.definitions(domain))


def rows_of(base: Base, intent: Intent, binding: Mapping[str, str]) -> dict[str, Row]:
    """Slot → its row as the episode finds it."""
    return {
        name: base.tables[intent.slots[name].table][key]
        for name, key in binding.items()
        if name in intent.slots and key in base.tables.get(intent.slots[name].table, {})
    }


class Binder:
    """Finds the first binding of an intent's slots to the rows of a base."""

    def __init__(self, base: Base, intent: Intent, seed: int) -> None:
        self.base, self.intent, self.seed = base, intent, seed
        self.view = View(Records(base), base.clock.now)
        self.order = self._order()
        self._conditions: dict[str, Condition | None] = {}
        self.tried = 0
        self.deepest = 0
        self._failures: dict[str, list[str]] = {}
        """Slot → why its `where` failed, for each row at which it did."""

    def bind(self) -> Binding:
        """Slot → key; raises SlotUnbound."""
        self._failures.clear()
        try:
            found = next(self._solutions(0, {}), None)
        except (ConditionInvalid, UnknownTable, TemplateInvalid) as error:
            raise SlotUnbound(
                self.order[self.deepest], self.tried, str(error), "invalid"
            ) from error
        except ConditionSpent as error:
            slot = self.order[self.deepest]
            raise SlotUnbound(slot, self.tried, str(error), "spent") from error
        if found is None:
            slot = self.order[self.deepest]
            raise SlotUnbound(slot, self.tried, self._why(slot))
        return {name: row[self._key(name)] for name, row in found.items()}

    def fits(self, name: str, rows: Mapping[str, Row]) -> bool:
        """Whether the row bound to a slot fits it, the other slots being bound to `rows`."""
        try:
            match = self._match(name, rows)
            return matches(rows[name], match) and self._where(name, rows, rows[name])
        except (TemplateInvalid, TemplateUnfilled, ConditionInvalid, ConditionSpent):
            return False

    def _why(self, slot: str) -> str:
        if self.tried >= ROWS_TRIED:
            return f"no row was found for slot {slot!r} among the first {ROWS_TRIED} tried"
        if self._has_looked_enough:
            return f"no row was found for slot {slot!r} among the first {ROWS_LOOKED_AT} looked at"
        none = f"no row of {self.intent.slots[slot].table} fits slot {slot!r} ({self.tried} rows tried)"
        return f"{none}{self._failed(slot)}{self._absent(slot)}"

    def _failed(self, slot: str) -> str:
        failures = self._failures.get(slot, [])
        return (
            f"; in {len(failures)} of them the condition failed: {failures[0]}" if failures else ""
        )

    def _absent(self, slot: str) -> str:
        """Fields of which `match` asks null, and which some rows do not have: a likely mistake."""
        rows = self.base.tables[self.intent.slots[slot].table].values()
        nulls = [path for path, value in self.intent.slots[slot].match.items() if value is None]
        lacking = {
            path: sum(not any(True for _ in values_at(row, path)) for row in rows) for path in nulls
        }
        return "".join(
            f"; {count} of {len(rows)} rows have no field {path!r}, and an absent field is no null"
            f' (where: "!has(row.{path})" finds them)'
            for path, count in lacking.items()
            if count
        )

    @property
    def _has_looked_enough(self) -> bool:
        # What was tried was looked at too, and is counted apart.
        return self.view.records.looked - self.tried > ROWS_LOOKED_AT

    def _key(self, name: str) -> str:
        return self.base.domain.tables[self.intent.slots[name].table].key

    def _order(self) -> list[str]:
        """The slots so that each comes after those its match speaks of; a circle keeps the file's order."""
        waiting = {name: self._needs(slot) for name, slot in self.intent.slots.items()}
        order: list[str] = []
        while waiting:
            free = next((n for n in waiting if not waiting[n] & ({*waiting} - {n})), None)
            order.append(free or next(iter(waiting)))
            del waiting[order[-1]]
        return order

    def _needs(self, slot: Slot) -> set[str]:
        """The names that a slot's match and where speak of: slots among them must be bound before."""
        in_match = {path.partition(".")[0].partition("[")[0] for path in placeholders(slot.match)}
        return in_match | self._named(slot.where)

    def _named(self, where: str | None) -> frozenset[str]:
        try:
            definitions = self.intent.definitions(self.base.domain)
            return free_names(parse(definitions.written_out(where or "true")))
        except ConditionInvalid:
            return frozenset()  # whoever compiles it tells

    def _solutions(self, depth: int, rows: dict[str, Row]) -> Iterator[dict[str, Row]]:
        if depth == len(self.order):
            yield rows
            return
        self.deepest = max(self.deepest, depth)
        name = self.order[depth]
        for row in self._candidates(name, rows):
            if self.tried >= ROWS_TRIED or self._has_looked_enough:
                return
            self.tried += 1
            if self._where(name, {**rows, name: row}, row):
                yield from self._solutions(depth + 1, {**rows, name: row})

    def _candidates(self, name: str, rows: Mapping[str, Row]) -> list[Row]:
        try:
            match = self._match(name, rows)
        except TemplateUnfilled:
            return []
        found = self.view.records.find(self.intent.slots[name].table, match)
        return sorted(found, key=partial(self._rank, name))

    def _rank(self, name: str, row: Row) -> bytes:
        text = f"{self.seed}\n{name}\n{row[self._key(name)]}"
        return hashlib.sha256(text.encode()).digest()

    def _match(self, name: str, rows: Mapping[str, Row]) -> dict[str, Any]:
        rendered: dict[str, Any] = render(self.intent.slots[name].match, rows)
        return rendered

    def _condition(self, name: str) -> Condition | None:
        if name not in self._conditions:
            self._conditions[name] = where_condition(self.intent, self.base.domain, name)
        return self._conditions[name]

    def _where(self, name: str, rows: Mapping[str, Row], row: Row) -> bool:
        condition = self._condition(name)
        if condition is None:
            return True
        try:
            return condition.holds(self.view, {**rows, "row": row})
        except ConditionSpent:
            raise
        except ConditionFailed as error:
            self._failures.setdefault(name, []).append(str(error))
            return False
