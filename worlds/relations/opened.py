"""Opened: an argument that the intent leaves open has another value. The goal must still be met."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.relations.likeness import fields_of
from worlds.relations.othervalue import other_values
from worlds.relations.subject import Mutant, Subject
from worlds.step import Call

EACH = 2


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Each `tool.argument` of `open`, wherever the plan sets it."""
    left_open = {entry.partition(".")[::2] for entry in subject.world.bundle.intent.open}
    for taken in subject.taken:
        for name, value in sorted(taken.call.args.items()):
            if (
                taken.call.tool,
                name,
            ) not in left_open or taken.call.tool not in subject.world.tools:
                continue
            _, _, tool = subject.world.tools[taken.call.tool]
            schema = fields_of(tool.schema).get(name, {})
            for other, _ in zip(other_values(schema, value), range(EACH), strict=False):
                call = Call(tool=taken.call.tool, args={**taken.call.args, name: other})
                what = (
                    f"{name} of {taken.call.tool} (step {taken.step.index}), which the intent leaves open, "
                    f"is {other!r}"
                )
                yield Mutant(subject.instead(taken.at, call), what, taken.step.index)
