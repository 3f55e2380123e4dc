"""Metamorphic relations: changed copies of an episode that met the goal, and whether they must meet it too.

Nobody has to say what the right outcome is. What leaves a wanted change out, makes it elsewhere or makes more than was
asked must not meet the goal; what differs by nothing that matters must.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from worlds.relations import (
    applies,
    extrafield,
    insertedread,
    merged,
    named,
    opened,
    respelled,
    sibling,
    spelling,
    stray,
    twice,
    undo,
    unordered,
)
from worlds.relations.applies import Applies
from worlds.relations.subject import Mutant, Subject


@dataclass(frozen=True)
class Relation:
    """How episodes are changed, and what follows where the goal judges the change wrongly."""

    code: str
    should: Literal[0, 1]
    """The reward that a changed episode must have."""
    mutants: Callable[[Subject], Iterator[Mutant]]
    applies: Applies
    """Whether a mutant that was played says anything."""
    is_guess: bool = False
    """Whether it rests on a guess about meaning, so that it only ever warns."""
    calls: int = 30
    """Calls that all its mutants together may cost."""


RELATIONS: Mapping[str, Relation] = {
    "undo": Relation("goal-blind", 0, undo.mutants, applies.differs),
    "twice": Relation("goal-blind", 0, twice.mutants, applies.doubles),
    "sibling": Relation("goal-blind", 0, sibling.mutants, applies.differs_alone),
    "stray write": Relation("goal-blind", 0, stray.mutants, applies.strays),
    "extra field": Relation("goal-blind", 0, extrafield.mutants, applies.adds_fields),
    "other value": Relation("goal-blind", 0, named.mutants, applies.differs_alone, is_guess=True),
    "inserted read": Relation("goal-narrow", 1, insertedread.mutants, applies.reads_more),
    "open argument": Relation("goal-narrow", 1, opened.mutants, applies.is_accepted),
    "other words": Relation("goal-narrow", 1, respelled.worded, applies.is_alike),
    "merged updates": Relation("goal-narrow", 1, merged.mutants, applies.merges),
    "other order": Relation("order-sensitive", 1, unordered.mutants, applies.is_alike),
    "other case": Relation("spelling-sensitive", 1, respelled.cased, applies.is_alike),
    "other spelling": Relation("spelling-sensitive", 1, spelling.mutants, applies.is_alike),
}
"""Every relation by the name that findings and counterexamples give it."""
