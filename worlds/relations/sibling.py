"""Sibling: what was done to a row is done to another one of its table instead, or with another one than the user
named. The goal must miss it."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.diff import Change, Diff
from worlds.records import Place
from worlds.relations.likeness import written
from worlds.relations.rows import siblings
from worlds.relations.subject import Mutant, Subject, Taken, replaced, texts
from worlds.step import Action, Call
from worlds.template import placeholders

TRIED = 4
"""Siblings of a row that the calls are aimed at, until tools accept one."""


def mutants(subject: Subject) -> Iterator[Mutant]:
    """By the same calls; then by edits."""
    if subject.pins_effect:
        return
    for taken in reversed(subject.writes):
        for change in taken.changes:
            if change["op"] != "insert" and _may_be_missed(subject, change["table"]):
                yield from _aimed(subject, taken, change["table"], change["key"])
        for table, key in _named_rows(subject, taken):
            yield from _aimed(subject, taken, table, key)
    yield from _moved(subject)


def _named_rows(subject: Subject, taken: Taken) -> list[Place]:
    """Rows that the user spoke of and whose keys stand in what a call wrote."""
    intent = subject.world.bundle.intent
    user = intent.user
    said = [intent.instruction, *((user.opens or "", user.knows) if user else ())]
    slots = {path.partition(".")[0].partition("[")[0] for path in placeholders(said)}
    rows = {
        (intent.slots[slot].table, subject.world.binding[slot])
        for slot in slots & subject.world.binding.keys()
        if slot in intent.slots and slot != intent.actor
    }
    found = {text for change in taken.changes for text in texts(written(change))}
    return sorted((table, key) for table, key in rows if key in found)


def _may_be_missed(subject: Subject, table: str) -> bool:
    """Whether a change of any row of the table is allowed."""
    allowances = subject.world.goal.allowances
    return allowances is None or any(
        entry.table == table and entry.key == "*" for entry in allowances
    )


def _aimed(subject: Subject, taken: Taken, table: str, key: str) -> Iterator[Mutant]:
    named = [name for name, value in taken.call.args.items() if key in texts(value)]
    if not named or _is_left_open(subject, taken.call, named):
        return
    used = {
        text
        for action in subject.actions
        if isinstance(action, Call)
        for text in texts(action.args)
    }
    for other in siblings(subject, table, key, used)[:TRIED]:
        step = taken.step.index
        what = f"{taken.call.tool} (step {step}) is aimed at {table}/{other}, not {key}"
        yield Mutant(tuple(_turned(a, key, other) for a in subject.actions), what, step)


def _is_left_open(subject: Subject, call: Call, named: list[str]) -> bool:
    return any(f"{call.tool}.{name}" in subject.world.bundle.intent.open for name in named)


def _turned(action: Action, key: str, other: str) -> Action:
    if not isinstance(action, Call) or key not in texts(action.args):
        return action
    return Call(tool=action.tool, args=replaced(action.args, {key: other}))


def _moved(subject: Subject) -> Iterator[Mutant]:
    for (table, key), change in sorted(subject.changed.items()):
        if change["op"] != "update" or not _may_be_missed(subject, table):
            continue
        for other in siblings(subject, table, key)[:TRIED]:
            edits = _exchanged(subject, change, other)
            if edits:
                what = f"{table}/{other} is changed instead of {table}/{key}"
                yield Mutant(subject.actions, what, edits=edits)
                break


def _exchanged(subject: Subject, change: Change, other: str) -> Diff:
    """The change taken back, and made on another row, where that makes a difference."""
    table, fields = change["table"], change["fields"]
    row = subject.row(table, other) or {}
    back = {
        name: _sides(sides.get("after", _ABSENT), sides.get("before", _ABSENT))
        for name, sides in fields.items()
    }
    there = {
        name: _sides(row.get(name, _ABSENT), sides.get("after", _ABSENT))
        for name, sides in fields.items()
        if row.get(name, _ABSENT) != sides.get("after", _ABSENT)
    }
    if not there:
        return []
    return [
        {**change, "fields": back},
        {"table": table, "key": other, "op": "update", "fields": there},
    ]


_ABSENT = object()


def _sides(before: object, after: object) -> dict[str, object]:
    sides = {"before": before, "after": after}
    return {side: value for side, value in sides.items() if value is not _ABSENT}
