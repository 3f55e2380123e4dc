"""Faults of contracts: tables that say of sound rows what is not so, and let through what is not sound."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.mutation import Original, Site, edited, fault, without
from benchmarks.operators.development.cel_text import OPPOSITE, comparisons
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
    "reference-to-wrong-table",
    "domain",
    "A field is said to name rows of another table than it does.",
)
def reference_to_wrong_table(original: Original) -> Iterator[Site]:
    tables = list(original.domain["tables"])
    for table, contract in original.domain["tables"].items():
        for index, each in enumerate(contract.get("references", [])):
            other = tables[(tables.index(each["to"]) + 1) % len(tables)]
            place = ("tables", table, "references", index, "to")
            yield _site(original, place, other, f"tables.{table}.references[{each['from']}]")


@fault("reference-missing", "domain", "Nothing says which table a field names rows of.")
def reference_missing(original: Original) -> Iterator[Site]:
    for table, contract in original.domain["tables"].items():
        for index, each in enumerate(contract.get("references", [])):
            changed = partial(without, original.domain, ("tables", table, "references", index))
            place = f"tables.{table}.references[{each['from']}]"
            yield Site(DOMAIN, place, changed, intent_about(original, table))


@fault(
    "invariant-negated", "domain", "An invariant holds of what is not sound, and of nothing else."
)
def invariant_negated(original: Original) -> Iterator[Site]:
    for index, each in enumerate(original.domain["invariants"]):
        place = ("invariants", index, "require")
        yield _site(original, place, f"!({each['require']})", f"invariants[{each['id']}]")


@fault(
    "invariant-comparison-flipped", "domain", "A comparison of an invariant is the wrong way round."
)
def invariant_comparison_flipped(original: Original) -> Iterator[Site]:
    for index, each in enumerate(original.domain["invariants"]):
        text = each["require"]
        for found in comparisons(text):
            said = found.signed(text, OPPOSITE[found.sign])
            place = ("invariants", index, "require")
            yield _site(original, place, said, f"invariants[{each['id']}]@{found.start}")


@fault("invariant-of-wrong-table", "domain", "An invariant is asked of the rows of another table.")
def invariant_of_wrong_table(original: Original) -> Iterator[Site]:
    tables = list(original.domain["tables"])
    for index, each in enumerate(original.domain["invariants"]):
        other = tables[(tables.index(each["table"]) + 1) % len(tables)]
        yield _site(
            original, ("invariants", index, "table"), other, f"invariants[{each['id']}].table"
        )


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


@fault("enum-lacks-value", "domain", "A value that rows have, or get, is not among those allowed.")
def enum_lacks_value(original: Original) -> Iterator[Site]:
    for table, field, schema in _fields(original):
        for index, value in enumerate(schema.get("enum", [])):
            changed = partial(without, original.domain, (*_place(table, field), "enum", index))
            place = f"tables.{table}.{field} {value}"
            yield Site(DOMAIN, place, changed, intent_about(original, table, [field]))


@fault("field-invented", "domain", "A schema demands a field that no row has.")
def field_invented(original: Original) -> Iterator[Site]:
    for table, contract in original.domain["tables"].items():
        schema = contract["schema"]
        required = [*schema.get("required", []), "updated_at"]
        place = ("tables", table, "schema", "required")
        yield _site(original, place, required, f"tables.{table}.updated_at")


@fault("field-unknown", "domain", "A schema does not know a field that rows have.")
def field_unknown(original: Original) -> Iterator[Site]:
    for table, field, _ in _fields(original):
        if field != original.key_field(table):
            changed = partial(_forgotten, original, table, field)
            touches = intent_about(original, table, [field])
            yield Site(DOMAIN, f"tables.{table}.{field}", changed, touches)


def _forgotten(original: Original, table: str, field: str) -> Mapping[str, Any]:
    required = original.domain["tables"][table]["schema"].get("required", [])
    rest = [each for each in required if each != field]
    smaller = without(original.domain, _place(table, field))
    return edited(smaller, ("tables", table, "schema", "required"), rest)


@fault("volatile-too-wide", "domain", "Changes of a whole table are said to mean nothing.")
def volatile_too_wide(original: Original) -> Iterator[Site]:
    changed = {
        entry.split("/")[0]
        for intent in original.intents.values()
        for entry in intent["goal"].get("changes") or []
    }
    for table in sorted(changed):
        volatile = [*original.domain.get("volatile", []), f"{table}/*"]
        yield _site(original, ("volatile",), volatile, f"volatile {table}")


@fault("key-wrong", "domain", "Rows of a table are told apart by a field that is no key of them.")
def key_wrong(original: Original) -> Iterator[Site]:
    for table, contract in original.domain["tables"].items():
        fields = contract["schema"]["properties"]
        others = [name for name in fields if name.endswith(("_id", "name"))]
        for name in [each for each in others if each != contract["key"]][:1]:
            yield _site(original, ("tables", table, "key"), name, f"tables.{table}.key {name}")
