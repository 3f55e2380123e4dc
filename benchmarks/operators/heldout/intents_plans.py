"""Faults of intents: in plans, slots and what the agent is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.faults.mutation import Document, Original, Place, Site, edited, fault
from benchmarks.operators.heldout.conditions import (
    TURNED,
    comparisons,
    joined,
    polarity,
    without_part,
)
from benchmarks.operators.heldout.rows import properties, similar
from benchmarks.operators.heldout.wishes import changed, gone, plans, templates


@fault("plan-wrong-argument", "intent", "A step of a plan is given another value than it needs.")
def plan_wrong_argument(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        for plan, steps in plans(document):
            for index, step in enumerate(steps):
                place = ("plans", plan, index, "args")
                args = step.get("args", {})
                for name, value in args.items():
                    for what, other in _other_values(original, document, args, name, value):
                        yield changed(intent, document, what, (*place, name), other)


def _other_values(
    original: Original, document: Document, args: Document, name: str, value: Any
) -> Iterator[tuple[str, Any]]:
    if isinstance(value, int | float):
        yield "another value", not value if isinstance(value, bool) else value + 1
        return
    paths = templates(value) if isinstance(value, str) else []
    if not paths:
        return
    if "[0]" in value:
        yield "the second", value.replace("[0]", "[1]", 1)
    beside = [each for n, each in args.items() if n != name and templates(each)]
    if beside and isinstance(beside[0], str):
        yield "of another argument", beside[0]
    slot, _, field = paths[0].partition(".")
    table = document.get("slots", {}).get(slot, {}).get("table", "")
    if other := similar(properties(original, table), field):
        yield "another field", value.replace(paths[0], f"{slot}.{other}")


@fault(
    "plan-order",
    "intent",
    "Of two steps of a plan the one that needs the other's result comes first.",
)
def plan_order(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        for plan, steps in plans(document):
            for later, step in enumerate(steps):
                roots = {re.split(r"[.\[]", path)[0] for path in templates(step)}
                for earlier in range(later):
                    if steps[earlier].get("as") in roots:
                        new = list(steps)
                        new[earlier], new[later] = new[later], new[earlier]
                        what = f"{earlier} and {later}"
                        yield changed(intent, document, what, ("plans", plan), new)


@fault(
    "slot-binds-wrong-row", "intent", "A slot asks for other rows than those that the text fits."
)
def slot_binds_wrong_row(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        for name, slot in document.get("slots", {}).items():
            place = ("slots", name)
            where = slot.get("where", "")
            for each in comparisons(where):
                if polarity(where, each.sign.start) is not None:
                    text = each.sign.replaced(where, TURNED[each.sign.word])
                    what = f"turned at {each.sign.start}"
                    yield changed(intent, document, what, (*place, "where"), text)
            for spans in joined(where, "&&")[:1]:
                for index, span in enumerate(spans):
                    text = without_part(where, spans, index)
                    what = f"without part at {span.start}"
                    yield changed(intent, document, what, (*place, "where"), text)
            for field in slot.get("match", {}):
                yield gone(intent, document, (*place, "match", field))


TELLING = re.compile(
    r"(?: (?:on|over|from|of|to|in|at|with|by|for|than|since|until|about))?"
    r"(?: '\{[^{}]+\}'| \(\{[^{}]+\}\)| \{[^{}]+\})"
)
SENTENCE = re.compile(r"(?<=[.?!]) ")


@fault("instruction-misses-fact", "intent", "A fact that the agent needs is told nowhere.")
def instruction_misses_fact(original: Original) -> Iterator[Site]:
    for intent, document in original.intents.items():
        said = document["instruction"]
        facts = [match for match in TELLING.finditer(said) if match.start() > len("I am ")]
        for match in facts:
            yield _untold(intent, document, f"{match[0].strip()} at {match.start()}", match[0])
        sentences = SENTENCE.split(said)
        for index, sentence in enumerate(sentences):
            if index and len(sentences) > 2:
                yield _untold(intent, document, f"sentence {index}", sentence)
        for topic in document.get("user", {}).get("knows", {}):
            yield gone(intent, document, ("user", "knows", topic))


def _untold(intent: str, document: Document, what: str, words: str) -> Site:
    texts: list[Place] = [("instruction",)]
    if words in document.get("user", {}).get("opens", ""):
        texts.append(("user", "opens"))
    make = partial(_without_words, document, texts, words)
    return Site(intent, f"instruction: without {what}", make, touches=intent)


def _without_words(document: Document, texts: list[Place], words: str) -> Document:
    for place in texts:
        text = document["instruction"] if len(place) == 1 else document["user"]["opens"]
        rest = text.replace(words, "", 1).replace("  ", " ")
        document = edited(document, place, rest.strip())
    return document
