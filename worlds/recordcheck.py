"""Rows at rest: each must fit its schema and the invariants, and refer to rows that exist.

Found once for a pair of domain and records, row by row as they are asked for; an environment is told only of the
rows that it touches.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
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
from worlds.oddrows import odd_rows
from worlds.records import Base, Records, Row, values_at
from worlds.world import World

ASKED = re.compile(r"\brow\.(\w+)")
"""A field of the row, in an invariant."""
TARGET = re.compile(r"\w[\w-]*(\[[\w.\[\]]+\]\.[\w.\[\]]+)?")

_KNOWN: OrderedDict[tuple[str, str], Resting] = OrderedDict()
KEPT = 4
"""Records sets whose rows are remembered: they stay in memory."""


def record_findings(world: World, touched: Collection[str]) -> list[Finding]:
    """The findings about the rows at `touched` (`table/key`)."""
    return _resting(world).findings(sorted(touched))


def all_record_findings(world: World) -> list[Finding]:
    """The findings about every row."""
    tables = world.base.tables.items()
    return _resting(world).findings(f"{table}/{key}" for table, keys in tables for key in keys)


def domain_findings(world: World) -> list[Finding]:
    """What is wrong with the contract itself."""
    domain = world.bundle.domain
    found = list(_reference_findings(domain))
    for table in domain.tables:
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
    for name, error in domain.definitions.problems():
        place = f"define.{name}"
        found.append(_invalid(error, place, place, domain.define[name]))
    for number, invariant in enumerate(domain.invariants):
        place = f"invariants[{number}].require"
        try:
            _condition(world.base, invariant)
        except ConditionInvalid as error:
            found.append(_invalid(error, place, invariant.id, invariant.require))
    return found


def _invalid(error: ConditionInvalid, place: str, symbol: str, text: str) -> Finding:
    return finding(
        "condition-invalid",
        "domain",
        "domain",
        place=place,
        symbol=symbol,
        message=str(error),
        evidence={"text": text},
    )


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


def _resting(world: World) -> Resting:
    # A finding names the records set, and two may say the same.
    slug = world.bundle.manifest.records.slug
    key = (world.base.digest, slug)
    known = _KNOWN.pop(key, None) or Resting(world.base, slug)
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
    return Allowance(least.rounds + 100 * asked, least.values + 1_000 * asked, 20.0 + asked / 500)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a row."""

    code: str
    table: str
    key: str
    field: str
    """Path of the field, or empty where it is the row as a whole."""
    message: str
    invariant: str = ""
    """Its id, where one is broken."""
    asked: Mapping[str, Any] | None = None
    """The fields that the invariant asks of, as the row has them."""
    value: Any = None
    """The value that refers to nothing."""
    failed: bool = False
    """Whether the invariant could not be told: then it is wrong itself, and should ask `has` first."""

    @property
    def place(self) -> str:
        """`table/key#field`"""
        place = f"{self.table}/{self.key}"
        return f"{place}#{self.field}" if self.field else place

    @property
    def symbol(self) -> str:
        """`table.field`, `table invariant` or the table."""
        if self.invariant:
            return f"{self.table} {self.invariant}"
        return f"{self.table}.{self.field}" if self.field else self.table

    @property
    def evidence(self) -> dict[str, Any]:
        """`{table, key, field}`; of a broken invariant also `invariant` (its id) and what it asked of."""
        row = {"table": self.table, "key": self.key, "field": self.field}
        if not self.invariant:
            return row
        return {**row, "invariant": self.invariant, "asked": dict(self.asked or {})}


