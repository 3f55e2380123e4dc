"""Rows at rest: each must fit its schema and the invariants, and refer to rows that exist.

Found once for a pair of domain and records; an environment is told only of the rows that it touches.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import jsonschema_rs

from worlds.conditions import (
    Allowance,
    Condition,
    ConditionFailed,
    ConditionInvalid,
    ConditionSpent,
    NameUnknown,
    View,
    compile_condition,
    row_shape,
)
from worlds.contract import row_validator
from worlds.diff import same
from worlds.domain import Domain, Invariant, Reference
from worlds.findings import Finding, finding
from worlds.records import Base, Records, Row, values_at
from worlds.world import World

TARGET = re.compile(r"\w[\w-]*(\[[\w.\[\]]+\]\.[\w.\[\]]+)?")

RowFindings = dict[str, list[Finding]]
"""`table/key` → its findings."""

_KNOWN: OrderedDict[tuple[str, str], RowFindings] = OrderedDict()
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
    found = list(_reference_findings(world.bundle.domain))
    for table in world.bundle.domain.tables:
        try:
            _validator(world.base, table)
        except jsonschema_rs.ValidationError as problem:
            place = f"tables.{table}.schema"
            message = f"This is no JSON Schema: {problem.message}."
            found.append(
                finding(
                    "body-invalid", "domain", "domain", place=place, symbol=place, message=message
                )
            )
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


def _reference_findings(domain: Domain) -> Iterator[Finding]:
    for table, spec in domain.tables.items():
        for number, reference in enumerate(spec.references):
            if not TARGET.fullmatch(reference.to) or _target(reference) not in domain.tables:
                place = f"tables.{table}.references[{number}].to"
                message = f"{reference.to!r} is no table, or table[field].map, of {', '.join(domain.tables)}."
                yield finding(
                    "name-unknown", "domain", "domain", place=place, symbol=place, message=message
                )


def _target(reference: Reference) -> str:
    return reference.to.partition("[")[0]


def _by_row(world: World) -> RowFindings:
    # A finding names the records set, and two may say the same.
    key = (world.base.digest, world.bundle.manifest.records.slug)
    known = _KNOWN.pop(key, None)
    if known is None:
        known = {}
        for place, item in _RowCheck(world.base, world.bundle.manifest.records.slug).findings():
            known.setdefault(place, []).append(item)
    _KNOWN[key] = known
    if len(_KNOWN) > KEPT:
        _KNOWN.popitem(last=False)
    return known


def _holds(inside: Any, value: Any) -> bool:
    """Whether a map has `value` as a key, or a list as an item."""
    if isinstance(inside, Mapping):
        return isinstance(value, str) and value in inside
    return isinstance(inside, list) and any(same(item, value) for item in inside)


def _validator(base: Base, table: str) -> Any:
    """Checks rows of a table; raises jsonschema_rs.ValidationError."""
    return row_validator(base.domain.tables[table].schema_)


def _condition(base: Base, invariant: Invariant) -> Condition:
    shape = row_shape(base.domain, invariant.table)
    if shape is None:
        raise NameUnknown(f"there is no table {invariant.table!r}", invariant.require)
    return compile_condition(invariant.require, base.domain, {"row": shape})


def _allowance(base: Base) -> Allowance:
    """For each invariant on each row what one that people write needs, many times over."""
    asked = sum(len(base.tables.get(each.table, ())) for each in base.domain.invariants)
    least = Allowance()
    return Allowance(least.rounds + 100 * asked, least.values + 1_000 * asked, seconds=20.0)


class _RowCheck:
    def __init__(self, base: Base, slug: str) -> None:
        self.base, self.slug = base, slug
        self.view = View(Records(base), base.clock.now, _allowance(base))

    def findings(self) -> Iterator[tuple[str, Finding]]:
        for table in self.base.domain.tables:
            try:
                validator = _validator(self.base, table)
            except jsonschema_rs.ValidationError:
                continue  # `domain_findings` tells
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
            if _target(reference) not in self.base.tables:
                continue  # `domain_findings` tells
            for value in values_at(row, reference.from_):
                if value is not None and not self._exists(reference, row, value):
                    message = f"{table}/{key}: {reference.from_} names {value!r}, which {reference.to} does not have."
                    yield self._found("reference-dangling", table, key, reference.from_, message)

    def _exists(self, reference: Reference, row: Row, value: Any) -> bool:
        """`users` = a row of users; `users[user_id].methods` = a key of `methods` in the row of
        users that this row's `user_id` names."""
        table, bracket, rest = reference.to.partition("[")
        rows = self.base.tables[table]
        if not bracket:
            return value in rows if isinstance(value, str) else False
        field, _, path = rest.partition("].")
        named = (owner for owner in values_at(row, field) if isinstance(owner, str))
        owners = [rows[owner] for owner in named if owner in rows]
        if not owners:
            return True  # that the owner is missing is a finding of its own
        return any(_holds(inside, value) for owner in owners for inside in values_at(owner, path))

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
        for invariant, condition in list(conditions):
            try:
                if condition.holds(self.view, {"row": row}):
                    continue
                message = f"{table}/{key} breaks the invariant “{invariant.text}”"
                place, item = self._found("row-invalid", table, key, "", message)
                yield place, item.model_copy(update={"symbol": f"{table} {invariant.id}"})
            except ConditionFailed as problem:
                yield f"{table}/{key}", self._failed(invariant, key, problem)
                if isinstance(problem, ConditionSpent):
                    conditions.remove((invariant, condition))

    def _failed(self, invariant: Invariant, key: str, problem: ConditionFailed) -> Finding:
        """An invariant that cannot be told of a row is wrong itself: it should ask `has` first."""
        number = self.base.domain.invariants.index(invariant)
        return finding(
            "condition-invalid",
            "domain",
            "domain",
            place=f"invariants[{number}].require",
            symbol=invariant.id,
            message=f"{invariant.table}/{key}: {problem}",
            evidence={"table": invariant.table, "key": key, "text": invariant.require},
        )
