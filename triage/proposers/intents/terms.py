"""Expressions over slots and records, made by schema, each with what it says in every environment looked at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from triage.proposers.intents.celtext import literal
from triage.proposers.intents.sample import FAILED, Sample
from worlds.domain import Domain, Table
from worlds.records import Row, UnknownTable

MOST = 6_000
"""Expressions that are made of one intent."""
MOST_ROWS = 200
MOST_MOMENTS = 6
MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d.*)?")
MOST_VALUES = 12
"""Values of an enum that are asked for."""
AGGREGATES: Mapping[str, Callable[[list[Any]], Any]] = {"min": min, "max": max, "sum": sum}


@dataclass(frozen=True)
class Term:
    """An expression."""

    text: str
    values: tuple[Any, ...]
    """One for each sample; FAILED where it says nothing."""
    cost: int
    """How far-fetched it is."""


class Terms:
    """All that can be said of an intent's slots in a few words, the nearest first."""

    def __init__(self, found: Sequence[Sample]) -> None:
        self.samples = found
        self.domain: Domain = found[0].world.bundle.domain
        self.slots = {
            name: slot.table
            for name, slot in found[0].intent.slots.items()
            if slot.table in self.domain.tables
        }

    def all(self) -> Iterator[Term]:
        """By cost, then as the intent names its slots."""
        made = [*self.fields(), *self.after(), *self.hops(), *self.lists(), *self.spans()]
        made += list(self.counts())
        yield from islice(sorted(made, key=lambda term: term.cost), MOST)

    def fields(self) -> Iterator[Term]:
        """`order.status`"""
        for slot in self.slots:
            rows = [sample.rows.get(slot) for sample in self.samples]
            yield from _fields(slot, rows, 1)

    def after(self) -> Iterator[Term]:
        """`get('orders', order.order_id).status`"""
        for slot, table in self.slots.items():
            rows = [self._now(sample, table, self._key(sample, slot)) for sample in self.samples]
            text = f"get('{table}', {slot}.{self.domain.tables[table].key})"
            yield from _fields(text, rows, 2)

    def hops(self) -> Iterator[Term]:
        """`get('users', order.user_id).name`, and once more from there."""
        for slot, table in self.slots.items():
            rows = [sample.rows.get(slot) for sample in self.samples]
            for text, to, there in self._referred(slot, table, rows):
                yield from _fields(text, there, 3)
                for further, _, beyond in self._referred(text, to, there):
                    yield from _fields(further, beyond, 4)

    def lists(self) -> Iterator[Term]:
        """`size(order.items)`, `sum(order.items.map(i, i.price))`, `size(order.items.filter(i, i.kind != 'gift'))`"""
        for slot, table in self.slots.items():
            rows = [sample.rows.get(slot) or {} for sample in self.samples]
            for name, shape in _properties(self.domain.tables[table]).items():
                values = [row[name] for row in rows if isinstance(row.get(name), list)]
                if len(values) == len(rows):
                    yield from _lists(f"{slot}.{name}", values, shape.get("items") or {})

    def spans(self) -> Iterator[Term]:
        """`minutes_between(meeting.start, meeting.end)`"""
        for slot in self.slots:
            rows = [sample.rows.get(slot) or {} for sample in self.samples]
            names = [name for name in rows[0] if name.isidentifier()]
            moments = [name for name in names if all(is_moment(row.get(name)) for row in rows)]
            for one in moments[:MOST_MOMENTS]:
                for other in moments[:MOST_MOMENTS]:
                    if one != other:
                        yield from self._spans(f"{slot}.{one}", f"{slot}.{other}")

    def counts(self) -> Iterator[Term]:
        """`count('orders', {'user_id': user.user_id, 'status': 'pending'})`, and what such rows add up to."""
        for slot, table in self.slots.items():
            key = f"{slot}.{self.domain.tables[table].key}"
            for name, spec in self.domain.tables.items():
                for path in sorted({each.from_ for each in spec.references if each.to == table}):
                    rows = [self._found(s, name, {path: self._key(s, slot)}) for s in self.samples]
                    yield from _counts(name, f"'{path}': {key}", rows, spec)

    def _key(self, sample: Sample, slot: str) -> str:
        row = sample.rows.get(slot) or {}
        return str(row.get(self.domain.tables[self.slots[slot]].key, ""))

    def _now(self, sample: Sample, table: str, key: str) -> Row | None:
        try:
            return sample.final.records.get(table, key)
        except UnknownTable:
            return None

    def _found(self, sample: Sample, table: str, match: Mapping[str, Any]) -> list[Row]:
        return sample.final.records.find(table, match)[:MOST_ROWS]

    def _referred(
        self, text: str, table: str, rows: Sequence[Row | None]
    ) -> Iterator[tuple[str, str, list[Row | None]]]:
        """The rows that fields of rows refer to: as text, their table, and themselves."""
        for each in self.domain.tables[table].references:
            if each.from_.isidentifier() and each.to in self.domain.tables:
                keys = [(row or {}).get(each.from_) for row in rows]
                there = [
                    self._now(sample, each.to, key) if isinstance(key, str) else None
                    for sample, key in zip(self.samples, keys, strict=True)
                ]
                if any(there):
                    yield f"get('{each.to}', {text}.{each.from_})", each.to, there

    def _spans(self, one: str, other: str) -> Iterator[Term]:
        for function in ("minutes_between", "days_between"):
            text = f"{function}({one}, {other})"
            yield Term(text, tuple(sample.value(text) for sample in self.samples), 3)


