"""Schemas that refuse what sound rows say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jsonschema_rs

from triage.proposers.case import Case, Spot
from triage.proposers.conditions.bodyedit import BodyEdit
from triage.proposers.contract.tablerows import Row, TableRows
from worlds.contract import row_validator
from worlds.domain import Domain, Table

BOUNDS = (
    "pattern", "format", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
)  # fmt: skip
TYPES: Sequence[tuple[type, str]] = (
    (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"),
)  # fmt: skip
NEVER = re.compile(r"(\w+) is never (.+): its schema allows (.+)\.$")
CODES = {"row-invalid", "condition-invalid", "arguments-invalid", "tool-crash", "plan-refused"}
MOST_TABLES = 40


def schema_edits(case: Case, _spot: Spot, domain: Domain, rows: TableRows) -> Iterator[BodyEdit]:
    """Each field's schema so that it takes what rows say."""
    if not case.codes & CODES:
        return
    for name, table in list(domain.tables.items())[:MOST_TABLES]:
        yield from _fields(name, table, rows)
        yield from _whole(name, table, rows)
    yield from _asked(case, domain)


def _fields(name: str, table: Table, rows: TableRows) -> Iterator[BodyEdit]:
    properties = table.schema_.get("properties")
    there = rows.of(name)
    for field, schema in properties.items() if isinstance(properties, Mapping) else ():
        values = [row[field] for row in there if field in row]
        refused = _refused(schema, values)
        if not refused:
            continue
        # One odd row is a row that is wrong; many are a schema that is.
        share = len(refused) / len(values)
        likelihood = 0.9 if share > 0.15 else 0.7 if len(refused) > 2 else 0.35
        for made, says in _wider(schema, values, refused):
            why = f"{len(refused)} of {len(values)} rows of {name} have such a value in {field}"
            place = ("tables", name, "schema", "properties", field)
            yield BodyEdit(name, {place: made}, f"{says} in {name}.{field}", likelihood, why)


def _refused(schema: Any, values: Sequence[Any]) -> list[Any]:
    try:
        validator = row_validator(schema)
    except (jsonschema_rs.ValidationError, TypeError, ValueError):
        return []
    return [value for value in values if not validator.is_valid(value)]


def _wider(
    schema: Mapping[str, Any], values: Sequence[Any], refused: Sequence[Any]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The schema with one of its words changed that takes all values."""
    for made, says in _looser(schema, refused):
        if not _refused(made, values):
            yield made, says


def _looser(
    schema: Mapping[str, Any], refused: Sequence[Any]
) -> Iterator[tuple[Mapping[str, Any], str]]:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else list(types)
    more = [each for each in _types(refused) if each not in types]
    if types and len(more) == 1 and more != ["null"]:
        yield {**schema, "type": more[0]}, f"Say {more[0]}"
    if types and more:
        yield {**schema, "type": [*types, *more]}, f"Allow {' and '.join(more)}"
    if isinstance(schema.get("enum"), list):
        texts = [each for each in refused if isinstance(each, (str, int, type(None)))]
        added = list(dict.fromkeys(texts))
        if added:
            yield (
                {**schema, "enum": [*schema["enum"], *added]},
                f"Allow {', '.join(map(str, added[:3]))}",
            )
    for word in BOUNDS:
        if word in schema:
            yield {key: each for key, each in schema.items() if key != word}, f"Ask for no `{word}`"


def _types(values: Sequence[Any]) -> list[str]:
    found = list(dict.fromkeys(_type(value) for value in values))
    return [each for each in found if each != "integer" or "number" not in found]


def _type(value: Any) -> str:
    return next((name for kind, name in TYPES if isinstance(value, kind)), "null")


def _whole(name: str, table: Table, rows: TableRows) -> Iterator[BodyEdit]:
    """Fields that are required and many rows lack; fields that rows have and the schema does not."""
    schema, there = table.schema_, rows.of(name)
    required = [each for each in schema.get("required", ()) if isinstance(each, str)]
    for field in required:
        lacking = sum(field not in row for row in there)
        if lacking * 4 > len(there):
            rest = [each for each in required if each != field]
            why = f"{lacking} of {len(there)} rows of {name} have no {field}"
            says = f"Do not require {field} of {name}"
            yield BodyEdit(name, {("tables", name, "schema", "required"): rest}, says, 0.6, why)
    properties = schema.get("properties")
    if schema.get("additionalProperties") is False and isinstance(properties, Mapping):
        yield from _unknown(name, properties, there)


def _unknown(name: str, properties: Mapping[str, Any], rows: Sequence[Row]) -> Iterator[BodyEdit]:
    fields = dict.fromkeys(field for row in rows for field in row if field not in properties)
    for field in list(fields)[:5]:
        types = _types([row[field] for row in rows if field in row])
        made = {"type": types[0] if len(types) == 1 else types}
        having = sum(field in row for row in rows)
        why = f"{having} of {len(rows)} rows of {name} have {field}"
        place = ("tables", name, "schema", "properties", field)
        likelihood = 0.8 if having * 4 > len(rows) else 0.35
        yield BodyEdit(name, {place: made}, f"Know {field} of {name}", likelihood, why)


def _asked(case: Case, domain: Domain) -> Iterator[BodyEdit]:
    """Values that conditions ask for, and a schema does not know."""
    for message in {found.message for seen in case.seen for found in seen.findings}:
        match = NEVER.search(message)
        if match is None:
            continue
        field, allowed = match.group(1), match.group(3)
        values = re.findall(r"'([^']*)'", match.group(2))
        for name, table in domain.tables.items():
            schema = (table.schema_.get("properties") or {}).get(field)
            there = schema.get("enum") if isinstance(schema, Mapping) else None
            if isinstance(there, list) and ", ".join(map(str, there)) == allowed:
                place = ("tables", name, "schema", "properties", field, "enum")
                says = f"Allow {', '.join(values)} in {name}.{field}"
                yield BodyEdit(name, {place: [*there, *values]}, says, 0.4, message)
