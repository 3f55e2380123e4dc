"""Repair of contracts: invariants that sound rows break, references, keys and schemas that all rows contradict, and
volatile parts that hide what goals ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.conditions.bodyedit import BodyEdit, changed
from triage.proposers.contract.invariants import invariant_edits
from triage.proposers.contract.keys import key_edits, reference_edits
from triage.proposers.contract.schemas import schema_edits
from triage.proposers.contract.tablerows import TableRows
from triage.proposers.contract.volatile import volatile_edits
from worlds.domain import Domain

NAME = "contract"
MOST = 150
"""Candidates of one suspect."""
EDITORS: tuple[Callable[[Case, Spot, Domain, TableRows], Iterator[BodyEdit]], ...] = (
    volatile_edits,
    key_edits,
    reference_edits,
    schema_edits,
    invariant_edits,
)


def propose(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Edits of the contract with which the rows that there are agree."""
    domain = case.body(spot.name)
    if isinstance(domain, Domain):
        yield from islice(_candidates(case, spot, domain), MOST)


def _candidates(case: Case, spot: Spot, domain: Domain) -> Iterator[Candidate]:
    rows = TableRows(case)
    for editor in EDITORS:
        for edit in editor(case, spot, domain, rows):
            body = changed(domain, edit.values)
            if body is not None:
                likelihood = max(0.001, min(1.0, edit.likelihood))
                yield Candidate(
                    NAME, {("domain", "domain"): body}, edit.says, edit.authority, likelihood
                )
