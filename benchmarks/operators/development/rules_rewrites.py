"""Rules that say the same: text in other words where nobody quotes it, conditions written another way."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.faults.mutation import Document, Original, Site, edited, rewrite
from benchmarks.operators.development.rules import PARTS
from benchmarks.operators.development.wording import EMPTY_SENTENCES, outside


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


@rewrite(
    "clause-condition-named", "rule", "A condition has a name, under which the clause uses it."
)
def clause_condition_named(original: Original) -> Iterator[Site]:
    for slug, place, name, text in _conditions(original):
        yield Site(slug, name, partial(_named, original, slug, place, text))


def _named(original: Original, slug: str, place: tuple[str | int, ...], text: str) -> Document:
    rule = _edited(original, slug, place, "meant_here")
    return {**rule, "define": {**rule.get("define", {}), "meant_here": text}}
