"""Small edits of a condition, each kind of edit in a file of its own; `edits` gives all that would be taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from triage.proposers.conditions import (
    comparisons,
    functions,
    guards,
    junctions,
    literals,
    names,
    negations,
    syntax,
    times,
)
from triage.proposers.conditions.code import ConditionCode
from triage.proposers.conditions.edit import ConditionEdit

Editor = Callable[[ConditionCode], Iterator[ConditionEdit]]

EDITORS: Mapping[str, Editor] = {
    "syntax": syntax.syntax_edits,
    "negations": negations.negation_edits,
    "sides": names.side_edits,
    "names": names.name_edits,
    "fields": names.field_edits,
    "tables": names.table_edits,
    "function names": names.function_name_edits,
    "comparisons": comparisons.comparison_edits,
    "numbers": literals.number_edits,
    "number types": literals.number_type_edits,
    "texts": literals.text_edits,
    "memberships": literals.membership_edits,
    "junctions": junctions.junction_edits,
    "functions": functions.function_edits,
    "loose": functions.loose_edits,
    "guards": guards.guard_edits,
    "times": times.time_edits,
    "varied": junctions.varied_edits,
    "borrowed": junctions.borrowed_edits,
}
"""Name → editor."""
MOST_EACH = 200
"""Edits of one editor."""
MOST = 400
"""Edits that are looked at of one condition."""


def edits(code: ConditionCode) -> Iterator[ConditionEdit]:
    """Edits that a world would take, each text once, the likeliest first."""
    best: dict[str, ConditionEdit] = {}
    for editor in EDITORS.values():
        for each in islice(editor(code), MOST_EACH):
            known = best.get(each.text)
            if each.text != code.text and (known is None or each.likelihood > known.likelihood):
                best[each.text] = each
    ranked = sorted(best.values(), key=lambda each: -each.likelihood)
    yield from (each for each in ranked[:MOST] if code.compiles(each.text))
