"""Rewrites of rules that mean the same."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.faults.mutation import Document, Original, Site, edited, rewrite
from benchmarks.operators.heldout.clauses import clauses, conditions
from benchmarks.operators.heldout.conditions import (
    MIRRORED,
    Change,
    Span,
    comparisons,
    joined,
    whole_parts,
)

LIST = re.compile(r"(?P<one>[\w.]+) in \[(?P<all>'[\w-]+'(?:, '[\w-]+')+)\]")
EQUALS = re.compile(r"^\(?(?P<one>[\w.]+) == (?P<value>'[\w-]+')\)?$")


def rewritten(original: Original, ways: Callable[[str], Iterator[Change]]) -> Iterator[Site]:
    """Every condition of every rule, written in other ways."""
    for rule, document, place, text in conditions(original):
        for change in ways(text):
            named = ".".join(map(str, place))
            changed = partial(edited, document, place, change.text)
            yield Site(rule, f"{named}: {change.what}", changed)


def negated(text: str) -> Iterator[Change]:
    """`a && b` as `!(!(a) || !(b))`, `a || b` as `!(!(a) && !(b))`."""
    for sign, other in (("&&", "||"), ("||", "&&")):
        for spans in joined(text, sign):
            said = f" {other} ".join(f"!({span.of(text)})" for span in spans)
            whole = Span(spans[0].start, spans[-1].end)
            yield Change(f"{sign} at {whole.start}", whole.replaced(text, f"!({said})"))


def listed(text: str) -> Iterator[Change]:
    """`a in ['x', 'y']` as `(a == 'x' || a == 'y')`, and the other way round; `a == 'x'` as `a in ['x']`."""
    for match in LIST.finditer(text):
        said = " || ".join(f"{match['one']} == {value}" for value in match["all"].split(", "))
        yield Change(f"list at {match.start()}", Span(*match.span()).replaced(text, f"({said})"))
    for spans in joined(text, "||"):
        found = [EQUALS.match(span.of(text)) for span in spans]
        ones = {each["one"] for each in found if each}
        if all(found) and len(ones) == 1:
            values = ", ".join(each["value"] for each in found if each)
            whole = Span(spans[0].start, spans[-1].end)
            said = f"{ones.pop()} in [{values}]"
            yield Change(f"ways at {whole.start}", whole.replaced(text, said))
    for each in comparisons(text):
        value = each.right.of(text)
        if each.sign.word == "==" and re.fullmatch(r"'[a-z_]+'", value):
            whole = Span(each.sign.start, each.right.end)
            yield Change(f"word at {whole.start}", whole.replaced(text, f"in [{value}]"))


def mirrored(text: str) -> Iterator[Change]:
    """`a < b` as `b > a`."""
    for each in comparisons(text):
        said = f"{each.right.of(text)} {MIRRORED[each.sign.word]} {each.left.of(text)}"
        whole = Span(each.left.start, each.right.end)
        yield Change(f"{each.sign.word} at {each.sign.start}", whole.replaced(text, said))


@rewrite(
    "list-for-alternatives",
    "rule",
    "Alternatives are written as a list, or a list as alternatives.",
)
def list_for_alternatives(original: Original) -> Iterator[Site]:
    return rewritten(original, listed)


@rewrite("comparison-mirrored", "rule", "The sides of a comparison are exchanged.")
def comparison_mirrored(original: Original) -> Iterator[Site]:
    return rewritten(original, mirrored)


@rewrite(
    "clause-split",
    "rule",
    "A clause that asks for two things becomes two clauses with the same words.",
)
def clause_split(original: Original) -> Iterator[Site]:
    for clause in clauses(original):
        parts = whole_parts(clause.condition("require"))
        if len(parts) > 1:
            # What is asked only of rows that are there stays together with the asking.
            from_here = 0 if re.search(r"null|\bhas\(", parts[0]) else 1
            more = " && ".join(parts[from_here:])
            first = {**clause.body, "require": parts[0]}
            rest = {**clause.body, "id": f"{clause.body['id']}-too", "require": more}
            kept = clause.document["clauses"]
            new = [*kept[: clause.index], first, rest, *kept[clause.index + 1 :]]
            changed = partial(edited, clause.document, ("clauses",), new)
            yield Site(clause.rule, clause.name, changed)


@rewrite("policy-reflowed", "rule", "The lines of the text are broken elsewhere.")
def policy_reflowed(original: Original) -> Iterator[Site]:
    for rule, document in original.rules.items():
        for width in (60, 72, 88):
            yield Site(rule, f"text at {width}", partial(_reflowed, document, width))


def _reflowed(document: Document, width: int) -> Document:
    paragraphs = re.split(r"\n\s*\n", document["text"].strip())
    wrapped = [
        textwrap.fill(each, width, break_long_words=False, break_on_hyphens=False)
        for each in paragraphs
    ]
    return edited(document, ("text",), "\n\n".join(wrapped) + "\n")
