"""Stray write: something else is changed too. A goal that says nothing about the rest does not see it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from worlds.relations.arguments import Arguments
from worlds.relations.rows import edited, siblings
from worlds.relations.subject import Mutant, Subject, replaced, spelled, texts
from worlds.step import Call

OTHER_ROWS = 3


def mutants(subject: Subject) -> Iterator[Mutant]:
    """One more call before the finish: one of the plan's aimed at other rows, else of another writing tool; then an
    edit. What a goal declares as allowed is no stray, and what it does not, its verdict refuses."""
    if not subject.is_open:
        return
    for call in _calls(subject):
        what = f"{spelled(call)} is called too"
        at = subject.finish_at
        yield Mutant(subject.with_(at, call), what, inserted=at)
    yield from _edits(subject)


def _calls(subject: Subject) -> Iterator[Call]:
    for taken in subject.writes:
        yield from _aimed_elsewhere(subject, taken.call)
    arguments = Arguments(subject, own=False)
    tools = [tool for _, (_, _, tool) in sorted(subject.world.tools.items()) if tool.writes]
    for calls in zip_longest(*(arguments.calls(tool) for tool in tools)):
        yield from (call for call in calls if call is not None)


def _aimed_elsewhere(subject: Subject, call: Call) -> Iterator[Call]:
    tables = subject.world.base.tables
    for text in sorted(set(texts(call.args))):
        for table in sorted(name for name, rows in tables.items() if text in rows):
            for other in siblings(subject, table, text)[:OTHER_ROWS]:
                yield Call(tool=call.tool, args=replaced(call.args, {text: other}))


def _edits(subject: Subject) -> Iterator[Mutant]:
    for table, key in _others(subject):
        edits = edited(subject, table, key)
        if edits:
            yield Mutant(subject.actions, f"{table}/{key} is changed too", edits=edits)
            return


def _others(subject: Subject) -> Iterator[tuple[str, str]]:
    """Other rows: siblings of what was changed, then of any table."""
    for table, key in sorted(subject.changed):
        yield from ((table, other) for other in siblings(subject, table, key)[:1])
    for table in sorted(subject.world.base.tables):
        yield from ((table, other) for other in siblings(subject, table, "")[:1])