def _fields(text: str, rows: Sequence[Row | None], cost: int) -> Iterator[Term]:
    names = dict.fromkeys(name for row in rows for name in row or ())
    for name in names:
        if not name.isidentifier():
            continue
        values = tuple((row or {}).get(name, FAILED) for row in rows)
        yield Term(f"{text}.{name}", values, cost)
        if any(isinstance(value, dict) for value in values):
            inner = [value if isinstance(value, dict) else None for value in values]
            if cost < 4:
                yield from _fields(f"{text}.{name}", inner, cost + 1)


def _properties(table: Table) -> dict[str, Any]:
    found = table.schema_.get("properties")
    return {
        name: shape
        for name, shape in (found.items() if isinstance(found, Mapping) else ())
        if isinstance(shape, Mapping)
    }


def is_moment(value: Any) -> bool:
    """Whether a value is a day or an instant."""
    return isinstance(value, str) and MOMENT.fullmatch(value) is not None


def _allowed(shape: Any) -> list[Any]:
    """The values that a field is asked for: those its schema lists, or both of a boolean."""
    if not isinstance(shape, Mapping):
        return []
    if shape.get("type") == "boolean":
        return [True, False]
    values = shape.get("enum")
    return values[:MOST_VALUES] if isinstance(values, list) else []


def _lists(text: str, values: Sequence[list[Any]], shape: Any) -> Iterator[Term]:
    yield Term(f"size({text})", tuple(len(value) for value in values), 2)
    properties = shape.get("properties") if isinstance(shape, Mapping) else None
    for name, field in (properties or {}).items():
        rows = [[item for item in value if isinstance(item, Mapping)] for value in values]
        yield from _summed(text, rows, name, 3)
        for wanted in _allowed(field):
            said = literal(wanted)
            for sign in ("==", "!="):
                counted = [
                    sum((item.get(name) == wanted) == (sign == "==") for item in row)
                    for row in rows
                ]
                yield Term(f"size({text}.filter(x, x.{name} {sign} {said}))", tuple(counted), 4)


def _summed(
    text: str, rows: Sequence[Sequence[Mapping[str, Any]]], name: str, cost: int
) -> Iterator[Term]:
    """The smallest, the largest, and the sum, of a field of rows that all have a number or a text in it."""
    if not name.isidentifier():
        return
    columns = [[row.get(name) for row in each] for each in rows]
    kinds = {type(value) for column in columns for value in column}
    numbers, words = kinds <= {int, float}, kinds == {str}
    for function in ("sum", "max", "min") if numbers else ("max", "min") if words else ():
        gives = AGGREGATES[function]
        values = tuple(gives(column) if column else FAILED for column in columns)
        yield Term(f"{function}({text}.map(x, x.{name}))", values, cost)


def _counts(table: str, match: str, rows: Sequence[list[Row]], spec: Table) -> Iterator[Term]:
    yield Term(f"count('{table}', {{{match}}})", tuple(map(len, rows)), 4)
    for name, shape in _properties(spec).items():
        if name == spec.key or not name.isidentifier():
            continue
        yield from _summed(f"find('{table}', {{{match}}})", rows, name, 5)
        for wanted in _allowed(shape):
            said = literal(wanted)
            kept = [[row for row in each if row.get(name) == wanted] for each in rows]
            left = [len(each) - len(some) for each, some in zip(rows, kept, strict=True)]
            with_it = f"{match}, '{name}': {said}"
            yield Term(f"count('{table}', {{{with_it}}})", tuple(map(len, kept)), 5)
            without = f"size(find('{table}', {{{match}}}).filter(x, x.{name} != {said}))"
            yield Term(without, tuple(left), 6)
