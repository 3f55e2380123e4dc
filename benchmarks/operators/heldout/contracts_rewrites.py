"""Rewrites of contracts that mean the same."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.heldout.contracts import contract, invariants
from benchmarks.operators.heldout.rules_rewrites import mirrored, negated

UNUSED = ("attachments", "newsletters", "print_jobs", "saved_searches", "surveys")


@rewrite("unused-table-added", "domain", "There is a table that has no rows and that nobody uses.")
def unused_table_added(original: Original) -> Iterator[Site]:
    for name in UNUSED:
        key = f"{name}_id"
        schema = {
            "type": "object",
            "properties": {key: {"type": "string"}, "label": {"type": "string"}},
            "required": [key],
        }
        tables = {**original.domain["tables"], name: {"key": key, "schema": schema}}
        yield contract(original, name, ("tables",), tables)


@rewrite("fields-reordered", "domain", "The fields of a table stand in another order.")
def fields_reordered(original: Original) -> Iterator[Site]:
    for table, each in original.domain["tables"].items():
        place = ("tables", table, "schema")
        schema = each["schema"]
        required = schema.get("required", [])
        turned = dict(reversed(schema["properties"].items()))
        new = {**schema, "properties": turned, "required": [*required[1:], *required[:1]]}
        yield contract(original, "", place, new)


@rewrite(
    "invariant-restated",
    "domain",
    "An invariant is put by De Morgan's law, or its sides are exchanged.",
)
def invariant_restated(original: Original) -> Iterator[Site]:
    for index, each in invariants(original):
        for ways in (negated, mirrored):
            for change in ways(each["require"]):
                place = ("invariants", index, "require")
                yield contract(original, change.what, place, change.text)
