"""Faults of rules: clauses that forbid something else than the sentence they are anchored in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Original, Site, edited, fault
from benchmarks.operators.development.cel_text import (
    ONE_MORE,
    comparisons,
    numbers_moved,
)
from benchmarks.operators.development.relevance import touched_by

PARTS = ("when", "require")


def _clauses(original: Original) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for slug, rule in original.rules.items():
        for index, clause in enumerate(rule.get("clauses", [])):
            yield slug, index, clause


def _conditions(original: Original) -> Iterator[tuple[str, int, str, str, str]]:
    """Rule, number and id of the clause, `when` or `require`, and what it says."""
    for slug, index, clause in _clauses(original):
        for part in PARTS:
            if clause.get(part, "true") != "true":
                yield slug, index, clause["id"], part, clause[part]


def _said(original: Original, slug: str, index: int, part: str, text: str, place: str) -> Site:
    changed = partial(edited, original.rules[slug], ("clauses", index, part), text)
    touches = touched_by(original, original.rules[slug]["clauses"][index])
    return Site(slug, f"clauses[{place}].{part}", changed, touches)


@fault("clause-negated", "rule", "A clause demands the opposite.")
def clause_negated(original: Original) -> Iterator[Site]:
    for slug, index, key, part, text in _conditions(original):
        if part == "require":
            yield _said(original, slug, index, part, f"!({text})", key)


@fault("clause-off-by-one", "rule", "A bound of a clause takes in one more, or one less.")
def clause_off_by_one(original: Original) -> Iterator[Site]:
    for slug, index, key, part, text in _conditions(original):
        for each in comparisons(text):
            if each.sign in ONE_MORE:
                site = each.signed(text, ONE_MORE[each.sign])
                yield _said(original, slug, index, part, site, f"{key}@{each.start} sign")
        for start, site in numbers_moved(text):
            yield _said(original, slug, index, part, site, f"{key}@{start} number")


REWORDED = (
    ("Only ", "None but "), (" or ", " or else "), (" and ", " as well as "), ("never", "at no time"),
    ("A ", "Each "), ("The ", "Any "), (" is ", " will be "), (" may ", " can "), ("the ", "any "),
)  # fmt: skip


@fault("quote-left-behind", "rule", "The text was reworded, the quote of a clause was not.")
def quote_left_behind(original: Original) -> Iterator[Site]:
    for slug, index, clause in _clauses(original):
        changed = partial(_reworded, original, slug, index)
        if changed() != original.rules[slug]:
            place = f"text at clauses[{clause['id']}].quote"
            yield Site(slug, place, changed, touched_by(original, clause))


def _reworded(original: Original, slug: str, index: int) -> Mapping[str, Any]:
    rule = original.rules[slug]
    quote = rule["clauses"][index]["quote"]
    pattern = re.compile(r"\s+".join(re.escape(word) for word in quote.split()))
    old, new = next((pair for pair in REWORDED if pair[0] in quote), ("", ""))
    said = quote.replace(old, new, 1) if old else quote
    return edited(rule, ("text",), pattern.sub(lambda _: said, rule["text"], count=1))


EXCHANGED = {"before": "after", "after": "before"}


@fault("clause-before-for-after", "rule", "A clause looks at the row before a write for after it.")
def clause_before_for_after(original: Original) -> Iterator[Site]:
    for slug, index, key, part, text in _conditions(original):
        for number, name in enumerate(re.finditer(r"\b(before|after)(?=\.)", text)):
            other = text[: name.start()] + EXCHANGED[name.group()] + text[name.end() :]
            yield _said(original, slug, index, part, other, f"{key} {name.group()} {number}")
