"""Twice: a call that wrote is made once more. Where that has another effect, the goal must miss it."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.relations.subject import Mutant, Subject


def mutants(subject: Subject) -> Iterator[Mutant]:
    """The last write first."""
    if subject.pins_effect:
        return
    for taken in reversed(subject.writes):
        step = taken.step.index
        yield Mutant(
            subject.with_(taken.at + 1, taken.call.model_copy()),
            f"step {step}, {taken.call.tool}, is carried out twice",
            step,
            inserted=taken.at + 1,
        )
