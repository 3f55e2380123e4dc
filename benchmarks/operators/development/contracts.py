"""Faults of contracts: tables that say of sound rows what is not so, and let through what is not sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, fault
from benchmarks.operators.development.relevance import intent_about

DOMAIN = "domain"


def _site(original: Original, place: tuple[str | int, ...], value: Any, name: str) -> Site:
    touches = intent_about(original, _table(original, place, value))
    return Site(DOMAIN, name, partial(edited, original.domain, place, value), touches)


def _table(original: Original, place: tuple[str | int, ...], value: Any) -> str:
    """The table that a place of the contract is about."""
    match place:
        case "tables", str(table), *_:
            return table
        case "invariants", int(index), *_:
            return str(original.domain["invariants"][index]["table"])
        case _:
            return str(value[-1]).removesuffix("/*")


@fault(
    "invariant-negated", "domain", "An invariant holds of what is not sound, and of nothing else."
)
def invariant_negated(original: Original) -> Iterator[Site]:
    for index, each in enumerate(original.domain["invariants"]):
        place = ("invariants", index, "require")
        yield _site(original, place, f"!({each['require']})", f"invariants[{each['id']}]")


def _fields(original: Original) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for table, contract in original.domain["tables"].items():
        for field, schema in contract["schema"]["properties"].items():
            yield table, field, schema


def _place(table: str, field: str) -> tuple[str | int, ...]:
    return "tables", table, "schema", "properties", field


def _values(original: Original, table: str, field: str) -> list[Any]:
    """What sound rows of any records set say there."""
    return [
        row[field]
        for document in original.records.values()
        for row in document["tables"].get(table, [])
        if field in row
    ]


@fault("schema-narrowed", "domain", "A schema refuses what sound rows say.")
def schema_narrowed(original: Original) -> Iterator[Site]:
    for table, field, schema in _fields(original):
        narrow = _narrower(schema, _values(original, table, field))
        if narrow is not None:
            yield _site(original, _place(table, field), narrow, f"tables.{table}.{field}")


def _narrower(schema: Mapping[str, Any], values: list[Any]) -> Mapping[str, Any] | None:
    numbers = [each for each in values if isinstance(each, int) and not isinstance(each, bool)]
    texts = {each for each in values if isinstance(each, str)}
    if numbers:
        return {**schema, "maximum": max(numbers) - 1}
    if schema.get("type") == "string" and len({len(each) for each in texts}) > 1:
        return {**schema, "maxLength": max(len(each) for each in texts) - 1}
    if schema.get("type") == "string" and texts:
        return {**schema, "pattern": "^[0-9]+$"} if not min(texts).isdigit() else None
    if schema.get("type") == "array" and any(len(each) > 1 for each in values):
        return {**schema, "maxItems": 1}
    return None


@fault("null-refused", "domain", "A field that may be empty is said to be always filled.")
def null_refused(original: Original) -> Iterator[Site]:
    for table, field, schema in _fields(original):
        kinds = schema.get("type")
        if isinstance(kinds, list) and None in _values(original, table, field):
            narrow = {**schema, "type": next(kind for kind in kinds if kind != "null")}
            yield _site(original, _place(table, field), narrow, f"tables.{table}.{field}")


@fault("key-wrong", "domain", "Rows of a table are told apart by a field that is no key of them.")
def key_wrong(original: Original) -> Iterator[Site]:
    for table, contract in original.domain["tables"].items():
        fields = contract["schema"]["properties"]
        others = [name for name in fields if name.endswith(("_id", "name"))]
        for name in [each for each in others if each != contract["key"]][:1]:
            yield _site(original, ("tables", table, "key"), name, f"tables.{table}.key {name}")
