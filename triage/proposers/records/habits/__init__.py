"""What is so in all other rows of a table, though nothing says that it must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from triage.proposers.records.ground import Ground
from triage.proposers.records.habits.amounts import identities
from triage.proposers.records.habits.dependencies import from_children, functional, paths
from triage.proposers.records.habits.habit import Habit
from triage.proposers.records.habits.moments import moments
from triage.proposers.records.habits.relation import Relation, relations
from triage.proposers.records.habits.wording import wordings
from worlds.records import Row

__all__ = ["Habit", "Relation", "expected", "habits_of", "relations_of"]


@lru_cache(maxsize=2)
def relations_of(ground: Ground) -> list[Relation]:
    """Its tables and the lists in their rows."""
    return relations(ground)


@lru_cache(maxsize=2)
def habits_of(ground: Ground) -> Mapping[str, list[Habit]]:
    """By table; those that hold most often first."""
    found: dict[str, list[Habit]] = defaultdict(list)
    for relation in relations_of(ground):
        if len(relation.records) >= 4:
            found[relation.table] += _of(ground, relation)
    return {table: sorted(habits, key=lambda each: -each.chance) for table, habits in found.items()}


def _of(ground: Ground, relation: Relation) -> Iterator[Habit]:
    yield from identities(ground, relation)
    yield from paths(ground, relation)
    yield from from_children(ground, relation)
    yield from moments(relation)
    yield from wordings(relation)
    yield from functional(relation)


def expected(
    ground: Ground, table: str, key: str, row: Row, field: str
) -> Iterator[tuple[Any, Habit]]:
    """What the habits of a table say that a field of a row should have."""
    for each in habits_of(ground).get(table, ()):
        if each.field == field and not each.relation.path:
            for value in each.tells((key, ""), row)[:4]:
                yield value, each
