"""Undo: one call that wrote is left out. The goal must miss it."""

from __future__ import annotations

from collections.abc import Iterator

from worlds.relations.subject import Mutant, Subject


def mutants(subject: Subject) -> Iterator[Mutant]:
    """The last write first: least has to be played again."""
    if subject.pins_effect:
        return
    for taken in reversed(subject.writes):
        step = taken.step.index
        what = f"step {step}, {taken.call.tool}, is left out"
        yield Mutant(subject.without(taken.at), what, step)
