"""Repairs of records: by schema, references and invariants; by what is so in all other rows; by what slots ask for.

Every way of finding a value says how likely it is alone; ways that say the same add up. Then it is asked, of the rows
alone, what each would put right, and what would be wrong afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.records.anomalies import (
    double_mends,
    habit_mends,
    order_mends,
    spelling_mends,
)
from triage.proposers.records.dangling import dangling_mends
from triage.proposers.records.ground import Ground
from triage.proposers.records.guesses import guess_mends
from triage.proposers.records.invariants import invariant_mends
from triage.proposers.records.keys import key_candidates
from triage.proposers.records.mend import Ledger, Mend, edited, together, told
from triage.proposers.records.named import named_mends
from triage.proposers.records.oracle import Oracle, Outcome
from triage.proposers.records.schemas import schema_mends
from triage.proposers.records.slots import slot_mends

PROPOSER = "records"
FINDERS: tuple[tuple[Callable[[Ground], Iterator[Mend]], int], ...] = (
    (schema_mends, 150),
    (dangling_mends, 120),
    (invariant_mends, 400),
    (slot_mends, 250),
    (habit_mends, 150),
    (spelling_mends, 40),
    (order_mends, 60),
    (double_mends, 6),
    (named_mends, 20),
    (guess_mends, 250),
)
"""Each with the most mends that are taken from it."""
MOST_ASKED = 160
"""Mends of which it is asked what they put right."""
MOST = 60
"""Candidates."""
LEAST, HIGHEST = 0.01, 0.98
IDLE = 0.35
"""What a mend counts that puts nothing right of what is known to be wrong."""


def record_candidates(case: Case, spot: Spot) -> Iterator[Candidate]:
    """What might mend a records set, the likeliest first."""
    if spot.kind != "records":
        return
    yield from key_candidates(case, spot)
    ground = Ground.of(case, spot)
    if ground is None:
        return
    ledger = Ledger()
    for finder, most in FINDERS:
        for mend in islice(finder(ground), most):
            if _is_change(ground, mend):
                ledger.add(mend)
    weighed = _weighed(ground, ledger.ranked()[:MOST_ASKED])
    yield from (_candidate(ground, *each) for each in weighed[:MOST])


def _is_change(ground: Ground, mend: Mend) -> bool:
    keys = ground.domain.tables
    keyed = all(row is None or row.get(keys[table].key) == key for (table, key), row in mend.rows.items())  # fmt: skip
    return keyed and any(ground.row(place) != row for place, row in mend.rows.items())


def _weighed(ground: Ground, mends: list[Mend]) -> list[tuple[float, Mend, Outcome]]:
    """Those that break less than they mend, the likeliest first; slots are asked about in that order."""
    oracle = Oracle(ground)
    asked = [(mend, oracle.asked(mend.rows)) for mend in mends]
    sound = [(_likelihood(oracle, mend, out), mend, out) for mend, out in asked if not out.is_worse]
    first = sorted(sound, key=lambda item: -item[0])
    bound = [(mend, oracle.with_slots(mend.rows, out)) for _, mend, out in first]
    weighed = [(_likelihood(oracle, mend, out), mend, out) for mend, out in bound]
    return sorted(weighed, key=lambda item: -item[0])


def _likelihood(oracle: Oracle, mend: Mend, outcome: Outcome) -> float:
    bound, cured = outcome.bound or 0.0, max(0.0, outcome.cured)
    chance = together(min(mend.chance, HIGHEST), 0.7 * cured, 0.6 * bound)
    is_asked = bool(oracle.wrong) or outcome.bound is not None
    if is_asked and not cured and not bound:
        chance *= IDLE
    return min(HIGHEST, max(LEAST, chance))


def _candidate(ground: Ground, likelihood: float, mend: Mend, outcome: Outcome) -> Candidate:
    before = {place: ground.row(place) for place in mend.rows}
    says = f"{mend.how}: {told(before, mend.rows)}"
    made = edited(ground.body, ground.domain, mend.rows)
    changes = {ground.spot.name: made}
    return Candidate(PROPOSER, changes, says, mend.authority, likelihood, _reason(outcome))


def _reason(outcome: Outcome) -> str:
    said = []
    if outcome.cured > 0:
        said.append(f"{outcome.cured:.0%} of what is found wrong with the rows is right then.")
    if outcome.bound:
        said.append(
            f"Slots are filled again in {outcome.bound:.0%} of the environments that lack rows."
        )
    return " ".join(said)
