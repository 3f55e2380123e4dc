"""Proposers: each looks at a case and one suspect of it, and says what might mend it, the likeliest first.

They are lazy, deterministic, import no Django, run nothing but worlds, and are trusted by nobody: what they say is
tried on environments that show the fault before it becomes a proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers import contract, earlier, goalconditions, rules, toolserver
from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot

Proposer = Callable[[Case, Spot], Iterator[Candidate]]
"""Nothing where the suspect's kind, or the case, is not its matter."""

PROPOSERS: Mapping[str, Proposer] = {
    earlier.NAME: earlier.propose,
    toolserver.NAME: toolserver.propose,
    rules.NAME: rules.propose,
    goalconditions.NAME: goalconditions.propose,
    contract.NAME: contract.propose,
}
"""Name → proposer. Names are shown to people and kept with alternatives."""
