"""Faults of intents: in what their goals ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from benchmarks.faults.mutation import Document, Original, Site, fault
from benchmarks.operators.heldout.conditions import (
    comparisons,
    joined,
    polarity,
    whole_parts,
    without_part,
)
from benchmarks.operators.heldout.rows import status_words
from benchmarks.operators.heldout.wishes import changed, gone, requirements, with_entry


@fault("goal-contradictory", "intent", "Two requirements of a goal cannot both hold.")
def goal_contradictory(original: Original) -> Iterator[Site]:
    states = status_words(original)
    for intent, document, index, text in requirements(original):
        for part in whole_parts(text):
            if other := _against(part, states):
                make = partial(with_entry, document, ("goal", "require"), other)
                yield Site(intent, f"goal.require[{index}] against {part}", make, touches=intent)
    for intent, document in original.intents.items():
        for number, entry in enumerate(document["goal"].get("changes", [])):
            rows, _, named = entry.partition("#")
            for field in (names := named.split(",")) if named else []:
                rest = ",".join(n for n in names if n != field)
                if rest and field in " ".join(document["goal"].get("require", [])):
                    place = ("goal", "changes", number)
                    yield changed(intent, document, f"not {field}", place, f"{rows}#{rest}")


def _against(part: str, states: Mapping[str, list[str]]) -> str | None:
    """A requirement that cannot hold together with another."""
    for each in list(comparisons(part))[-1:]:
        value = each.right.of(part)
        word = value.strip("'")
        whole = each.left.start == 0 and each.right.end == len(part)
        if not whole or each.sign.word not in ("==", "!="):
            return None
        if each.sign.word == "!=":
            return each.sign.replaced(part, "==")
        if word in states:
            return each.right.replaced(part, f"'{states[word][0]}'")
        if value.isdecimal():
            return each.right.replaced(part, str(int(value) + 1))
        return each.sign.replaced(part, "!=")
    found = re.match(r"(find\('\w+', \{.*?\}\))\.exists\(", part)
    return f"size({found[1]}) == 0" if found else None


@fault("goal-blind", "intent", "A goal no longer looks at something: wrong attempts pass.")
def goal_blind(original: Original) -> Iterator[Site]:
    for intent, document, index, text in requirements(original):
        place = ("goal", "require", index)
        if len(document["goal"]["require"]) > 1:
            yield gone(intent, document, place)
        for spans in joined(text, "&&"):
            if polarity(text, spans[0].start) is not False:
                for number, span in enumerate(spans):
                    what = f"without part at {span.start}"
                    yield changed(intent, document, what, place, without_part(text, spans, number))
    for intent, document in original.intents.items():
        yield from _less_asked(intent, document)


def _less_asked(intent: str, document: Document) -> Iterator[Site]:
    """A wider `changes`, or an answer that is not asked for."""
    for number, entry in enumerate(document["goal"].get("changes", [])):
        for wider in _wider(entry):
            yield changed(intent, document, wider, ("goal", "changes", number), wider)
    if document["goal"].get("changes") == []:
        yield gone(intent, document, ("goal", "changes"))
    for name in document["goal"].get("answer", {}) if len(_asked(document)) > 1 else []:
        yield gone(intent, document, ("goal", "answer", name))


def _asked(document: Document) -> list[str]:
    return [*document["goal"].get("answer", {}), *document["goal"].get("require", [])]


def _wider(entry: str) -> Iterator[str]:
    table, _, rest = entry.partition("/")
    if "+" in rest:
        yield f"{table}/+{int(rest[1:]) + 5}"
        return
    row, _, names = rest.partition("#")
    if row != "*":
        yield f"{table}/*"
    if names:
        yield f"{table}/{row}"
