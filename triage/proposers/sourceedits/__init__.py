"""Small edits of a tool server's source, each kind of edit in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers.sourceedits.arguments import arguments
from triage.proposers.sourceedits.arithmetic import arithmetic
from triage.proposers.sourceedits.borrowed import borrowed
from triage.proposers.sourceedits.calls import calls
from triage.proposers.sourceedits.clocks import clocks
from triage.proposers.sourceedits.commits import commits
from triage.proposers.sourceedits.comparisons import comparisons
from triage.proposers.sourceedits.conditions import conditions
from triage.proposers.sourceedits.constants import constants
from triage.proposers.sourceedits.doubles import doubles
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.fields import fields
from triage.proposers.sourceedits.filters import filters
from triage.proposers.sourceedits.flow import flow
from triage.proposers.sourceedits.guards import guards
from triage.proposers.sourceedits.ignored import ignored
from triage.proposers.sourceedits.missingcalls import missing_calls
from triage.proposers.sourceedits.names import names
from triage.proposers.sourceedits.newrows import newrows
from triage.proposers.sourceedits.nones import nones
from triage.proposers.sourceedits.orders import orders
from triage.proposers.sourceedits.parameters import parameters
from triage.proposers.sourceedits.results import results
from triage.proposers.sourceedits.sequences import sequences
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.spellings import spellings
from triage.proposers.sourceedits.sql import sql
from triage.proposers.sourceedits.state import state
from triage.proposers.sourceedits.twins import twins
from triage.proposers.sourceedits.values import values
from triage.proposers.sourceedits.writebacks import writebacks

Editor = Callable[[SourceCode], Iterator[Edit]]
"""All edits of one kind at the places that are under suspicion, in any order: likelihoods tell."""

EDITORS: Mapping[str, Editor] = {
    "arguments": arguments,
    "arithmetic": arithmetic,
    "borrowed": borrowed,
    "calls": calls,
    "clocks": clocks,
    "commits": commits,
    "comparisons": comparisons,
    "conditions": conditions,
    "constants": constants,
    "doubles": doubles,
    "fields": fields,
    "filters": filters,
    "flow": flow,
    "guards": guards,
    "ignored": ignored,
    "missing calls": missing_calls,
    "names": names,
    "newrows": newrows,
    "nones": nones,
    "orders": orders,
    "parameters": parameters,
    "results": results,
    "sequences": sequences,
    "spellings": spellings,
    "sql": sql,
    "state": state,
    "twins": twins,
    "values": values,
    "writebacks": writebacks,
}
"""Name → editor."""
