"""Rewrites of contracts that mean the same."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.heldout.conditions import whole_parts
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


@rewrite("invariants-regrouped", "domain", "An invariant becomes two, or two become one.")
def invariants_regrouped(original: Original) -> Iterator[Site]:
    row = original.domain.get("invariants", [])
    for index, each in invariants(original):
        parts = whole_parts(each["require"])
        if len(parts) > 1:
            pair = [
                {**each, "require": parts[0]},
                {**each, "id": f"{each['id']}-too", "require": " && ".join(parts[1:])},
            ]
            new = [*row[:index], *pair, *row[index + 1 :]]
            yield contract(original, f"{each['id']} split", ("invariants",), new)
        following = row[index + 1] if index + 1 < len(row) else each
        if following is not each and following["table"] == each["table"]:
            both = {
                **each,
                "text": f"{each['text']} {following['text']}",
                "require": f"({each['require']}) && ({following['require']})",
            }
            new = [*row[:index], both, *row[index + 2 :]]
            yield contract(original, f"{each['id']} and next", ("invariants",), new)
