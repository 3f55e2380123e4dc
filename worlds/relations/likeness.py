"""What a domain declares to be no difference: the order of a list, the case of a text, its wording.

Declared beside a field in a table's schema: `x-unordered: true` (a list), `x-pairs: other_field` (a list that runs
parallel to another one of the same object), `x-caseless: true` and `x-text: true` (texts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from worlds.canonical import canonical
from worlds.contract import row_shape
from worlds.diff import Diff
from worlds.domain import Domain

UNORDERED, PAIRS, CASELESS, WORDED = "x-unordered", "x-pairs", "x-caseless", "x-text"


def alike(diff: Diff, domain: Domain) -> str:
    """One text for all effects (masked, without volatile parts) that differ by nothing that matters."""
    return canonical([_change(change, domain) for change in diff])


def _change(change: dict[str, Any], domain: Domain) -> list[Any]:
    schema = row_shape(domain, change["table"])
    return [change["table"], change["key"], change["op"], settled(written(change), schema)]


def written(change: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a change wrote, with their values."""
    if change["op"] == "update":
        sides = change["fields"].items()
        return {name: each["after"] for name, each in sides if "after" in each}
    return dict(change["row"])


def settled(value: Any, schema: Any) -> Any:
    """`value` with what is declared to be no difference taken out."""
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, str):
        if schema.get(WORDED):
            return ""
        return value.casefold() if schema.get(CASELESS) else value
    if isinstance(value, list):
        items = [settled(item, schema.get("items")) for item in value]
        return sorted(items, key=canonical) if schema.get(UNORDERED) else items
    return _object(value, schema) if isinstance(value, Mapping) else value


def _object(value: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    properties, extra = fields_of(schema), schema.get("additionalProperties")
    result = {name: settled(item, properties.get(name, extra)) for name, item in value.items()}
    for name, other in pairs(value, properties):
        together = zip(value[name], value[other], strict=True)
        result[name] = sorted(([one, two] for one, two in together), key=canonical)
        result[other] = []
    return result


def pairs(
    value: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, str]]:
    """The fields of an object whose lists run parallel, and are there with one length."""
    for name, spec in properties.items():
        other = spec.get(PAIRS)
        if isinstance(other, str):
            one, two = value.get(name), value.get(other)
            if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
                yield name, other


def fields_of(schema: Any) -> dict[str, Mapping[str, Any]]:
    """What a schema says of the fields of an object, those of which it says something."""
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    return {name: spec for name, spec in properties.items() if isinstance(spec, Mapping)}


def declared(value: Any, schema: Any, mark: str) -> Iterator[Any]:
    """Every value inside `value` that is declared so."""
    if not isinstance(schema, Mapping):
        return
    if schema.get(mark):
        yield value
    if isinstance(value, Mapping):
        properties, extra = fields_of(schema), schema.get("additionalProperties")
        for name, item in value.items():
            yield from declared(item, properties.get(name, extra), mark)
    elif isinstance(value, list):
        for item in value:
            yield from declared(item, schema.get("items"), mark)


def together(value: Any, schema: Any, mark: str) -> Iterator[list[Any]]:
    """The values that are declared so, those of one object in one list."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping):
        properties, extra = fields_of(schema), _of(schema, "additionalProperties")
        inner = [(item, properties.get(name, extra)) for name, item in value.items()]
        yield [item for item, spec in inner if _of(spec, mark)]
    elif isinstance(value, list):
        inner = [(item, _of(schema, "items")) for item in value]
        yield from ([item] for item, spec in inner if _of(spec, mark))
    for item, spec in inner:
        yield from together(item, spec, mark)


def _of(schema: Any, word: str) -> Any:
    return schema.get(word) if isinstance(schema, Mapping) else None
