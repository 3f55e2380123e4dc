"""Keys that are none, and references to tables that do not have what is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from triage.proposers.case import Case, Spot
from triage.proposers.conditions.bodyedit import REMOVED, BodyEdit
from triage.proposers.conditions.wording import nearness, stem
from triage.proposers.contract.tablerows import TableRows
from worlds.domain import Domain, Table

USUAL = ("id", "key", "number", "code")


def key_edits(_case: Case, spot: Spot, domain: Domain, rows: TableRows) -> Iterator[BodyEdit]:
    """Another field that tells the rows of a table apart, where the one that should is not called as keys are."""
    for name, table in domain.tables.items():
        now = _worth(domain, name, table, table.key, rows)
        for field in _fields(table):
            worth = _worth(domain, name, table, field, rows) if field != table.key else 0.0
            if worth > max(now, 0.3) and _tells_apart(name, field, rows):
                why = f"every row of {name} has another {field}" if worth > 0.5 else ""
                suspected = 0.95 if name in spot.symbol or not spot.symbol else 0.85
                says = f"Tell rows of {name} apart by {field}, not by {table.key}"
                yield BodyEdit(name, {("tables", name, "key"): field}, says, suspected * worth, why)


def _fields(table: Table) -> Mapping[str, Any]:
    found = table.schema_.get("properties")
    return found if isinstance(found, Mapping) else {}


def _worth(domain: Domain, name: str, table: Table, field: str, rows: TableRows) -> float:
    """How much a field looks like the key of a table: by its name, and as no reference to another one."""
    if not _tells_apart(name, field, rows):
        return 0.0
    stems = {stem(part) for part in field.lower().split("_") if part not in USUAL}
    own = {stem(part) for part in name.lower().split("_")}
    is_own = bool(stems & own) or field.lower() in USUAL
    refers = any(each.from_ == field for each in table.references)
    found = 0.6 if is_own else 0.3
    required = list(table.schema_.get("required", ()))
    first = required[:1] == [field]
    return found + 0.2 * first + (0.2 if _is_named(domain, name, field, rows) else 0) - 0.3 * refers


def _tells_apart(table: str, field: str, rows: TableRows) -> bool:
    for tables in rows.sets:
        values = [row.get(field) for row in tables.get(table, ())]
        if not all(isinstance(value, str) and value for value in values):
            return False
        if len(set(values)) < len(values):
            return False
    return any(tables.get(table) for tables in rows.sets)


def _is_named(domain: Domain, name: str, field: str, rows: TableRows) -> bool:
    """Whether what other rows refer to are its values."""
    there = {row.get(field) for row in rows.of(name) if isinstance(row.get(field), str)}
    named = {
        value
        for other, table in domain.tables.items()
        for each in table.references
        if each.to == name
        for value in rows.values(other, each.from_)
        if isinstance(value, str)
    }
    return bool(named) and len(named & there) * 2 > len(named)


def reference_edits(case: Case, _spot: Spot, domain: Domain, rows: TableRows) -> Iterator[BodyEdit]:
    """Another table for a reference that leads nowhere, for most rows."""
    if not case.codes & {"reference-dangling", "name-unknown", "row-invalid"}:
        return
    keys = {name: _keys(name, table.key, rows) for name, table in domain.tables.items()}
    for name, table in domain.tables.items():
        for number, each in enumerate(table.references):
            values = {v for v in rows.values(name, each.from_) if isinstance(v, str)}
            now = each.to.partition("[")[0]
            lost = len(values - keys.get(now, set()))
            if "[" in each.to or (now in keys and (not values or lost * 3 < len(values))):
                continue
            place = ("tables", name, "references", number)
            for other, there in keys.items():
                share = len(values & there) / len(values) if values else 0.0
                alike = nearness(other, now) if now not in keys else 0.0
                likelihood = 0.9 * max(share if share > 0.6 else 0.0, alike if alike > 0.6 else 0.0)
                if other != now and likelihood:
                    why = (
                        f"{share:.0%} of what rows name there are rows of {other}" if share else ""
                    )
                    says = f"Let {name}.{each.from_} refer to {other}, not to {each.to}"
                    yield BodyEdit(name, {(*place, "to"): other}, says, likelihood, why)
            says = f"Let {name}.{each.from_} refer to nothing"
            yield BodyEdit(name, {place: REMOVED}, says, 0.1)


def _keys(table: str, field: str, rows: TableRows) -> set[str]:
    return {row[field] for row in rows.of(table) if isinstance(row.get(field), str)}
