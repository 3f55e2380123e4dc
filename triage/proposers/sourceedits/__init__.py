"""Small edits of a tool server's source, each kind of edit in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers.sourceedits.borrowed import borrowed
from triage.proposers.sourceedits.calls import calls
from triage.proposers.sourceedits.clocks import clocks
from triage.proposers.sourceedits.doubles import doubles
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.filters import filters
from triage.proposers.sourceedits.flow import flow
from triage.proposers.sourceedits.guards import guards
from triage.proposers.sourceedits.newrows import newrows
from triage.proposers.sourceedits.orders import orders
from triage.proposers.sourceedits.parameters import parameters
from triage.proposers.sourceedits.results import results
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.state import state
from triage.proposers.sourceedits.writebacks import writebacks

Editor = Callable[[SourceCode], Iterator[Edit]]
"""All edits of one kind at the places that are under suspicion, in any order: likelihoods tell."""

EDITORS: Mapping[str, Editor] = {
    "borrowed": borrowed,
    "calls": calls,
    "clocks": clocks,
    "doubles": doubles,
    "filters": filters,
    "flow": flow,
    "guards": guards,
    "newrows": newrows,
    "orders": orders,
    "parameters": parameters,
    "results": results,
    "state": state,
    "writebacks": writebacks,
}
"""Name → editor."""
