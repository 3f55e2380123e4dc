"""Another value in a value's place, one that a JSON Schema allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema_rs

from worlds.contract import row_validator
from worlds.diff import same


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a schema allows a value."""
    try:
        return bool(row_validator(dict(schema)).is_valid(value))
    except jsonschema_rs.ValidationError:
        return False  # no schema at all: `worlds.recordcheck` tells


def other_values(schema: Any, value: Any) -> Iterator[Any]:
    """Values that fit and are not this one, the likeliest first."""
    try:
        validator = row_validator(dict(schema) if isinstance(schema, Mapping) else {})
    except jsonschema_rs.ValidationError:
        return  # no schema at all: `worlds.recordcheck` tells
    seen = [value]
    for other in _tried(schema, value):
        if not any(same(other, one) for one in seen) and validator.is_valid(other):
            seen.append(other)
            yield other


def _tried(schema: Any, value: Any) -> Iterator[Any]:
    given = dict(schema) if isinstance(schema, Mapping) else {}
    yield from given.get("enum", ())
    for branch in ("anyOf", "oneOf"):
        for each in given.get(branch, ()):
            yield from _tried(each, value)
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list):
        yield from _lists(given, value)
    elif isinstance(value, dict):
        yield from _objects(given, value)
    else:
        yield from ("something else", 1, True)


PLACES = 4


def _texts(value: str) -> Iterator[str]:
    """One character turned, from the end: a date or a key stays one; then words more."""
    places = [at for at, letter in enumerate(value) if letter.isascii() and letter.isalnum()]
    for at in reversed(places[-PLACES:] if value[-1:].isdigit() else places[-1:]):
        turned = {"9": "8", "z": "y", "Z": "Y"}.get(value[at], chr(ord(value[at]) + 1))
        yield value[:at] + turned + value[at + 1 :]
    yield f"{value} and more"
    yield "something else"


def _lists(schema: dict[str, Any], value: list[Any]) -> Iterator[list[Any]]:
    if value:
        yield value[:-1]
        for other in other_values(schema.get("items", {}), value[-1]):
            yield [*value[:-1], other]
    else:
        yield ["something else"]


def _objects(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    extra = schema.get("additionalProperties")
    for name in sorted(value):
        inner = schema.get("properties", {}).get(name, extra)
        for other in other_values(inner, value[name]):
            yield {**value, name: other}
            break
