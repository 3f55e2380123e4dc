"""Proposers: each looks at a case and one suspect of it, and says what might mend it, the likeliest first.

They are lazy, deterministic, import no Django, run nothing but worlds, and are trusted by nobody: what they say is
tried on environments that show the fault before it becomes a proposal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers import contract, earlier, goalconditions, rules, toolserver
from triage.proposers.candidate import Candidate
from triage.proposers.case import Case, Spot
from triage.proposers.intents.answers import typed_answers
from triage.proposers.intents.changes import allowed_changes
from triage.proposers.intents.narrowed import narrow_goals
from triage.proposers.intents.outcomes import outcomes
from triage.proposers.intents.plans import plans
from triage.proposers.intents.requirements import missing_requirements
from triage.proposers.intents.slots import fitting_slots
from triage.proposers.intents.users import users
from triage.proposers.outside import outside
from triage.proposers.records import record_candidates

Proposer = Callable[[Case, Spot], Iterator[Candidate]]
"""Nothing where the suspect's kind, or the case, is not its matter."""

PROPOSERS: Mapping[str, Proposer] = {
    earlier.NAME: earlier.propose,
    toolserver.NAME: toolserver.propose,
    "outside": outside,
    "records": record_candidates,
    "typed answers": typed_answers,
    "allowed changes": allowed_changes,
    "missing requirements": missing_requirements,
    "outcomes": outcomes,
    "narrow goals": narrow_goals,
    "slots": fitting_slots,
    "users": users,
    "plans": plans,
    goalconditions.NAME: goalconditions.propose,
    rules.NAME: rules.propose,
    contract.NAME: contract.propose,
}
"""Name → proposer. Names are shown to people and kept with alternatives."""
