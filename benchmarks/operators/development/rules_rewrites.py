"""Rules that say the same: text in other words where nobody quotes it, conditions written another way."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from functools import partial

from benchmarks.mutation import Document, Original, Site, edited, rewrite
from benchmarks.operators.development.cel_text import comparisons
from benchmarks.operators.development.rules import PARTS
from benchmarks.operators.development.wording import EMPTY_SENTENCES, outside

WIDTH = 72


def _conditions(original: Original) -> Iterator[tuple[str, tuple[str | int, ...], str, str]]:
    """Rule, place, a name for people, and text of each condition."""
    for slug, rule in original.rules.items():
        for index, clause in enumerate(rule.get("clauses", [])):
            for part in PARTS:
                if clause.get(part, "true") != "true":
                    place = f"clauses[{clause['id']}].{part}"
                    yield slug, ("clauses", index, part), place, clause[part]


def _edited(original: Original, slug: str, place: tuple[str | int, ...], value: object) -> Document:
    return edited(original.rules[slug], place, value)


@rewrite(
    "rule-text-reworded", "rule", "The text says the same with another word, outside of quotes."
)
def rule_text_reworded(original: Original) -> Iterator[Site]:
    for slug, rule in original.rules.items():
        quotes = [clause["quote"] for clause in rule.get("clauses", [])]
        for start, word, other in outside(rule["text"], [*quotes, *rule.get("judgement", [])]):
            text = rule["text"][:start] + other + rule["text"][start + len(word) :]
            changed = partial(_edited, original, slug, ("text",), text)
            yield Site(slug, f"text@{start} {word}", changed)


@rewrite("rule-sentence-added", "rule", "The text has one more sentence, which changes nothing.")
def rule_sentence_added(original: Original) -> Iterator[Site]:
    for slug, rule in original.rules.items():
        for sentence in EMPTY_SENTENCES:
            text = f"{rule['text'].rstrip()}\n\n{sentence}\n"
            yield Site(slug, f"text, {sentence}", partial(_edited, original, slug, ("text",), text))


@rewrite("rule-text-rewrapped", "rule", "The text has its line breaks elsewhere.")
def rule_text_rewrapped(original: Original) -> Iterator[Site]:
    for slug, rule in original.rules.items():
        paragraphs = re.split(r"\n\s*\n", rule["text"].strip())
        text = "\n\n".join(
            textwrap.fill(" ".join(each.split()), WIDTH, break_on_hyphens=False)
            for each in paragraphs
        )
        yield Site(slug, "text", partial(_edited, original, slug, ("text",), f"{text}\n"))


@rewrite("clause-comparison-turned", "rule", "A comparison has its sides exchanged.")
def clause_comparison_turned(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _conditions(original):
        for each in comparisons(text):
            changed = partial(_edited, original, slug, place, each.turned(text))
            yield Site(slug, f"{name}@{each.start}", changed)


@rewrite("clause-twice-negated", "rule", "A condition is negated twice.")
def clause_twice_negated(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _conditions(original):
        yield Site(slug, name, partial(_edited, original, slug, place, f"!(!({text}))"))


@rewrite(
    "clause-condition-named", "rule", "A condition has a name, under which the clause uses it."
)
def clause_condition_named(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _conditions(original):
        yield Site(slug, name, partial(_named, original, slug, place, text))


def _named(original: Original, slug: str, place: tuple[str | int, ...], text: str) -> Document:
    rule = _edited(original, slug, place, "meant_here")
    return {**rule, "define": {**rule.get("define", {}), "meant_here": text}}


@rewrite("clauses-reordered", "rule", "Clauses or judgements stand in another order.")
def clauses_reordered(original: Original) -> Iterator[Site]:
    for slug, rule in original.rules.items():
        for part in ("clauses", "judgement"):
            for index in range(len(rule.get(part, [])) - 1):
                rows = list(rule[part])
                rows[index : index + 2] = reversed(rows[index : index + 2])
                changed = partial(_edited, original, slug, (part,), rows)
                yield Site(slug, f"{part}[{index}]", changed)
