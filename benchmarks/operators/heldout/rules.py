"""Faults of rules: clauses that ask for less, for more or for something else than the words that they quote."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.faults.mutation import Original, Site, fault
from benchmarks.operators.heldout.clauses import Clause, clauses, table_of
from benchmarks.operators.heldout.conditions import (
    Field,
    fields,
    joined,
    polarity,
    stronger,
    weaker,
    without_part,
)
from benchmarks.operators.heldout.rows import properties, similar


@fault(
    "clause-loosened",
    "rule",
    "A clause asks for less than its words: a part is gone, a bound easier.",
)
def clause_loosened(original: Original) -> Iterator[Site]:
    for clause in clauses(original):
        for change in weaker(clause.condition("require")):
            yield clause.site(change.what, "require", change.text)
        for change in stronger(clause.condition("when")):
            yield clause.site(change.what, "when", change.text)


@fault(
    "clause-tightened",
    "rule",
    "A clause forbids more than its words: a stricter bound, or too many rows.",
)
def clause_tightened(original: Original) -> Iterator[Site]:
    for clause in clauses(original):
        for change in stronger(clause.condition("require")):
            if change.what.startswith("bound"):
                yield clause.site(change.what, "require", change.text)
        for change in weaker(clause.condition("when")):
            yield clause.site(change.what, "when", change.text)


@fault(
    "exception-forgotten", "rule", "A clause forgets the other case in which something is allowed."
)
def exception_forgotten(original: Original) -> Iterator[Site]:
    for clause in clauses(original):
        for index, other in enumerate(clause.body.get("unless", [])):
            rest = [each for i, each in enumerate(clause.body["unless"]) if i != index]
            yield clause.site(f"without {other}", "unless", rest)
        require = clause.condition("require")
        for spans in joined(require, "||"):
            if polarity(require, spans[0].start) is not False:
                for index, span in enumerate(spans):
                    text = without_part(require, spans, index)
                    yield clause.site(f"without way at {span.start}", "require", text)


@fault(
    "clause-wrong-field",
    "rule",
    "A clause looks at another field of the row, or at the row before the write.",
)
def clause_wrong_field(original: Original) -> Iterator[Site]:
    for clause in clauses(original):
        require = clause.condition("require")
        for field in fields(require):
            table = table_of(original, clause, field)
            other = similar(properties(original, table), field.name) if table else None
            if other:
                text = field.span.replaced(require, other)
                yield clause.site(f"{field.name} at {field.span.start}", "require", text)
            if field.base in ("before", "after") and "before" in clause.condition("when"):
                yield _other_moment(clause, field)


def _other_moment(clause: Clause, field: Field) -> Site:
    require = clause.condition("require")
    start = field.span.start - len(field.base) - 1
    base = {"before": "after", "after": "before"}[field.base]
    text = f"{require[:start]}{base}.{require[field.span.start :]}"
    return clause.site(f"{base} at {start}", "require", text)
