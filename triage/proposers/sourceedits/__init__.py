"""Small edits of a tool server's source, each kind of edit in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from triage.proposers.sourceedits.commits import commits
from triage.proposers.sourceedits.edit import Edit
from triage.proposers.sourceedits.ignored import ignored
from triage.proposers.sourceedits.sourcecode import SourceCode
from triage.proposers.sourceedits.sql import sql

Editor = Callable[[SourceCode], Iterator[Edit]]
"""All edits of one kind at the places that are under suspicion, in any order: likelihoods tell."""

EDITORS: Mapping[str, Editor] = {"commits": commits, "ignored": ignored, "sql": sql}
"""Name → editor."""