class RowCheck:
    """Checks rows of a state; what is wrong with the contract itself is `domain_findings`'."""

    def __init__(self, records: Records, now: datetime, allowance: Allowance) -> None:
        self.records = records
        self.domain = records.base.domain
        self.view = View(records, now, allowance)
        self.spent: set[str] = set()
        """Invariants that used up their budget: they are not tried again."""

    def problems(self, table: str, key: str, row: Row) -> Iterator[Problem]:
        """All that is wrong with a row that is in the state."""
        try:
            validator = _validator(self.records.base, table)
        except jsonschema_rs.ValidationError:
            return  # `domain_findings` tells
        yield from _schema(validator, table, key, row)
        yield from self._references(table, key, row)
        yield from self._invariants(table, key, row)

    def _references(self, table: str, key: str, row: Row) -> Iterator[Problem]:
        for reference in self.domain.tables[table].references:
            if _target(reference) not in self.domain.tables:
                continue  # `domain_findings` tells
            for value in values_at(row, reference.from_):
                if value is not None and not self._exists(reference, row, value):
                    message = f"{table}/{key}: {reference.from_} names {value!r}, which {reference.to} does not have"
                    yield Problem(
                        "reference-dangling", table, key, reference.from_, message, value=value
                    )

    def _exists(self, reference: Reference, row: Row, value: Any) -> bool:
        """`users` = a row of users; `users[user_id].methods` = a key of `methods` in the row of
        users that this row's `user_id` names."""
        table, bracket, rest = reference.to.partition("[")
        if not bracket:
            return isinstance(value, str) and self.records.get(table, value) is not None
        field, _, path = rest.partition("].")
        named = (owner for owner in values_at(row, field) if isinstance(owner, str))
        owners = [owner for owner in (self.records.get(table, key) for key in named) if owner]
        if not owners:
            return True  # that the owner is missing is a finding of its own
        return any(_holds(inside, value) for owner in owners for inside in values_at(owner, path))

    def _invariants(self, table: str, key: str, row: Row) -> Iterator[Problem]:
        for invariant in self.domain.invariants:
            if invariant.table != table or invariant.id in self.spent:
                continue
            try:
                condition = _condition(self.records.base, invariant)
                broken = not condition.holds(self.view, {"row": row})
            except ConditionInvalid:
                continue  # `domain_findings` tells
            except ConditionFailed as problem:
                yield self._failed(invariant, key, problem)
                continue
            if broken:
                text = invariant.text.strip().removesuffix(".")
                message = f"{table}/{key} breaks the invariant “{text}”"
                asked = _asked(condition, row)
                yield Problem("row-invalid", table, key, "", message, invariant.id, asked)

    def _failed(self, invariant: Invariant, key: str, problem: ConditionFailed) -> Problem:
        if isinstance(problem, ConditionSpent):
            self.spent.add(invariant.id)
        message = f"{invariant.table}/{key}: {problem}"
        return Problem(
            "condition-invalid", invariant.table, key, "", message, invariant.id, failed=True
        )


def _asked(condition: Condition, row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ASKED.findall(condition.text) if name in row}


def _schema(validator: Any, table: str, key: str, row: Row) -> Iterator[Problem]:
    if validator.is_valid(row):
        return
    for error in validator.iter_errors(row):
        path = ".".join(str(part) for part in error.instance_path)
        where = f"{table}/{key}" + (f" at {path}" if path else "")
        yield Problem("row-invalid", table, key, path, f"{where}: {error.message}")


class Resting:
    """The rows of a records set as nobody has touched them."""

    def __init__(self, base: Base, slug: str) -> None:
        self._base, self._slug = base, slug
        self._known: dict[str, list[Finding]] = {}
        self._odd = odd_rows(base, slug)

    def findings(self, places: Iterable[str]) -> list[Finding]:
        """The findings about the rows at `places` (`table/key`), whatever was asked before; none where no row is."""
        check = RowCheck(Records(self._base), self._base.clock.now, _allowance(self._base))
        return [item for place in places for item in self._at(place, check)]

    def _at(self, place: str, check: RowCheck) -> list[Finding]:
        known = self._known.get(place)
        if known is None:
            table, _, key = place.partition("/")
            row = self._base.tables.get(table, {}).get(key)
            problems = check.problems(table, key, row) if row is not None else ()
            known = [self._finding(problem) for problem in problems] or self._odd.get(place, [])
            if not check.spent:  # else something was left out because of the rows before
                self._known[place] = known
        return known

    def _finding(self, problem: Problem) -> Finding:
        if problem.failed:
            return untold(self._base.domain, problem)
        return finding(
            problem.code,
            "records",
            self._slug,
            place=problem.place,
            symbol=problem.symbol,
            message=f"{problem.message}.",
            evidence=problem.evidence,
        )


def untold(domain: Domain, problem: Problem) -> Finding:
    """The finding about an invariant that cannot be told of a row."""
    number, invariant = next(
        (number, each)
        for number, each in enumerate(domain.invariants)
        if each.id == problem.invariant
    )
    return finding(
        "condition-invalid",
        "domain",
        "domain",
        place=f"invariants[{number}].require",
        symbol=invariant.id,
        message=problem.message,
        evidence={"table": invariant.table, "key": problem.key, "text": invariant.require},
    )
