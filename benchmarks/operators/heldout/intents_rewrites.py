"""Rewrites of intents that mean the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.faults.mutation import Original, Site, rewrite
from benchmarks.operators.heldout.conditions import Span, comparisons, whole_parts
from benchmarks.operators.heldout.wishes import (
    READS,
    changed,
    conditions,
    plans,
    requirements,
    with_entry,
)

SYNONYMS = {
    "tell me": "let me know",
    "Tell me": "Let me know",
    "I am {": "My name is {",
    "I cannot": "I am not able to",
    "do not": "don't",
}


@rewrite("requirements-regrouped", "intent", "A requirement becomes two, or two become one.")
def requirements_regrouped(original: Original) -> Iterator[Site]:
    for intent, document, index, text in requirements(original):
        row, place = document["goal"]["require"], ("goal", "require")
        parts = whole_parts(text)
        for cut in range(1, len(parts)):
            pair = [" && ".join(parts[:cut]), " && ".join(parts[cut:])]
            new = [*row[:index], *pair, *row[index + 1 :]]
            yield changed(intent, document, f"{index} split before part {cut}", place, new)
        if index + 1 < len(row):
            both = f"({text}) && ({row[index + 1]})"
            new = [*row[:index], both, *row[index + 2 :]]
            yield changed(intent, document, f"{index} and next joined", place, new)


@rewrite("read-repeated", "intent", "A plan looks a second time at what it has looked at first.")
def read_repeated(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        for plan, steps in plans(document):
            first = steps[0]
            if READS.match(first.get("call", "")):
                again = {key: value for key, value in first.items() if key != "as"}
                make = partial(with_entry, document, ("plans", plan), again, 0)
                yield Site(intent, f"plans.{plan}", make, touches=intent)


@rewrite("instruction-synonym", "intent", "The instruction says something in other words.")
def instruction_synonym(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        for words, other in SYNONYMS.items():
            if words in document["instruction"]:
                text = document["instruction"].replace(words, other, 1)
                yield changed(intent, document, other, ("instruction",), text)


@rewrite("slots-reordered", "intent", "The slots stand in another order; no slot depends on that.")
def slots_reordered(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        slots = document.get("slots", {})
        if len(slots) > 1:
            new = dict(reversed(slots.items()))
            yield changed(intent, document, "reversed", ("slots",), new)


@rewrite("equality-turned", "intent", "The sides of an equality are exchanged.")
def equality_turned(original: Original) -> Iterator[Site]:
    for intent, document, place, text in conditions(original):
        for each in comparisons(text):
            if each.sign.word in ("==", "!="):
                whole = Span(each.left.start, each.right.end)
                said = f"{each.right.of(text)} {each.sign.word} {each.left.of(text)}"
                what = f"turned at {each.sign.start}"
                yield changed(intent, document, what, place, whole.replaced(text, said))
