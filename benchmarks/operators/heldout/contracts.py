"""Faults of contracts: tables, references and invariants that do not fit the rows which tools write."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Place, Site, edited, fault
from benchmarks.operators.heldout.conditions import stronger
from benchmarks.operators.heldout.rows import properties

OTHER_TYPES = {"string": "number", "number": "string", "integer": "string", "boolean": "string"}
ADDED = ("created_by", "version")


def contract(original: Original, what: str, place: Place, value: Any) -> Site:
    """The contract with another value at a place."""
    named = ".".join(map(str, place))
    changed = partial(edited, original.domain, place, value)
    return Site("domain", f"{named}: {what}" if what else named, changed)


def used_tables(original: Original) -> list[str]:
    """The tables that some environment speaks of a row of."""
    return sorted({table for _, table, _ in original.bound})


def invariants(original: Original) -> Iterator[tuple[int, Document]]:
    """The invariants with their numbers."""
    yield from enumerate(original.domain.get("invariants", []))


@fault("invariant-tightened", "domain", "An invariant asks for more, so that sound rows break it.")
def invariant_tightened(original: Original) -> Iterator[Site]:
    for index, each in invariants(original):
        for change in stronger(each["require"]):
            place = ("invariants", index, "require")
            yield contract(original, change.what, place, change.text)


@fault("required-field-added", "domain", "A table asks for a field that nobody fills in.")
def required_field_added(original: Original) -> Iterator[Site]:
    for table in used_tables(original):
        schema = original.domain["tables"][table]["schema"]
        for name in ADDED:
            new = {
                **schema,
                "properties": {**schema["properties"], name: {"type": "string"}},
                "required": [*schema.get("required", []), name],
            }
            yield contract(original, name, ("tables", table, "schema"), new)


@fault(
    "type-changed",
    "domain",
    "A field is of another type than what is written to it, or may not be empty.",
)
def type_changed(original: Original) -> Iterator[Site]:
    for table in used_tables(original):
        for name, schema in properties(original, table).items():
            place = ("tables", table, "schema", "properties", name)
            kind = schema.get("type")
            if isinstance(kind, list) and "null" in kind:
                rest = [each for each in kind if each != "null"]
                yield contract(original, "never null", (*place, "type"), rest[0])
            elif isinstance(kind, str) and kind in OTHER_TYPES and "pattern" not in schema:
                yield contract(original, OTHER_TYPES[kind], (*place, "type"), OTHER_TYPES[kind])


@fault(
    "volatile-too-wide",
    "domain",
    "What tools must not change without being asked may change unseen.",
)
def volatile_too_wide(original: Original) -> Iterator[Site]:
    known = original.domain.get("volatile", [])
    for table in used_tables(original):
        yield contract(original, f"{table}/*", ("volatile",), [*known, f"{table}/*"])
        for name, schema in properties(original, table).items():
            if "enum" in schema or schema.get("type") in ("number", "integer"):
                entry = f"{table}/*#{name}"
                yield contract(original, entry, ("volatile",), [*known, entry])
