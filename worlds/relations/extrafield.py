"""Extra field: on the right row, a field is changed that nobody spoke of. The goal must say that it may not be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from worlds.relations.arguments import Arguments
from worlds.relations.likeness import fields_of
from worlds.relations.othervalue import other_values
from worlds.relations.rows import edited
from worlds.relations.subject import Mutant, Subject, Taken, spelled
from worlds.step import Call


def mutants(subject: Subject) -> Iterator[Mutant]:
    """An argument that may be left out is set; another writing tool is called on the row; an edit."""
    if not subject.is_open:
        return
    for taken in subject.writes:
        yield from _set(subject, taken)
    if subject.changed:
        yield from _called(subject)
    for (table, key), change in sorted(subject.changed.items()):
        if change["op"] == "update":
            edits = edited(subject, table, key, change["fields"])
            if edits:
                field = next(iter(edits[0]["fields"]))
                yield Mutant(subject.actions, f"{table}/{key}#{field} is changed too", edits=edits)


def _set(subject: Subject, taken: Taken) -> Iterator[Mutant]:
    call = taken.call
    _, _, tool = subject.world.tools[call.tool]
    for name, schema in sorted(fields_of(tool.schema).items()):
        if name in call.args or f"{call.tool}.{name}" in subject.world.bundle.intent.open:
            continue
        for value in other_values(schema, schema.get("default")):
            more = Call(tool=call.tool, args={**call.args, name: value})
            what = f"{call.tool} (step {taken.step.index}) is given {name}: {value} too"
            yield Mutant(subject.instead(taken.at, more), what, taken.step.index)
            break


def _called(subject: Subject) -> Iterator[Mutant]:
    used = {taken.call.tool for taken in subject.writes}
    arguments = Arguments(subject, own=True)
    tools = [
        tool
        for name, (_, _, tool) in sorted(subject.world.tools.items())
        if tool.writes and name not in used
    ]
    for calls in zip_longest(*(arguments.calls(tool) for tool in tools)):
        for call in calls:
            for at in (subject.finish_at, subject.writes[-1].at) if call is not None else ():
                what = f"{spelled(call)} is called too"
                yield Mutant(subject.with_(at, call), what, inserted=at)
