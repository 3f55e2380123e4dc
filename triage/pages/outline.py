"""A body as indented lines, each at its place (`goal.require[0]`), for people to read and to link to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

LONG = 100
CONDITION = re.compile(r"^define\.\w+$|\.(require|when|where|equals)(\[\d+\])?$")
"""The places of conditions in a body."""


@dataclass(frozen=True)
class Line:
    """`key: text` at `depth`, in a body at each of `places`."""

    depth: int
    places: tuple[str, ...]
    key: str
    text: str = ""
    look: str = ""
    """`text`, `number` or `word` (true, false, null, nothing in it); empty where only the key stands."""
    is_item: bool = False
    """Whether an item of a list begins here."""

    @property
    def is_condition(self) -> bool:
        """Whether the text is an expression."""
        return self.look == "text" and CONDITION.search(self.places[-1]) is not None

    @property
    def is_prose(self) -> bool:
        """Whether the text wants lines of its own."""
        return self.look == "text" and ("\n" in self.text.strip() or len(self.text) > LONG)


def outline(content: Any) -> list[Line]:
    """The lines of any JSON value."""
    if not _is_full(content):
        return [Line(0, ("",), "", *_leaf(content))]
    return list(_lines(content, 0, ""))


def _lines(value: Any, depth: int, place: str) -> Iterator[Line]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entry(str(key), item, depth, f"{place}.{key}" if place else str(key))
    else:
        for number, item in enumerate(value):
            yield from _item(item, depth + 1, f"{place}[{number}]")


def _entry(key: str, item: Any, depth: int, place: str) -> Iterator[Line]:
    if not _is_full(item):
        yield Line(depth, (place,), key, *_leaf(item))
        return
    yield Line(depth, (place,), key)
    yield from _lines(item, depth + isinstance(item, dict), place)


def _item(item: Any, depth: int, place: str) -> Iterator[Line]:
    if not _is_full(item):
        yield Line(depth, (place,), "", *_leaf(item), is_item=True)
        return
    inner = _lines(item, depth, place)
    first = next(inner)
    yield replace(first, places=(place, *_named(item, place), *first.places), is_item=True)
    yield from inner


def _named(item: Any, place: str) -> tuple[str, ...]:
    """An item that has an id is also found by that: `clauses.pending-only`."""
    name = item.get("id") if isinstance(item, dict) else None
    return (f"{place.rpartition('[')[0]}.{name}",) if isinstance(name, str) else ()


def _is_full(value: Any) -> bool:
    return isinstance(value, (dict, list)) and bool(value)


def _leaf(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return value, "text"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return json.dumps(value), "number" if is_number else "word"
