"""Merged: two calls of one tool, one after the other, are made as one. The goal must still be met."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from worlds.relations.subject import Mutant, Subject
from worlds.step import Call


def mutants(subject: Subject) -> Iterator[Mutant]:
    """Neighbours that differ only in lists, or in which optional arguments they set."""
    for one, other in pairwise(subject.writes):
        if other.at != one.at + 1 or one.call.tool != other.call.tool:
            continue
        args = _together(one.call.args, other.call.args)
        if args is not None:
            call = Call(tool=one.call.tool, args=args)
            actions = (*subject.actions[: one.at], call, *subject.actions[other.at + 1 :])
            what = f"steps {one.step.index} and {other.step.index}, both {call.tool}, are made as one call"
            yield Mutant(actions, what, one.step.index)


def _together(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Both calls' arguments in one; None where they cannot be, or are the same."""
    merged = {**one, **other}
    for name in one.keys() & other.keys():
        if one[name] == other[name]:
            continue
        if not isinstance(one[name], list) or not isinstance(other[name], list):
            return None
        merged[name] = [*one[name], *(item for item in other[name] if item not in one[name])]
    return None if merged in (one, other) else merged
