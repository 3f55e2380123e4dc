"""JSON Schemas of arguments, with what they refer to written out."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
DEEPEST = 6
"""References within references; a schema that refers to itself would have no end."""


def inlined(schema: Schema) -> Schema:
    """The schema with its `$ref`s to its own `$defs` replaced by what they name."""
    definitions = {
        f"#/{word}/{name}": value
        for word in ("$defs", "definitions")
        for name, value in schema.get(word, {}).items()
    }
    found = _inlined(schema, definitions, DEEPEST)
    assert isinstance(found, dict)  # noqa: S101  # as it was given
    return found


def _inlined(value: Any, definitions: dict[str, Schema], depth: int) -> Any:
    if isinstance(value, list):
        return [_inlined(item, definitions, depth) for item in value]
    if not isinstance(value, dict):
        return value
    named = definitions.get(value.get("$ref", ""))
    if named is not None:
        beside = {key: item for key, item in value.items() if key != "$ref"}
        return _inlined({**named, **beside}, definitions, depth - 1) if depth else {}
    return {
        key: _inlined(item, definitions, depth)
        for key, item in value.items()
        if key not in ("$defs", "definitions")
    }


def kind_of(schema: Schema) -> str:
    """The JSON type that an argument has, `null` left aside; empty when it does not say."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next((kind for kind in kinds if kind != "null"), "")
    return str(kinds or "")


def plain(schema: Schema) -> Schema:
    """The first alternative that is not null, with the description of the whole."""
    for word in ("anyOf", "oneOf"):
        for choice in schema.get(word, ()):
            if choice.get("type") != "null":
                return {**{k: v for k, v in schema.items() if k != word}, **choice}
    return schema
