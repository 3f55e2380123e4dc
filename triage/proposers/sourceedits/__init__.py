"""Small edits of a tool server's source, each kind of edit in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers.sourceedits.arguments import arguments
from triage.proposers.sourceedits.arithmetic import arithmetic
from triage.proposers.sourceedits.calls import calls
from triage.proposers.sourceedits.comparisons import comparisons
from triage.proposers.sourceedits.conditions import conditions
from triage.proposers.sourceedits.constants import constants
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.fields import fields
from triage.proposers.sourceedits.names import names
from triage.proposers.sourceedits.nones import nones
from triage.proposers.sourceedits.sequences import sequences
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.spellings import spellings
from triage.proposers.sourceedits.twins import twins
from triage.proposers.sourceedits.values import values

Editor = Callable[[SourceCode], Iterator[Edit]]
"""All edits of one kind at the places that are under suspicion, in any order: likelihoods tell."""

EDITORS: Mapping[str, Editor] = {
    "arguments": arguments,
    "arithmetic": arithmetic,
    "calls": calls,
    "comparisons": comparisons,
    "conditions": conditions,
    "constants": constants,
    "fields": fields,
    "names": names,
    "nones": nones,
    "sequences": sequences,
    "spellings": spellings,
    "twins": twins,
    "values": values,
}
"""Name → editor."""
