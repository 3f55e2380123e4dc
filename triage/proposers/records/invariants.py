"""Rows of which an invariant does not hold: values, in them or in rows that it asks of, whose change makes it hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from triage.proposers.records.ground import Ground
from triage.proposers.records.mend import Mend
from triage.proposers.records.options import mends
from triage.proposers.records.paths import leaves
from worlds.conditions import (
    Allowance,
    ConditionFailed,
    ConditionInvalid,
    View,
    compile_condition,
    row_shape,
)
from worlds.domain import Invariant
from worlds.records import Place, Records, Row

FIELD = re.compile(r"\.(\w+)")
MOST_ROWS = 12
MOST_NEAR = 6
"""Rows beside its own that an invariant asked of."""
CHEAP_SWAP = 0.2


def invariant_mends(ground: Ground) -> Iterator[Mend]:
    """First the fields of the rows of which it does not hold, then those of the rows that several of these ask of."""
    broken = list(_broken(ground))[:MOST_ROWS]
    near: Counter[tuple[str, Place]] = Counter()
    for invariant, place in broken:
        row = ground.row(place)
        if row is None:
            continue
        yield from _in_row(ground, invariant, place, row, 1.0)
        yield from _swaps(place, row, _asked(invariant, row), invariant)
        for other in _asked_rows(ground, invariant, place, row)[:MOST_NEAR]:
            near[invariant.id, other] += 1
    by_id = {each.id: each for each in ground.domain.invariants}
    for (name, place), times in near.most_common(2 * MOST_NEAR):
        row = ground.row(place)
        if row is not None:
            yield from _in_row(ground, by_id[name], place, row, 0.9 if times > 1 else 0.4)


def _broken(ground: Ground) -> Iterator[tuple[Invariant, Place]]:
    """Less those that cannot be told of a row that has other faults: they follow from these."""
    by_id = {each.id: each for each in ground.domain.invariants}
    faulty = {
        (item.evidence["table"], item.evidence["key"])
        for item in ground.findings
        if item.code != "condition-invalid" and not item.evidence.get("invariant")
    }
    for item in ground.findings:
        failed = item.code == "condition-invalid"
        name = item.symbol if failed else item.evidence.get("invariant", "")
        invariant = by_id.get(name)
        place = (item.evidence["table"], item.evidence["key"])
        if invariant is not None and not (failed and place in faulty):
            yield invariant, (item.evidence["table"], item.evidence["key"])


def _asked(invariant: Invariant, row: Row) -> list[str]:
    """The fields of a row that an invariant names."""
    named = set(FIELD.findall(invariant.require))
    return [name for name in row if name in named]


def _in_row(
    ground: Ground, invariant: Invariant, place: Place, row: Row, factor: float
) -> Iterator[Mend]:
    authority = f"invariant `{invariant.id}`: “{' '.join(invariant.text.split())}”"
    paths = [
        path
        for name in _asked(invariant, row)
        for path in (leaves({name: row[name]}) if isinstance(row[name], (list, dict)) else [name])
    ]
    for path in dict.fromkeys(path for path in paths[:24]):
        for mend in mends(ground, *place, path, factor):
            yield replace(mend, authority=mend.authority or authority)


def _swaps(place: Place, row: Row, fields: list[str], invariant: Invariant) -> Iterator[Mend]:
    """Two fields of a row that have each other's values."""
    authority = f"invariant `{invariant.id}`: “{' '.join(invariant.text.split())}”"
    for at, one in enumerate(fields[:8]):
        for other in fields[at + 1 : 8]:
            if type(row[one]) is type(row[other]) and row[one] != row[other]:
                changed = {**row, one: row[other], other: row[one]}
                how = f"Exchange `{one}` and `{other}`"
                yield Mend({place: changed}, how, CHEAP_SWAP, authority)


def _asked_rows(ground: Ground, invariant: Invariant, place: Place, row: Row) -> list[Place]:
    """The rows that are looked at when it is asked of one."""
    records = Records(ground.base)
    try:
        shape = row_shape(ground.domain, invariant.table)
        condition = compile_condition(invariant.require, ground.domain, {"row": shape})
        condition.holds(View(records, ground.base.clock.now, Allowance()), {"row": row})
    except (ConditionInvalid, ConditionFailed):
        pass
    return sorted(records.touched - {place})
