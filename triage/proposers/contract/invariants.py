"""Invariants that sound rows break, and other conditions of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from triage.proposers.case import Case, Seen, Spot
from triage.proposers.conditions import edits
from triage.proposers.conditions.bodyedit import BodyEdit, Place
from triage.proposers.conditions.code import ConditionCode, Neighbour
from triage.proposers.conditions.surroundings import Surroundings
from triage.proposers.conditions.wording import nearness
from triage.proposers.contract.tablerows import TableRows
from worlds.conditions import (
    Allowance,
    Condition,
    ConditionFailed,
    ConditionInvalid,
    Shape,
    View,
    compile_condition,
    row_shape,
)
from worlds.domain import Domain
from worlds.records import Records, RecordsInvalid, Row

MOST_EDITS = 120
MOST_INVARIANTS = 3
ROWS = 60
"""Of one state."""
STATES = 3
VARIANTS = 40
FEW = 0.34
"""Share of rows that break an invariant, up to which they rather than it may be wrong."""


def invariant_edits(case: Case, spot: Spot, domain: Domain, _rows: TableRows) -> Iterator[BodyEdit]:
    """Edits of suspicious invariants that all rows meet; and the table that one is meant for."""
    yield from _meant(domain)
    for number in _suspected(case, spot, domain)[:MOST_INVARIANTS]:
        trial = _Trial.of(case, domain, number)
        code = _code(case, domain, number)
        now = trial.of_text(code.text)
        weight = 0.5 if now is not None and 0 < now.broken <= FEW else 1.0
        for each in islice(edits(code), MOST_EDITS):
            after = trial.of_text(each.text)
            if after is None or after.broken or after.failed:
                continue
            kept = 1.0 if after.bites else 0.6
            if now is not None and not now.broken and not now.failed:
                kept *= 0.3
            place: Place = ("invariants", number, "require")
            says = f"{each.says}, in the invariant {domain.invariants[number].id}"
            yield BodyEdit(
                domain.invariants[number].id,
                {place: each.text},
                says,
                each.likelihood * weight * kept,
                each.authority,
            )


def _meant(domain: Domain) -> Iterator[BodyEdit]:
    """The table nearest to one that is not there."""
    for number, each in enumerate(domain.invariants):
        if each.table not in domain.tables:
            near = sorted(domain.tables, key=lambda name: -nearness(name, each.table))
            for place, other in enumerate(near[:3]):
                says = f"Ask {each.id} of {other}: there is no table {each.table}"
                at: Place = ("invariants", number, "table")
                yield BodyEdit(each.id, {at: other}, says, 0.9 * 0.6**place)


def _suspected(case: Case, spot: Spot, domain: Domain) -> list[int]:
    said = {spot.symbol, *spot.symbol.split()}
    for seen in case.seen:
        for found in seen.findings:
            said.add(str(found.evidence.get("invariant")))
            if found.kind == "domain":
                said |= {found.symbol, found.place.removesuffix(".require")}
    return [
        number
        for number, each in enumerate(domain.invariants)
        if each.id in said or f"invariants[{number}]" in said
    ]


def _code(case: Case, domain: Domain, number: int) -> ConditionCode:
    invariant, surroundings = domain.invariants[number], Surroundings(case)
    return ConditionCode(
        invariant.require,
        domain,
        {"row": row_shape(domain, invariant.table)},
        means=invariant.text,
        cites=f"the invariant {invariant.id}: “{' '.join(invariant.text.split())}”",
        neighbours=[
            Neighbour(each.require, f"the invariant {each.id}", 0.7)
            for each in domain.invariants
            if each.table == invariant.table and each is not invariant
        ],
        tables=surroundings.tables,
        failed=any(
            found.code == "condition-invalid" and found.symbol == invariant.id
            for seen in case.seen
            for found in seen.findings
        ),
    )


@dataclass(frozen=True)
class _Told:
    """What an invariant says of the rows that there are."""

    broken: float
    """The share of them that break it."""
    failed: bool
    """Whether it could not be told of one."""
    bites: bool
    """Whether it turns down any row with a field of another."""


@dataclass(frozen=True)
class _Trial:
    """The rows of a table, at rest and as plans leave them."""

    domain: Domain
    table: str
    asked: Sequence[tuple[View, Row]]
    wrong: Sequence[tuple[View, Row]]

    @classmethod
    def of(cls, case: Case, domain: Domain, number: int) -> _Trial:
        table = domain.invariants[number].table
        asked: list[tuple[View, Row]] = []
        wrong: list[tuple[View, Row]] = []
        for seen in [*case.seen, *case.sound][:STATES]:
            rows = list(_rows(seen, table))
            asked += rows
            wrong += islice(_variants(rows, row_shape(domain, table)), VARIANTS)
        return cls(domain, table, asked, wrong)

    def of_text(self, text: str) -> _Told | None:
        """None where it does not compile."""
        try:
            shape = row_shape(self.domain, self.table)
            condition = compile_condition(text, self.domain, {"row": shape})
        except ConditionInvalid:
            return None
        said = [_holds(condition, view, row) for view, row in self.asked]
        bites = any(_holds(condition, view, row) is False for view, row in self.wrong)
        return _Told(said.count(False) / len(said) if said else 0.0, None in said, bites)


def _holds(condition: Condition, view: View, row: Row) -> bool | None:
    try:
        return condition.holds(view, {"row": row})
    except ConditionFailed:
        return None


def _rows(seen: Seen, table: str) -> Iterator[tuple[View, Row]]:
    """Those that the plan touches first."""
    try:
        base = seen.world.base
        records = Records(base)
        if seen.reference is not None:
            records.apply(seen.reference.diff)
    except (RecordsInvalid, LookupError, ValueError):
        return
    view = View(records, base.clock.now, Allowance(10**12, 10**12, 3_600.0))
    touched = seen.reference.touched if seen.reference else ()
    keys = [place.partition("/")[2] for place in touched if place.partition("/")[0] == table]
    there = records.keys(table) if table in base.tables else []
    for key in islice(dict.fromkeys([*keys, *there]), ROWS):
        row = records.get(table, key)
        if row is not None:
            yield view, row


def _variants(rows: Sequence[tuple[View, Row]], shape: Shape) -> Iterator[tuple[View, Row]]:
    """Each row with another value of an enum, or with one field of the row after it."""
    properties = (shape.get("properties") if shape else None) or {}
    for (view, row), (_, other) in zip(rows, [*rows[1:], *rows[:1]], strict=True):
        for name, value in row.items():
            for instead in (properties.get(name) or {}).get("enum", ()):
                if instead != value:
                    yield view, {**row, name: instead}
            if name in other and other[name] != value:
                yield view, {**row, name: other[name]}
