"""Named: a value that the user named is exchanged for another one. The goal should miss it.

That the user meant it so is a guess, and so what is found is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from worlds.answers import mentioned
from worlds.contract import row_shape
from worlds.relations.likeness import WORDED, declared, fields_of, written
from worlds.relations.othervalue import other_values
from worlds.relations.respelled import is_quoted
from worlds.relations.subject import Mutant, Subject, Taken, texts
from worlds.step import Call

TRIED = 4
"""Other values for one argument, until a tool accepts one."""
SHORTEST = 2
"""Characters of a text that is taken for named: a letter stands in every sentence."""


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Arguments of calls that wrote, the last call's first."""
    if subject.pins_effect:
        return
    said = _said(subject)
    left_open = {*subject.world.bundle.intent.open}
    for taken in reversed(subject.writes):
        properties = fields_of(subject.world.tools[taken.call.tool][2].schema)
        free = _free(subject, taken)
        for name, value in sorted(taken.call.args.items()):
            if f"{taken.call.tool}.{name}" in left_open or value in free:
                continue
            if not _is_named(value, said):
                continue
            others = other_values(properties.get(name, {}), value)
            for other in islice((each for each in others if not _says(each, value)), TRIED):
                call = Call(tool=taken.call.tool, args={**taken.call.args, name: other})
                step = taken.step.index
                what = f"{name} of {taken.call.tool} (step {step}) is {other!r}, though the user named {value!r}"
                yield Mutant(subject.instead(taken.at, call), what, step)


def _free(subject: Subject, taken: Taken) -> list[Any]:
    """Keys of rows, which the sibling relation looks at, and texts of which only the meaning counts."""
    domain, tables = subject.world.bundle.domain, subject.world.base.tables
    keys = [
        text for text in texts(taken.call.args) if any(text in rows for rows in tables.values())
    ]
    return keys + [
        text
        for change in taken.changes
        for text in declared(written(change), row_shape(domain, change["table"]), WORDED)
        if not is_quoted(text, subject.world.opening)
    ]


def _says(other: Any, value: Any) -> bool:
    """Whether the value still stands in the other one."""
    return isinstance(other, str) and isinstance(value, str) and value in other


def _said(subject: Subject) -> list[str]:
    """What the user says, or would when asked."""
    intent = subject.world.bundle.intent
    knows = subject.world.rendered(intent.user.knows) if intent.user else {}
    return [subject.world.opening, *subject.trial.play.heard, *texts(knows)]


def _is_named(value: Any, said: list[str]) -> bool:
    if isinstance(value, str):
        return len(value) >= SHORTEST and mentioned(value, said)
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and mentioned(value, said)
    )
