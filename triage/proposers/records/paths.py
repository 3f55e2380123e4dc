"""Places inside a row: `items.0.price`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worlds.records import Row

MISSING: Any = object()
"""Where nothing stands; null is something."""
DEEPEST = 4
MOST = 60
"""Leaves of one row that are looked at."""


def value_at(row: Any, path: str) -> Any:
    """What stands there, or MISSING."""
    value = row
    for step in path.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return MISSING
    return value


def with_value(row: Row, path: str, value: Any) -> Row:
    """The row with another value there, or with none (MISSING); as it was where nothing can stand there."""
    changed: Row = _with(row, path.split("."), value)
    return changed


def _with(inside: Any, steps: list[str], value: Any) -> Any:
    head, rest = steps[0], steps[1:]
    if isinstance(inside, list) and head.isdecimal() and int(head) < len(inside):
        at = int(head)
        new = _with(inside[at], rest, value) if rest else value
        return [*inside[:at], *([] if new is MISSING else [new]), *inside[at + 1 :]]
    if isinstance(inside, dict) and (not rest or head in inside):
        new = _with(inside[head], rest, value) if rest else value
        kept = {name: each for name, each in inside.items() if name != head or new is not MISSING}
        return kept if new is MISSING else {**kept, head: new}
    return inside


def leaves(row: Row, within: str = "") -> list[str]:
    """The paths of all values that are no lists or objects of more, and of short lists as a whole."""
    return list(_leaves(row, within, 0))[:MOST]


def _leaves(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, (dict, list)) and depth < DEEPEST:
        if isinstance(value, list) and path and not any(isinstance(each, dict) for each in value):
            yield path
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inside in steps:
            yield from _leaves(inside, f"{path}.{step}" if path else str(step), depth + 1)
    elif path:
        yield path
