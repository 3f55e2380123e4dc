"""Rows at rest: each must fit its schema and the invariants, and refer to rows that exist.

Found once for a pair of domain and records; an environment is told only of the rows that it touches.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator
from typing import Any

import jsonschema_rs

from worlds.conditions import (
    Condition,
    ConditionFailed,
    ConditionInvalid,
    NameUnknown,
    View,
    compile_condition,
    row_shape,
)
from worlds.domain import Invariant, Reference
from worlds.findings import Finding, finding
from worlds.records import Base, Records, Row, values_at
from worlds.world import World

RowFindings = dict[str, list[Finding]]
"""`table/key` → its findings."""

_KNOWN: OrderedDict[str, RowFindings] = OrderedDict()
KEPT = 16


def record_findings(world: World, touched: Collection[str]) -> list[Finding]:
    """The findings about the rows at `touched` (`table/key`)."""
    by_row = _by_row(world)
    return [item for place in sorted(touched) for item in by_row.get(place, ())]


def all_record_findings(world: World) -> list[Finding]:
    """The findings about every row."""
    return [item for items in _by_row(world).values() for item in items]


def domain_findings(world: World) -> list[Finding]:
    """What is wrong with the contract itself."""
    found = []
    for number, invariant in enumerate(world.bundle.domain.invariants):
        place = f"invariants[{number}].require"
        try:
            _condition(world.base, invariant)
        except ConditionInvalid as problem:
            found.append(
                finding(
                    "condition-invalid",
                    "domain",
                    "domain",
                    place=place,
                    symbol=invariant.id,
                    message=str(problem),
                    evidence={"text": invariant.require},
                )
            )
    return found


def _by_row(world: World) -> RowFindings:
    key = world.base.digest
    known = _KNOWN.pop(key, None)
    if known is None:
        known = {}
        for place, item in _RowCheck(world.base, world.bundle.manifest.records.slug).findings():
            known.setdefault(place, []).append(item)
    _KNOWN[key] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known


def _condition(base: Base, invariant: Invariant) -> Condition:
    shape = row_shape(base.domain, invariant.table)
    if shape is None:
        raise NameUnknown(f"there is no table {invariant.table!r}", invariant.require)
    return compile_condition(invariant.require, base.domain, {"row": shape})


class _RowCheck:
    def __init__(self, base: Base, slug: str) -> None:
        self.base, self.slug = base, slug
        self.view = View(Records(base), base.clock.now)

    def findings(self) -> Iterator[tuple[str, Finding]]:
        for table, spec in self.base.domain.tables.items():
            validator = jsonschema_rs.validator_for(spec.schema_)
            conditions = list(self._conditions(table))
            for key, row in self.base.tables[table].items():
                yield from self._schema(validator, table, key, row)
                yield from self._references(table, key, row)
                yield from self._invariants(conditions, table, key, row)

    def _found(
        self, code: str, table: str, key: str, field: str, message: str
    ) -> tuple[str, Finding]:
        place = f"{table}/{key}"
        return place, finding(
            code,
            "records",
            self.slug,
            place=f"{place}#{field}" if field else place,
            symbol=f"{table}.{field}" if field else table,
            message=message,
            evidence={"table": table, "key": key, "field": field},
        )

    def _schema(
        self, validator: Any, table: str, key: str, row: Row
    ) -> Iterator[tuple[str, Finding]]:
        if validator.is_valid(row):
            return
        for error in validator.iter_errors(row):
            path = ".".join(str(part) for part in error.instance_path)
            where = f"{table}/{key}" + (f" at {path}" if path else "")
            yield self._found("row-invalid", table, key, path, f"{where}: {error.message}.")

    def _references(self, table: str, key: str, row: Row) -> Iterator[tuple[str, Finding]]:
        for reference in self.base.domain.tables[table].references:
            for value in values_at(row, reference.from_):
                if value is not None and not self._exists(reference, row, value):
                    message = f"{table}/{key}: {reference.from_} names {value!r}, which {reference.to} does not have."
                    yield self._found("reference-dangling", table, key, reference.from_, message)

    def _exists(self, reference: Reference, row: Row, value: Any) -> bool:
        """`users` = a row of users; `users[user_id].methods` = a key of `methods` in the row of
        users that this row's `user_id` names."""
        table, bracket, rest = reference.to.partition("[")
        rows = self.base.tables.get(table, {})
        if not bracket:
            return value in rows if isinstance(value, str) else False
        field, _, path = rest.partition("].")
        owners = [rows[owner] for owner in values_at(row, field) if owner in rows]
        if not owners:
            return True  # that the owner is missing is a finding of its own
        return any(value in inside for owner in owners for inside in values_at(owner, path))

    def _conditions(self, table: str) -> Iterator[tuple[Invariant, Condition]]:
        for invariant in self.base.domain.invariants:
            if invariant.table == table:
                try:
                    yield invariant, _condition(self.base, invariant)
                except ConditionInvalid:
                    continue  # `domain_findings` tells

    def _invariants(
        self, conditions: list[tuple[Invariant, Condition]], table: str, key: str, row: Row
    ) -> Iterator[tuple[str, Finding]]:
        for invariant, condition in conditions:
            try:
                holds = condition.holds(self.view, {"row": row})
                why = invariant.text
            except ConditionFailed as problem:
                holds, why = False, f"{invariant.text} ({problem})"
            if not holds:
                place, item = self._found("row-invalid", table, key, "", f"{table}/{key}: {why}")
                yield place, item.model_copy(update={"symbol": f"{table} {invariant.id}"})
