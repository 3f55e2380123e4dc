"""Opened: an argument that the intent leaves open has another value, or one at all. The goal must still be met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worlds.relations.likeness import fields_of
from worlds.relations.othervalue import accepts, other_values
from worlds.relations.subject import Mutant, Subject, Taken
from worlds.step import Call

EACH = 2
WORDS = "As the user wishes."
"""A short text that nobody asked for."""


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Each `tool.argument` of `open`: wherever the plan sets it, then wherever it leaves a text out and writes."""
    left_open = {entry.partition(".")[::2] for entry in subject.world.bundle.intent.open}
    for taken in subject.taken:
        for name, value in sorted(taken.call.args.items()):
            if (taken.call.tool, name) in left_open and taken.call.tool in subject.world.tools:
                others = other_values(_schema(subject, taken, name), value)
                for other, _ in zip(others, range(EACH), strict=False):
                    yield _with(subject, taken, name, other, "is")
    for taken in subject.writes:
        for tool, name in sorted(left_open):
            is_left_out = tool == taken.call.tool and name not in taken.call.args
            if is_left_out and accepts(_schema(subject, taken, name), WORDS):
                yield _with(subject, taken, name, WORDS, "is given as well:")


def _schema(subject: Subject, taken: Taken, name: str) -> Mapping[str, Any]:
    _, _, tool = subject.world.tools[taken.call.tool]
    return fields_of(tool.schema).get(name, {})


def _with(subject: Subject, taken: Taken, name: str, value: Any, how: str) -> Mutant:
    call = Call(tool=taken.call.tool, args={**taken.call.args, name: value})
    what = f"{name} of {taken.call.tool} (step {taken.step.index}), which the intent leaves open, {how} {value!r}"
    return Mutant(subject.instead(taken.at, call), what, taken.step.index)
