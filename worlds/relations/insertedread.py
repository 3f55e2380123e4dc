"""Inserted read: something is looked at once more. The goal must still be met."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.relations.arguments import Arguments
from worlds.relations.subject import Mutant, Subject, spelled
from worlds.step import Call

OTHER_TOOLS = 3


def mutants(subject: Subject) -> Iterator[Mutant]:
    """The last read again before the finish; another tool that reads; the first read again at once."""
    at, reads = subject.finish_at, subject.reads
    if reads:
        yield _inserted(subject, at, reads[-1].call.model_copy())
    for call in _others(subject):
        yield _inserted(subject, at, call)
    if len(reads) > 1:
        yield _inserted(subject, reads[0].at + 1, reads[0].call.model_copy())


def _others(subject: Subject) -> Iterator[Call]:
    used = {taken.call.tool for taken in subject.taken}
    arguments = Arguments(subject, own=True)
    tools = [
        tool
        for name, (_, _, tool) in sorted(subject.world.tools.items())
        if not tool.writes and name not in used
    ]
    for tool in tools[:OTHER_TOOLS]:
        yield from (call for call, _ in zip(arguments.calls(tool), range(1), strict=False))


def _inserted(subject: Subject, at: int, call: Call) -> Mutant:
    where = "before the finish" if at == subject.finish_at else "at the beginning"
    return Mutant(
        subject.with_(at, call),
        f"{spelled(call)} is called too, {where}, which only reads",
        inserted=at,
    )
