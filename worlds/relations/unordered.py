"""Unordered: a list whose order is declared to mean nothing comes in another one. The goal must still be met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

from worlds.canonical import canonical
from worlds.contract import row_shape
from worlds.relations.likeness import PAIRS, UNORDERED, declared, fields_of, pairs, written
from worlds.relations.subject import Mutant, Subject, Taken
from worlds.step import Call


def mutants(subject: Subject) -> Iterator[Mutant]:
    """The lists that tools were given, alone and together; neighbouring calls of one tool; edits of lists that a tool
    made."""
    for taken in subject.writes:
        if any(_is_marked(subject, change) for change in taken.changes):
            lists = [name for name, value in sorted(taken.call.args.items()) if _turned(value)]
            for names in [*((name,) for name in lists), *combinations(lists, 2)]:
                yield _in_arguments(subject, taken, names)
    yield from _swapped(subject)
    yield from _edits(subject)


def _is_marked(subject: Subject, change: Mapping[str, Any]) -> bool:
    schema, fields = row_shape(subject.world.bundle.domain, change["table"]), written(change)
    return any(True for mark in (UNORDERED, PAIRS) for _ in declared(fields, schema, mark))


def _turned(value: Any) -> list[Any] | None:
    """The list from its end; None for what is the same so, or no list."""
    if not isinstance(value, list) or value == value[::-1]:
        return None
    return value[::-1]


def _in_arguments(subject: Subject, taken: Taken, names: tuple[str, ...]) -> Mutant:
    args = {**taken.call.args, **{name: _turned(taken.call.args[name]) for name in names}}
    what = f"{' and '.join(names)} of {taken.call.tool} (step {taken.step.index}) come in another order"
    call = Call(tool=taken.call.tool, args=args)
    return Mutant(subject.instead(taken.at, call), what, taken.step.index)


def _swapped(subject: Subject) -> Iterator[Mutant]:
    for one, other in pairwise(subject.writes):
        marked = any(_is_marked(subject, change) for change in [*one.changes, *other.changes])
        if other.at == one.at + 1 and one.call.tool == other.call.tool and marked:
            turned = (other.call, one.call)
            actions = (*subject.actions[: one.at], *turned, *subject.actions[other.at + 1 :])
            what = (
                f"steps {one.step.index} and {other.step.index}, both {one.call.tool}, are swapped"
            )
            yield Mutant(actions, what, one.step.index)


def _edits(subject: Subject) -> Iterator[Mutant]:
    given = [
        value for taken in subject.writes for value in taken.call.args.values() if _turned(value)
    ]
    for (table, key), change in sorted(subject.changed.items()):
        if change["op"] == "delete" or given:
            continue
        properties = fields_of(row_shape(subject.world.bundle.domain, table))
        fields = written(change)
        for names in [*_single(change, properties), *pairs(fields, properties)]:
            turned = {name: _turned(fields[name]) or fields[name] for name in names}
            if turned != {name: fields[name] for name in names}:
                sides = {name: {"before": fields[name], "after": turned[name]} for name in names}
                edit = {"table": table, "key": key, "op": "update", "fields": sides}
                what = f"{' and '.join(names)} of {table}/{key} end in another order"
                yield Mutant(subject.actions, what, edits=[edit])


def _single(change: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[tuple[str]]:
    """Lists whose order the tool chose: one that is sorted, or that only became longer, can have no other."""
    for name, value in written(change).items():
        before = change["fields"][name].get("before") if change["op"] == "update" else None
        if not properties.get(name, {}).get(UNORDERED) or not isinstance(value, list):
            continue
        longer = isinstance(before, list) and before == value[: len(before)]
        if not longer and value != sorted(value, key=canonical):
            yield (name,)
