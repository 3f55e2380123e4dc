"""Contracts: invariants, references, keys and what is overlooked, where all that stands under them says otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.conditions.edits import edits
from triage.proposers.conditions.vocabulary import Vocabulary, closest
from worlds.domain import Domain, Reference, Table
from worlds.recordset import Recordset

NAME = "contract"
LOOKED_AT = 500
"""Rows of a table that say what it holds."""


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of the contract, the likeliest first."""
    body = case.body(spot.name)
    if not isinstance(body, Domain):
        return
    records = case.seen[0].bundle.records
    found = [
        *_volatile(body),
        *_keys(body, records),
        *_references(body, records),
        *_schemas(body, records),
        *_invariants(case, spot, body),
    ]
    yield from sorted(found, key=lambda each: -each.likelihood)


def _made(
    body: Domain, says: str, likelihood: float, authority: str = "", **changes: Any
) -> Candidate:
    return Candidate(
        NAME, {("domain", "domain"): body.model_copy(update=changes)}, says, authority, likelihood
    )


def _volatile(body: Domain) -> Iterator[Candidate]:
    for pattern in body.volatile:
        rest = [each for each in body.volatile if each != pattern]
        is_whole = pattern.endswith("/*")
        yield _made(
            body,
            f"Let `{pattern}` count as a change",
            0.6 if is_whole else 0.3,
            "",
            volatile=rest,
        )


def _with(body: Domain, name: str, **changes: Any) -> dict[str, Table]:
    return {**body.tables, name: body.tables[name].model_copy(update=changes)}


def _keys(body: Domain, records: Recordset) -> Iterator[Candidate]:
    """Another field that is there in every row and different in each."""
    for name, table in body.tables.items():
        rows = list(records.tables.get(name, ()))[:LOOKED_AT]
        fields = Counter(field for row in rows for field in row)
        for field, count in fields.items():
            if field == table.key or count < len(rows) or not rows:
                continue
            values = [row[field] for row in rows]
            if all(isinstance(each, str) for each in values) and len(set(values)) == len(values):
                likelihood = 0.5 if field.endswith(("id", "_key", "code", "number")) else 0.1
                says = f"Key `{name}` by `{field}`, not by `{table.key}`"
                authority = f"`{field}` differs in all {len(rows)} rows of `{name}`"
                yield _made(body, says, likelihood, authority, tables=_with(body, name, key=field))


def _references(body: Domain, records: Recordset) -> Iterator[Candidate]:
    for name, table in body.tables.items():
        for reference in table.references:
            for other, says, likelihood, authority in _meant(body, records, name, reference):
                rest = [other if each is reference else each for each in table.references]
                changed = [each for each in rest if each is not None]
                tables = _with(body, name, references=changed)
                yield _made(body, says, likelihood, authority, tables=tables)


def _meant(
    body: Domain, records: Recordset, name: str, reference: Reference
) -> Iterator[tuple[Reference | None, str, float, str]]:
    rows = list(records.tables.get(name, ()))[:LOOKED_AT]
    head = reference.from_.partition("[")[0].partition(".")[0]
    if "[" not in reference.to:
        values = {
            row.get(reference.from_) for row in rows if isinstance(row.get(reference.from_), str)
        }
        for other in body.tables:
            keys = {row.get(body.tables[other].key) for row in records.tables.get(other, ())}
            if other != reference.to and values and values <= keys:
                made = reference.model_copy(update={"to": other})
                says = f"Let `{name}.{reference.from_}` refer to `{other}`, not to `{reference.to}`"
                authority = (
                    f"all {len(values)} values of `{name}.{reference.from_}` are keys of `{other}`"
                )
                yield made, says, 0.8, authority
    known = {field for row in rows for field in row}
    if known and head not in known:
        for field in closest(head, frozenset(known)):
            made = reference.model_copy(update={"from_": field + reference.from_[len(head) :]})
            says = f"Let the reference of `{name}` stand in `{field}`, not in `{head}`"
            yield made, says, 0.7, f"rows of `{name}` have `{field}`, and no `{head}`"


def _schemas(body: Domain, records: Recordset) -> Iterator[Candidate]:
    """A line of a schema that most rows contradict."""
    for name, table in body.tables.items():
        said = table.schema_.get("properties")
        properties: Mapping[str, Any] = said if isinstance(said, Mapping) else {}
        rows = list(records.tables.get(name, ()))[:LOOKED_AT]
        for field, schema in properties.items():
            values = [row[field] for row in rows if field in row]
            for made, what in _fitting(schema, values):
                changed = {**table.schema_, "properties": {**properties, field: made}}
                tables = _with(body, name, schema_=changed)
                says = f"Let `{name}.{field}` be {what}"
                authority = f"{len(values)} rows of `{name}` have it so"
                yield _made(body, says, 0.5, authority, tables=tables)


def _fitting(schema: Any, values: list[Any]) -> Iterator[tuple[dict[str, Any], str]]:
    if not isinstance(schema, Mapping) or not values:
        return
    enum = schema.get("enum")
    if isinstance(enum, list):
        missing = sorted({each for each in values if isinstance(each, str)} - {*map(str, enum)})
        if 0 < len(missing) <= 5:
            yield {**schema, "enum": [*enum, *missing]}, f"one of {', '.join(missing)} too"
    types = {_type(each) for each in values}
    said = schema.get("type")
    if (
        said is not None
        and len(types) == 1
        and types.isdisjoint({said} if isinstance(said, str) else said)
    ):
        (only,) = types
        if not (only == "integer" and said == "number"):
            yield {**schema, "type": only}, f"of type {only}"


def _type(value: Any) -> str:
    names = {
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
    }
    return names.get(type(value), "null")


def _invariants(case: Case, spot: Spot, body: Domain) -> Iterator[Candidate]:
    named = {found.symbol for seen in case.seen for found in seen.findings}
    for number, each in enumerate(body.invariants):
        is_named = each.id in spot.symbol or any(each.id in symbol for symbol in named)
        weight = 1.0 if is_named else 0.2
        words = Vocabulary(body, {"row": each.table}, each.text)
        others = [
            one.require for one in body.invariants if one.table == each.table and one is not each
        ]
        for edit in edits(each.require, words, others):
            made = each.model_copy(update={"require": edit.text})
            rest = [made if place == number else one for place, one in enumerate(body.invariants)]
            says = f"Let `{each.id}` require what it did, with {edit.says}"
            authority = edit.authority or f"invariant {each.id}: “{each.text}”"
            yield _made(body, says, max(0.01, edit.likelihood * weight), authority, invariants=rest)
