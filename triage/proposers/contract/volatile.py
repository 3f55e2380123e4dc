"""What a contract calls volatile, and goals or clauses look at."""

from __future__ import annotations

from collections.abc import Iterator

from triage.proposers.case import Case, Spot
from triage.proposers.conditions.bodyedit import BodyEdit
from triage.proposers.contract.tablerows import TableRows
from worlds.domain import Domain

HIDING = {"criteria-unused", "goal-vacuous", "goal-blind", "goal-trivial", "effect-moved"}


def volatile_edits(case: Case, spot: Spot, domain: Domain, _rows: TableRows) -> Iterator[BodyEdit]:
    """Without each entry, those first that findings name."""
    named = {
        str(found.evidence.get("volatile")): found.message
        for seen in case.seen
        for found in seen.findings
        if "volatile" in found.evidence
    }
    if not named and not case.codes & HIDING and not spot.symbol.startswith("volatile"):
        return
    for entry in domain.volatile:
        is_named = entry in named or spot.symbol == f"volatile {entry}"
        is_asked = entry.partition("/")[0] in _asked(case)
        rest = [each for each in domain.volatile if each != entry]
        why = named.get(entry, "")
        likelihood = 0.95 if is_named else 0.4 if is_asked else 0.1
        says = f"Let {entry} count: it is no longer called volatile"
        yield BodyEdit("", {("volatile",): rest}, says, likelihood, why)


def _asked(case: Case) -> set[str]:
    """The tables that goals let change."""
    return {
        entry.partition("/")[0]
        for seen in case.seen
        for entry in seen.bundle.intent.goal.changes or ()
    }
